"""Raise or lower the seats on offer: what the change means and costs is said first, and then it is asked for."""

from decimal import Decimal

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from collector.accounts import log
from collector.accounts.roles import Deed, allowed
from collector.lib.text import dollars, many
from collector.studies import kinds
from hits import launching, lifecycle, seats, tasks
from hits.models import Recruitment, RecruitmentState
from hits.seats import CannotChange


@allowed(Deed.SEATS)
@require_POST
def change(request: HttpRequest, pk: int) -> HttpResponse:
    """Say what another number of seats means; confirmed, take it down for the worker process."""
    recruitment = get_object_or_404(Recruitment.objects.select_related("study"), pk=pk)
    was = recruitment.open_at_once
    try:
        to = seats.checked(recruitment, request.POST.get("seats", "").strip())
        against = _objection(recruitment, to)
        if request.POST.get("was") != str(was) or against:
            context = {"recruitment": recruitment, "to": to, "said": _in_words(recruitment, to), "against": against}
            return render(request, "desk/seats.html", context)
        seats.change(recruitment, was, to)
    except CannotChange as refused:
        messages.error(request, str(refused))
        return redirect("monitor", recruitment.study_id)
    log.write(request, Deed.SEATS, f"recruiting for {recruitment}", recruitment.study_id, f"{was} before, now {to}")
    messages.success(request, f"{to} seats are offered at a time, within a minute.")
    tasks.look_after_hits_soon()
    return redirect("monitor", recruitment.study_id)


def _in_words(recruitment: Recruitment, to: int) -> list[str]:
    """Return what comes of the change, and what it costs, a sentence each."""
    was, wanted = recruitment.open_at_once, lifecycle.seats_wanted(recruitment)
    before, after = (launching.cost_of_seats(recruitment, number) for number in (was, to))
    free, about = seats.free(recruitment).count(), kinds.of(recruitment.study.kind)
    if to > was:
        more = max(0, min(to, wanted) - free)
        comes = f"{many(more, 'more HIT')} {'is' if more == 1 else 'are'} published within a minute; there are {free}."
        if wanted < to:
            pilot = " in the pilot" if recruitment.state == RecruitmentState.PILOT else ""
            comes += f" Workers still wanted{pilot}, those inside not counted: {wanted}."
        if not lifecycle.is_offering(recruitment):
            comes = "Nothing is on offer now; it holds when recruiting goes on."
    else:
        less = max(0, free - to)
        taken = "is taken" if less == 1 else "are taken"
        comes = f"{many(less, 'HIT')} that nobody has accepted {taken} back within a minute. Who is inside finishes."
    return [
        comes,
        f"The seats on offer at a time may cost {dollars(after)} instead of {dollars(before)}, fees included: "
        f"{_difference(after - before)}.",
        f"In all it costs what it did: {recruitment.dialogs_wanted} {about.units} are wanted, within a budget of "
        f"{dollars(recruitment.budget)}.",
    ]


def _difference(amount: Decimal) -> str:
    return f"{dollars(abs(amount))} {'more' if amount > 0 else 'less'}"


def _objection(recruitment: Recruitment, to: int) -> str:
    """Say why so many cannot be offered; empty when they can."""
    needed, balance = launching.cost_of_seats(recruitment, to), recruitment.balance
    if to < recruitment.open_at_once or balance is None or balance >= needed:
        return ""
    return f"The account holds {dollars(balance)}, and so many seats may cost {dollars(needed)}. Add money first."
