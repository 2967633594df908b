"""The doors of a marketplace that shows our pages in its frame: preview, entry, and the form that submits the work."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from collector.lib import languages
from collector.studies import kinds
from collector.studies.admission import Code, NotAdmitted, check_open, token_of
from collector.studies.models import Participation, Study
from collector.studies.pages import in_language_of, worker_page
from hits import entering, launching, receipts
from hits.entering import Entry
from hits.invitations import NOT_TICKED, address_of, arrived_at, invitation
from hits.marketplace import environments
from hits.models import Assignment, AssignmentState, Compensation, Environment


@worker_page
@require_http_methods(["GET", "HEAD", "POST"])
def task(request: HttpRequest, slug: str, environment: str) -> HttpResponse:
    """Show the preview, the invitation, or where the worker was. Only the POST that confirms consent makes anything."""
    try:
        if environment not in Environment.values:
            raise NotAdmitted(Code.UNKNOWN_LINK)
        entry = entering.read(request.POST if request.method == "POST" else request.GET)
        if entry is None:
            return _preview(slug, environment)
    except NotAdmitted as refusal:
        return _refuse(request, refusal)
    with in_language_of(slug):
        try:
            return _enter(request, slug, environment, entry)
        except NotAdmitted as refusal:
            return _refuse(request, refusal)


def _refuse(request: HttpRequest, refusal: NotAdmitted) -> HttpResponse:
    passes = refusal.code == Code.TOO_MANY
    on = "" if passes else gettext("Please return the HIT; returning it does not count against you.")
    context = {"heading": gettext("You cannot take part now"), "sentence": f"{refusal.sentence} {on}".strip()}
    return render(request, "studies/message.html", context, status=429 if passes else 403)


def _preview(slug: str, environment: str) -> HttpResponse:
    """Show what the task is to who has not accepted it: from a file, since a new offer brings many at once."""
    try:
        text = launching.preview_path(slug, environment).read_text()
    except OSError:
        raise NotAdmitted(Code.NOT_OPEN) from None
    return HttpResponse(text, headers={"Cache-Control": "public, max-age=60"})


def _enter(request: HttpRequest, slug: str, environment: str, entry: Entry) -> HttpResponse:
    known = entering.find(environment, entry)
    if known is not None and known.participation is not None:
        participation = known.participation
        if participation.ended_at is None and participation.started_at is None and entering.is_too_late(known):
            raise NotAdmitted(Code.TOO_LATE)
        page = "finish" if participation.ended_at else kinds.page_of(participation)
        return redirect(page, token_of(participation))
    study = Study.objects.select_related("collection").filter(slug=slug).first()
    if study is None:
        raise NotAdmitted(Code.UNKNOWN_LINK)
    entering.check_hours(study, environment)
    if request.method == "POST" and request.POST.get("consent") == "yes":
        address = address_of(request)
        admitted = entering.begin(study, environment, entry, address=address, arrived_at=arrived_at(request))
        return redirect(kinds.page_of(admitted.participation), admitted.token)
    check_open(study)
    entering.hit_of(study, environment, entry)
    error = gettext(NOT_TICKED) if request.method == "POST" else ""
    hidden = {"assignmentId": entry.assignment_id, "hitId": entry.hit_id, "workerId": entry.worker_id}
    return invitation(request, study, hidden, error, is_known=entering.has_read(study, environment, entry))


def submit_form(participation: Participation) -> dict[str, Any] | None:
    """Return the form by which a worker's browser submits the work, None where there is none.

    Its address comes from the HIT's own environment, never from what the frame's address says.
    """
    rows = Assignment.objects.select_related("hit").filter(participation=participation)
    assignment = rows.order_by("-pk").first()
    if assignment is None:
        return None
    return {
        "action": environments.place(assignment.hit.environment).submit_url,
        "is_submitted": assignment.state != AssignmentState.SEEN,
        "fields": {
            "assignmentId": assignment.external_id,
            "receipt": receipts.receipt_of(participation),
            "outcome": participation.outcome,
        },
    }


@worker_page
@require_safe
def compensation(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Show a payment for who could not submit: what it is for and, once it is accepted, the form that submits it."""
    found = Compensation.objects.select_related("recruitment__study").filter(key=key).first()
    context: dict[str, Any] = {"compensation": found}
    try:
        entry = entering.read(request.GET)
        if found is None:
            raise NotAdmitted(Code.UNKNOWN_LINK)
    except NotAdmitted as refusal:
        context = {"heading": gettext("This is not a payment for you"), "sentence": refusal.sentence}
        return render(request, "studies/message.html", context, status=404)
    if entry is not None:
        action = environments.place(found.recruitment.environment).submit_url
        context["form"] = {"action": action, "fields": {"assignmentId": entry.assignment_id, "payment": str(key)}}
    with languages.speaking(found.recruitment.study.language):
        response = render(request, "hits/compensation.html", context)
    if "form" in context:
        allow_submitting(response, context["form"])
    return response


def allow_submitting(response: HttpResponse, form: dict[str, Any]) -> None:
    """Let the page's forms go to the marketplace and to us, and nowhere else."""
    response._csp_replace = {"form-action": [form["action"], "'self'"]}  # type: ignore[attr-defined]
