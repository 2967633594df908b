"""The researcher's pages about recruiting: launch and progress. Nothing is changed by reading one."""

import json
from collections import Counter
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from collector.accounts import log, roles
from collector.accounts.roles import Deed, allowed
from collector.analysis import wages
from collector.desk import figures, flags, newest, standing
from collector.desk.standing import Standing
from collector.lib import clock, paging
from collector.lib.text import many
from collector.relevance.models import OPTIONS
from collector.studies import kinds
from collector.studies.models import Kind, Outcome, Participation
from hits import launching, lifecycle, reviewing, seats, tasks, unsubmitted
from hits.hours import in_duration
from hits.marketplace import link
from hits.models import (
    Asked,
    Assignment,
    EntryState,
    Environment,
    LedgerEntry,
    Recruitment,
    RecruitmentState,
)

ACTIONS = ("launch", "expire", "go-on")


@allowed(Deed.SEE)
@require_safe
def recruiting(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what launching means before it, and how far it is after it."""
    recruitment = _get(pk)
    progress = _progress(recruitment)
    (stands,) = standing.of([recruitment.study])
    about = kinds.of(recruitment.study.kind)
    context = {
        "recruitment": recruitment,
        "about": about,
        "roles": wages.by_role(stands.times),
        "flags": flags.flags(recruitment.study, stands.times) if stands.times else [],
        "forecast": figures.forecast(recruitment, stands, progress["owed"]),
        "judgements": _judgements(recruitment),
        "seen": (seen := launching.preview(recruitment, recruitment.balance)),
        "requirements": json.dumps(seen.requirements, indent=2),
        "progress": progress,
        "stands": stands,
        "outcomes": _outcomes(stands),
        "newest": newest.NEWEST,
        "books": recruitment.reconciliations.first(),
        "unsubmitted": len(unsubmitted.listed(recruitment)),
        "is_live": recruitment.environment == Environment.LIVE,
        "may_launch": recruitment.state in (RecruitmentState.DRAFT, RecruitmentState.PAUSED),
        "hours": recruitment.hours.in_words(),
        "opens_in": in_duration(closed_for) if (closed_for := recruitment.hours.opens_in(clock.now())) else "",
        "not_verified": "" if link.Link.capabilities.checks_qualifications else link.NOT_VERIFIED,
        "pilot": many(min(recruitment.pilot_dialogs, recruitment.dialogs_wanted), about.unit),
        "local_url": f"{settings.LOCALMARKET_URL}/worker/",
    }
    return render(request, "desk/recruiting.html", context)


@allowed(Deed.SEE)
@require_safe
def preview(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what workers will see before they accept."""
    return HttpResponse(launching.preview_page(_get(pk).study))


def _get(pk: int) -> Recruitment:
    return get_object_or_404(Recruitment.objects.select_related("study__collection"), pk=pk)


def _judgements(recruitment: Recruitment) -> str:
    """Say what the annotations of a relevance study amount to; empty for another kind."""
    study, wanted = recruitment.study, recruitment.dialogs_wanted
    if study.kind != Kind.RELEVANCE:
        return ""
    items, people = study.items.count(), study.dialogs_per_video or 0
    return (
        f"{many(wanted, 'annotation')}: {wanted * OPTIONS} single judgements. The study has {many(items, 'item')}; "
        f"with {people} for each that takes {many(items * people, 'annotation')}."
    )


def _progress(recruitment: Recruitment) -> dict[str, Any]:
    inside = Participation.objects.filter(study=recruitment.study, is_simulated=False, ended_at=None)
    assignments = Assignment.objects.filter(hit__recruitment=recruitment)
    entries = LedgerEntry.objects.filter(study=recruitment.study)
    money = dict(entries.values_list("state").annotate(sum=Sum("amount")).order_by())
    return {
        "inside": paging.at_most(inside),
        "open": paging.at_most(seats.free(recruitment)),
        "behind": lifecycle.MANY_LATE if lifecycle.is_behind(recruitment) else 0,
        "to_review": paging.at_most(reviewing.to_review(recruitment)),
        "unknown": paging.at_most(assignments.filter(participation=None)),
        "money": money,
        "owed": sum((amount for state, amount in money.items() if state != EntryState.UNDONE), Decimal(0)),
    }


def _outcomes(stands: Standing) -> list[tuple[str, int]]:
    """Return how the newest workers ended, and how many so."""
    numbers = Counter(each.outcome for each in stands.came if each.outcome)
    return [(Outcome(name).label, number) for name, number in sorted(numbers.items())]


@allowed(Deed.SEE)
@require_POST
def act(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Take down what a person asks for; the worker process does it, and the page shows what came of it."""
    recruitment = _get(pk)
    if action not in ACTIONS:
        raise Http404
    roles.require(request, Deed(action))
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
    log.write(request, Deed(action), f"recruiting for {recruitment}", recruitment.study_id)
    tasks.look_after_hits_soon()
    return redirect("recruiting", pk)


def _person(request: HttpRequest) -> User:
    return User.objects.get(username=request.user.get_username())
