"""The researcher's pages about recruiting: launch, progress, review. Nothing is changed by reading one."""

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.admin.views.decorators import staff_member_required
from django.contrib.auth.models import User
from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from chat.models import Seat, Utterance
from collector.desk import figures, flags
from collector.lib import clock
from collector.studies.models import Outcome, Participation
from hits import launching, lifecycle, reviewing, tasks, unsubmitted
from hits.hours import in_duration
from hits.marketplace import link
from hits.models import (
    Asked,
    Assignment,
    AssignmentState,
    Decision,
    Environment,
    LedgerEntry,
    Recruitment,
    RecruitmentState,
)


@staff_member_required
@require_safe
def recruiting(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what launching means before it, and how far it is after it."""
    recruitment = _get(pk)
    rows = figures.spent(recruitment.study)
    context = {
        "recruitment": recruitment,
        "roles": figures.by_role(rows),
        "flags": flags.flags(recruitment.study, rows) if rows else [],
        "forecast": figures.forecast(recruitment),
        "seen": (seen := launching.preview(recruitment, recruitment.balance)),
        "requirements": json.dumps(seen.requirements, indent=2),
        "progress": _progress(recruitment),
        "books": recruitment.reconciliations.first(),
        "unsubmitted": len(unsubmitted.listed(recruitment)),
        "is_live": recruitment.environment == Environment.LIVE,
        "may_launch": recruitment.state in (RecruitmentState.DRAFT, RecruitmentState.PAUSED),
        "hours": recruitment.hours.in_words(),
        "opens_in": in_duration(closed_for) if (closed_for := recruitment.hours.opens_in(clock.now())) else "",
        "not_verified": "" if link.Link.capabilities.checks_qualifications else link.NOT_VERIFIED,
        "local_url": f"{settings.LOCALMARKET_URL}/worker/",
    }
    return render(request, "desk/recruiting.html", context)


def _get(pk: int) -> Recruitment:
    return get_object_or_404(Recruitment.objects.select_related("study__collection"), pk=pk)


def _progress(recruitment: Recruitment) -> dict[str, Any]:
    people = Participation.objects.filter(study=recruitment.study, is_simulated=False)
    outcomes = dict(people.exclude(outcome="").values_list("outcome").annotate(Count("pk")).order_by())
    assignments = Assignment.objects.filter(hit__recruitment=recruitment)
    money = LedgerEntry.objects.filter(study=recruitment.study)
    return {
        "dialogs": lifecycle.complete_dialogs(recruitment),
        "inside": people.filter(ended_at=None).count(),
        "open": lifecycle.open_hits(recruitment).count(),
        "outcomes": [(Outcome(name).label, number) for name, number in sorted(outcomes.items())],
        "to_review": reviewing.to_review(recruitment).count(),
        "unknown": assignments.filter(participation=None).count(),
        "money": dict(money.values_list("state").annotate(sum=Sum("amount")).order_by()),
    }


@staff_member_required
@require_POST
def act(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Take down what a person asks for; the worker process does it, and the page shows what came of it."""
    recruitment = _get(pk)
    is_confirmed = request.POST.get("confirmation", "").strip() == str(recruitment.dialogs_wanted)
    if action == "launch" and recruitment.environment == Environment.LIVE and not is_confirmed:
        messages.error(request, f"Live costs real money: type {recruitment.dialogs_wanted} to confirm.")
        return redirect("recruiting", pk)
    if action == "launch":
        if recruitment.state == RecruitmentState.PAUSED:
            recruitment.state = lifecycle.after_pause(recruitment)
        recruitment.asked = Asked.LAUNCH
    elif action == "expire":
        recruitment.asked = Asked.EXPIRE
    elif action == "go-on" and recruitment.state == RecruitmentState.PILOTED:
        recruitment.state, recruitment.why = RecruitmentState.RUNNING, ""
    recruitment.asked_by = _person(request)
    recruitment.save(update_fields=["asked", "asked_by", "state", "why"])
    tasks.look_after_hits_soon()
    return redirect("recruiting", pk)


@dataclass(frozen=True)
class Reviewed:
    """One submission with what its worker and the partner wrote, in all dialogs of the participation."""

    assignment: Assignment
    lines: list[tuple[str, str, bool]]


@staff_member_required
@require_safe
def review(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what was submitted, each with its dialog, the next to be approved by the marketplace itself first."""
    recruitment = _get(pk)
    waiting = list(reviewing.to_review(recruitment)[:25])
    decided = Assignment.objects.filter(hit__recruitment=recruitment).exclude(decision="")
    context = {
        "recruitment": recruitment,
        "items": [Reviewed(each, lines) for each, lines in zip(waiting, _lines(waiting), strict=True)],
        "left": reviewing.to_review(recruitment).count(),
        "rejected": decided.filter(decision=Decision.REJECT).select_related("worker", "decided_by")[:50],
        "unknown": Assignment.objects.filter(
            hit__recruitment=recruitment, participation=None, state=AssignmentState.SUBMITTED
        )[:50],
        "least_reason": reviewing.LEAST_REASON,
    }
    return render(request, "desk/review.html", context)


def _lines(assignments: list[Assignment]) -> list[list[tuple[str, str, bool]]]:
    """Return for each assignment the texts of its dialogs: what each is, its words, and whether the worker wrote it."""
    parts = [each.participation_id for each in assignments]
    seats = Seat.objects.filter(participation__in=parts, dialog__isnull=False).order_by("number")
    by_dialog: dict[int, list[Utterance]] = {}
    for said in Utterance.objects.filter(dialog__in=seats.values("dialog")).select_related("dialog"):
        by_dialog.setdefault(said.dialog_id, []).append(said)
    by_participation: dict[int, list[tuple[str, str, bool]]] = {}
    for seat in seats:
        rows = by_participation.setdefault(seat.participation_id, [])
        for said in by_dialog.get(seat.dialog_id or 0, []):
            rows.append((*_named(said), _is_own(seat, said)))
    return [by_participation.get(part or 0, []) for part in parts]


def _named(said: Utterance) -> tuple[str, str]:
    if said.position == 2 * said.dialog.rounds:
        return "Summary", said.text
    return f"{'Answer' if said.position % 2 else 'Question'} {said.position // 2 + 1}", said.text


def _is_own(seat: Seat, said: Utterance) -> bool:
    return (said.position % 2 == 1) == (seat.role == "answerer")


@staff_member_required
@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Take down what a person decides about submissions."""
    who = _person(request)
    chosen = [int(each) for each in request.POST.getlist("assignment") if each.isdigit()]
    try:
        if request.POST.get("what") == "approve":
            if request.POST.get("count") != str(len(chosen)) or not chosen:
                raise reviewing.CannotDecide(f"Type the number of chosen submissions, {len(chosen)}, to approve them.")
            messages.success(request, f"{reviewing.approve(chosen, who)} submissions will be approved and paid.")
        elif request.POST.get("what") == "reject" and chosen:
            confirmed = request.POST.get("confirmed") == "yes"
            reviewing.reject(chosen[0], who, request.POST.get("reason", ""), confirmed=confirmed)
            messages.success(request, "The submission will be rejected; it can be taken back within 30 days.")
        elif request.POST.get("what") == "undo" and chosen:
            reviewing.undo_rejection(chosen[0], who)
            messages.success(request, "The rejection will be taken back and the work paid.")
        tasks.look_after_hits_soon()
    except reviewing.CannotDecide as refused:
        messages.error(request, str(refused))
    return redirect("review", pk)


def _person(request: HttpRequest) -> User:
    return User.objects.get(username=request.user.get_username())
