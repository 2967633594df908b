"""How is a call of the requester API answered? Checks, faults, sweeps, runs the operation, checks the answer."""

import json
import logging
import uuid
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt

from hits.localmarket import clock, faults, journal, service, signing
from hits.localmarket.operations import OPERATIONS, Call
from hits.localmarket.refusals import Refusal
from hits.localmarket.sweeping import sweep

CONTENT_TYPE = "application/x-amz-json-1.1"
LOST_HEADER = "X-Localmarket-Lost"
"""Asks the server to close the connection instead of sending the answer; see ``asgi``."""
logger = logging.getLogger(__name__)


@csrf_exempt
def endpoint(request: HttpRequest) -> HttpResponse:
    """Answer a call; to a browser, say where the pages are."""
    if request.method != "POST":
        return render(request, "localmarket/start.html", {"url": request.build_absolute_uri("/").rstrip("/")})
    request_id = str(uuid.uuid4())
    operation = request.headers.get("X-Amz-Target", "").removeprefix(f"{service.TARGET}.")
    key, kinds = "", set[str]()
    try:
        key = _check_caller(request, operation)
        kinds = faults.take(operation)
        faults.raise_before_effect(kinds)
        answer = _perform(operation, request, request_id)
        status, outcome = 200, "ok"
    except Refusal as refusal:
        answer, status = refusal.body(int(clock.now().timestamp() * 1000)), refusal.entry.status
        outcome = answer.get("TurkErrorCode", answer["__type"])
        if refusal.name == "broken":
            logger.error("%s: %s", operation, refusal.__cause__)
    if faults.Kind.LOST in kinds:
        outcome += ", answer lost"
    journal.note(journal.Entry(clock.now(), operation, request_id, outcome, key))
    response = HttpResponse(json.dumps(answer), status=status, content_type=CONTENT_TYPE)
    response["x-amzn-RequestId"] = request_id
    if faults.Kind.LOST in kinds:
        response[LOST_HEADER] = "1"
    return response


def _check_caller(request: HttpRequest, operation: str) -> str:
    """Return the caller's access key; refuse an unknown operation and a wrong signature."""
    if operation not in OPERATIONS:
        raise Refusal("operation_missing", reason=f"{operation or 'X-Amz-Target'} is no operation of {service.TARGET}.")
    headers = {name.lower(): value for name, value in request.headers.items()}
    return signing.check_signature(settings.ACCESS_KEYS, request.build_absolute_uri(), headers, request.body)


def _perform(operation: str, request: HttpRequest, request_id: str) -> dict[str, Any]:
    """Run an operation in one transaction, which a refusal rolls back, and return its checked answer."""
    try:
        document = json.loads(request.body or b"{}")
    except ValueError:
        raise Refusal("serialization", reason="The body is not JSON.") from None
    members = service.read_input(operation, document)
    sweep()
    with transaction.atomic():
        call = Call(operation, members, clock.now(), request_id)
        return service.write_output(operation, OPERATIONS[operation](call))
