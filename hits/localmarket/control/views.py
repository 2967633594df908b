"""Which pages and addresses does control have? ``/control/`` for people, ``/control/api/…`` for programs.

The JSON addresses take only JSON bodies, which no page of another origin can send without being allowed to.
"""

import json
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from hits.localmarket import journal, service
from hits.localmarket.control import actions, shown
from hits.localmarket.sweeping import sweep

SHOWN: dict[str, Callable[[], Any]] = {
    "state": shown.state,
    "workers": shown.workers,
    "books": lambda: {**shown.state(), "workers": shown.workers(), "movements": shown.movements()},
    "calls": journal.latest,
    "events": shown.deliveries,
}


@require_GET
def page(request: HttpRequest) -> HttpResponse:
    """Show everything, with the forms that change it."""
    sweep()
    context = {**shown.everything(), "operations": service.operation_names()}
    return render(request, "localmarket/control.html", context)


@require_POST
def do(request: HttpRequest, name: str) -> HttpResponse:
    """Do an action from a form; an empty field is not given, a list of switches arrives with its names."""
    if name not in actions.ACTIONS:
        raise Http404
    values = {key: str(value) for key, value in request.POST.items() if key != "csrfmiddlewaretoken" and value != ""}
    switches = str(values.pop("switches", "")).split()
    values |= {switch: "true" if switch in values else "false" for switch in switches}
    try:
        messages.success(request, actions.act(name, values, from_form=True))
    except actions.ActionError as error:
        messages.error(request, f"Not done: {error}")
    return redirect("control")


@csrf_exempt
def api(request: HttpRequest, name: str) -> HttpResponse:
    """Answer a GET with what is asked for; do an action on a POST and answer with the state."""
    if request.method == "GET" and name in SHOWN:
        sweep()
        return _json(SHOWN[name]())
    if request.method != "POST" or name not in actions.ACTIONS:
        return _json({"error": f"{request.method} {name}: there is no such thing."}, 404)
    if request.content_type != "application/json":
        return _json({"error": "Send a JSON body with Content-Type: application/json."}, 415)
    try:
        said = actions.act(name, json.loads(request.body or b"{}"))
    except (ValueError, actions.ActionError) as error:
        return _json({"error": str(error)}, 400)
    return _json({"said": said, **shown.state()})


def _json(value: Any, status: int = 200) -> HttpResponse:
    return HttpResponse(shown.to_json(value), status=status, content_type="application/json")
