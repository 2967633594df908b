"""The page of a recruitment's money: owed, paid, ceilings, both books, and who ended without submitting."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from collector.accounts import log, roles
from collector.accounts.roles import Deed, allowed
from collector.lib.text import dollars
from hits import ceilings, ledger, tasks, unsubmitted
from hits.compensating import CannotCompensate
from hits.models import EntryState, LedgerEntry, Recruitment

SHOWN = 50
ACTIONS = ("compensate", "retry")
_NEEDS = (EntryState.FAILED, EntryState.UNKNOWN)


@allowed(Deed.SEE)
@require_safe
def payments(request: HttpRequest, pk: int) -> HttpResponse:
    """Show where the money of a recruitment is, and what needs a person."""
    recruitment = _get(pk)
    entries = _entries(recruitment)
    context = {
        "recruitment": recruitment,
        "sums": _sums(entries),
        "ceilings": ceilings.used(recruitment),
        "books": recruitment.reconciliations.first(),
        "needing": entries.filter(state__in=_NEEDS).select_related("worker").order_by("-pk")[:SHOWN],
        "unsubmitted": [(each, uuid.uuid4()) for each in unsubmitted.listed(recruitment)],
    }
    return render(request, "desk/payments.html", context)


def _get(pk: int) -> Recruitment:
    return get_object_or_404(Recruitment.objects.select_related("study"), pk=pk)


def _entries(recruitment: Recruitment) -> QuerySet[LedgerEntry]:
    """Return what the study owes to workers of the marketplace in the recruitment's environment."""
    whose = {"worker__marketplace": "mturk", "worker__environment": recruitment.environment}
    return LedgerEntry.objects.filter(study=recruitment.study_id, **whose)


def _sums(entries: QuerySet[LedgerEntry]) -> list[tuple[str, Any]]:
    """Return for each state its name and US dollars."""
    found = dict(entries.values_list("state").annotate(Sum("amount")).order_by())
    return [(state.label, found[state]) for state in EntryState if state in found]


@allowed(Deed.SEE)
@require_POST
def act(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Take down what a person decides: compensate who could not submit, or try a failed payment again."""
    if action not in ACTIONS:
        raise Http404
    roles.require(request, Deed(action))
    recruitment, who = _get(pk), User.objects.get(username=request.user.get_username())
    number = request.POST.get("id", "")
    chosen = int(number) if number.isdecimal() else 0
    try:
        if action == "compensate":
            made = unsubmitted.compensate(recruitment, chosen, who, _key(request))
            said = f"A HIT of {dollars(made.amount)} that only they see is offered within a minute."
            messages.success(request, f"{said} Write to them that it is there.")
            whose = f"worker {made.worker_id}, who did not submit"
            log.write(request, Deed.COMPENSATE, whose, recruitment.study_id, dollars(made.amount))
        elif entry := _entries(recruitment).filter(pk=chosen, state=EntryState.FAILED).first():
            ledger.retry(entry, who)
            messages.success(request, "It is tried again within a minute.")
            what = f"ledger entry {entry.pk} of worker {entry.worker_id}"
            log.write(request, Deed.RETRY, what, recruitment.study_id, dollars(entry.amount))
        else:
            messages.error(request, "It has not failed, or not any more.")
        tasks.look_after_hits_soon()
    except CannotCompensate as refused:
        messages.error(request, str(refused))
    return redirect("payments", pk)


def _key(request: HttpRequest) -> uuid.UUID:
    """Return the key of the pressed button: pressed twice, it is done once."""
    try:
        return uuid.UUID(request.POST.get("key", ""))
    except ValueError:
        raise CannotCompensate("Open the page again.") from None
