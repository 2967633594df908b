"""What can robots do? The worker site as JSON: sign in, list, accept, return, submit, and look at what came of it."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from hits.localmarket import answers, books
from hits.localmarket.models import Assignment, Worker
from hits.localmarket.sweeping import sweep
from hits.localmarket.worker import offers, qualifying, tasks
from hits.localmarket.worker.signing_in import token_for, worker_of_token
from hits.localmarket.worker_refusals import Reason, WorkerRefusal

Action = Callable[[Worker, dict[str, Any]], Any]


def _answer(value: Any, status: int = 200) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(value), status=status, content_type="application/json")


def _refused(reason: Reason, sentence: str, status: int) -> HttpResponse:
    return _answer({"error": reason.value, "sentence": sentence}, status)


def robot(method: str) -> Callable[[Action], Callable[[HttpRequest], HttpResponse]]:
    """Make a view of a function from worker and body to an answer; refusals become 409 with their reason."""

    def decorate(action: Action) -> Callable[[HttpRequest], HttpResponse]:
        @csrf_exempt
        @wraps(action)
        def view(request: HttpRequest) -> HttpResponse:
            if request.method != method:
                return _answer({"error": "method", "sentence": f"Use {method}."}, 405)
            sweep()
            worker = worker_of_token(request)
            if worker is None:
                refusal = WorkerRefusal(Reason.SIGN_IN)
                return _refused(refusal.reason, refusal.sentence, 401)
            try:
                return _answer(action(worker, _body(request)))
            except WorkerRefusal as refusal:
                return _refused(refusal.reason, refusal.sentence, 409)
            except ValueError as error:
                return _answer({"error": "body", "sentence": str(error)}, 400)

        return view

    return decorate


def _body(request: HttpRequest) -> dict[str, Any]:
    body = json.loads(request.body or b"{}")
    if not isinstance(body, dict):
        raise ValueError("The body is not a JSON object.")
    return body


@csrf_exempt
def sign_in(request: HttpRequest) -> HttpResponse:
    """Return a token for ``worker_id``."""
    try:
        worker_id = _body(request).get("worker_id", "")
    except ValueError as error:
        return _answer({"error": "body", "sentence": str(error)}, 400)
    worker = Worker.objects.filter(worker_id=worker_id).first()
    if request.method != "POST" or worker is None:
        return _refused(Reason.UNKNOWN, "POST the worker_id of a worker of this market.", 404)
    return _answer({"token": token_for(worker), "worker_id": worker.worker_id, "name": worker.name})


@robot("GET")
def hits(worker: Worker, body: dict[str, Any]) -> Any:
    """Return the groups that the worker may see."""
    return [
        {
            "group_id": group.type.group_id,
            "hit_type_id": group.type.type_id,
            "title": group.type.title,
            "description": group.type.description,
            "reward_cents": group.type.reward_cents,
            "duration_seconds": group.type.duration_seconds,
            "hits": group.hits,
            "may_preview": group.may_preview,
            "may_accept": group.may_accept,
            "unmet": group.unmet,
        }
        for group in offers.groups_for(worker)
    ]


@robot("POST")
def accept(worker: Worker, body: dict[str, Any]) -> Any:
    """Accept ``hit_id``, or the next HIT of ``group_id``."""
    group_id, hit_id = str(body.get("group_id", "")), str(body.get("hit_id", ""))
    return tasks.describe(tasks.accept(worker, group_id=group_id, hit_id=hit_id))


@robot("POST")
def give_back(worker: Worker, body: dict[str, Any]) -> Any:
    """Return ``assignment_id``."""
    tasks.give_back(worker, str(body.get("assignment_id", "")))
    return {}


@robot("POST")
def submit(worker: Worker, body: dict[str, Any]) -> Any:
    """Hand in ``assignment_id`` with ``answers``, an object of texts."""
    given = body.get("answers", {})
    if not isinstance(given, dict):
        raise ValueError("answers is not an object.")
    assignment = tasks.held_by(worker, str(body.get("assignment_id", "")))
    fields = answers.fields_of((name, str(value)) for name, value in given.items())
    return tasks.describe(tasks.submit(assignment.assignment_id, fields))


@robot("GET")
def assignments(worker: Worker, body: dict[str, Any]) -> Any:
    """Return all assignments the worker ever had, newest first."""
    rows = worker.assignments.select_related("hit__type", "worker").order_by("-id")
    return [tasks.describe(each) for each in rows]


@robot("GET")
def me(worker: Worker, body: dict[str, Any]) -> Any:
    """Return the worker's record, earnings in cents, and messages."""
    parts = books.earnings(worker)
    held = worker.assignments.filter(status=Assignment.Status.ACCEPTED).count()
    return {
        "worker_id": worker.worker_id,
        "approved": worker.number_approved,
        "percent_approved": worker.percent_approved,
        "held": held,
        "earned_cents": sum(parts.values()),
        **{f"{name}_cents": cents for name, cents in parts.items()},
        "messages": [{"subject": each.subject, "text": each.text} for each in worker.messages.order_by("-id")],
    }


@robot("POST")
def ask(worker: Worker, body: dict[str, Any]) -> Any:
    """Ask for the qualification ``qualification_type_id``; say whether it was granted at once."""
    return {"granted": qualifying.ask(worker, str(body.get("qualification_type_id", "")))}
