"""Which worker is this? A signed cookie for pages, a signed token for robots; there are no passwords here."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, ParamSpec
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from hits.localmarket.models import Worker
from hits.localmarket.sweeping import sweep
from hits.localmarket.worker_refusals import WorkerRefusal

Rest = ParamSpec("Rest")
View = Callable[Concatenate[HttpRequest, Rest], HttpResponse]
WorkerView = Callable[Concatenate[HttpRequest, Worker, Rest], HttpResponse]


def worker_of(request: HttpRequest) -> Worker | None:
    """Return who is signed in on this browser."""
    worker_id = request.get_signed_cookie(settings.WORKER_COOKIE, default="", salt="worker")
    return Worker.objects.filter(worker_id=worker_id).first()


def token_for(worker: Worker) -> str:
    """Return a robot's token."""
    return signing.dumps(worker.worker_id, salt="robot")


def worker_of_token(request: HttpRequest) -> Worker | None:
    """Return whose token a robot sends."""
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    try:
        return Worker.objects.filter(worker_id=signing.loads(token, salt="robot")).first()
    except signing.BadSignature:
        return None


def at_home(request: HttpRequest) -> HttpResponse | None:
    """Return a way to the site's proper name where another was used: under it a task's frame is cross-site."""
    if request.method == "GET" and request.get_host() != urlsplit(settings.PUBLIC_URL).netloc:
        return HttpResponseRedirect(settings.PUBLIC_URL + request.get_full_path())
    return None


def signed_in(view: WorkerView[Rest]) -> View[Rest]:
    """Let a view have the worker; others sign in first. What a worker may not do becomes a page that says so."""

    def checked(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        if elsewhere := at_home(request):
            return elsewhere
        sweep()
        worker = worker_of(request)
        if worker is None:
            return HttpResponseRedirect(f"{reverse('sign-in')}?next={quote(request.get_full_path())}")
        vars(request)["worker"] = worker  # every page's head names the worker
        try:
            return view(request, worker, *args, **kwargs)
        except WorkerRefusal as refusal:
            return render(request, "localmarket/refused.html", {"sentence": refusal.sentence}, status=409)

    update_wrapper(checked, view)
    return checked
