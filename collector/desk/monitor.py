"""The page that is looked at while a study runs: who waits, who talks, how it goes on, and how to stop it.

The page asks for its own changing part every few seconds; reading it changes nothing.
"""

from dataclasses import dataclass
from typing import Any

from csp.decorators import csp_replace
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST, require_safe

from chat.models import Dialog
from chat.reasons import Room
from collector.accounts import log, roles
from collector.accounts.roles import Deed, allowed
from collector.analysis import charts
from collector.desk import figures, live, newest, standing
from collector.desk.statistics import REPORT_POLICY
from collector.operations import alarms
from collector.studies import kinds
from collector.studies.models import State, Study
from hits import seats, tasks
from hits.models import Recruitment

CHART_POLICY = REPORT_POLICY | {"frame-ancestors": ["'self'"]}


@dataclass(frozen=True)
class Act:
    """What a button does: from which states, to which, and what comes of it."""

    label: str
    before: tuple[State, ...]
    after: State
    effect: str
    """What happens, for the page and as the answer."""


ACTS = {
    "drain": Act(
        "Drain", (State.OPEN,), State.DRAIN,
        "Nobody new comes in and open seats are taken back; who is inside still meets others and finishes. Who is "
        "left with nobody to meet is let go and paid as announced.",
    ),
    "pause": Act(
        "Pause", (State.OPEN, State.DRAIN), State.PAUSED,
        "Nobody new comes in and open seats are taken back; who waits is let go at once and paid as announced. What "
        "is under way is finished.",
    ),
    "close": Act(
        "Close", (State.OPEN, State.DRAIN, State.PAUSED), State.CLOSED,
        "As a pause, and whoever opens the invitation reads that the study has ended.",
    ),
    "open": Act(
        "Open again", (State.DRAIN, State.PAUSED, State.CLOSED), State.OPEN,
        "The invitation lets workers in. Seats on a marketplace are offered again unless recruiting is paused as well.",
    ),
}  # fmt: skip


@allowed(Deed.SEE)
@require_safe
def monitor(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how a study stands now, and what can be done about it."""
    study = get_object_or_404(Study, pk=pk)
    acts = [(name, act) for name, act in ACTS.items() if study.state in act.before]
    offers = Recruitment.objects.filter(study=study, state__in=seats.STARTED)
    context = {"acts": acts, "offers": offers, "least": seats.LEAST, "most": seats.MOST}
    return render(request, "desk/monitor.html", _now(study) | context)


@allowed(Deed.SEE)
@require_safe
def now(request: HttpRequest, pk: int) -> HttpResponse:
    """Give the part of the page that changes."""
    return render(request, "desk/monitor_now.html", _now(get_object_or_404(Study, pk=pk)))


def _now(study: Study) -> dict[str, Any]:
    (stands,) = standing.of([study])
    is_alone = kinds.of(study.kind).is_alone
    hours = newest.by_hour(stands.came)
    return {
        "study": study,
        "stands": stands,
        "alarms": [*alarms.of_installation(), *stands.alarms],
        "about": stands.about,
        "waiting": [] if is_alone else Room(study).waiting(),
        "dialogs": [] if is_alone else live.dialogs(study),
        "viewings": live.viewings(study) if is_alone else [],
        "funnel": newest.funnel(study, stands.came),
        "hours": hours,
        "busiest": max((max(each.came, each.completed) for each in hours), default=0),
        "forecast": figures.at_this_pace(stands),
        "shown": live.SHOWN,
    }


@allowed(Deed.SEE)
@require_POST
def act(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Open, drain, pause or close a study; pressed twice, or too late, it changes nothing."""
    study, chosen = get_object_or_404(Study, pk=pk), ACTS.get(action)
    if chosen:
        roles.require(request, Deed(action))
    if chosen and Study.objects.filter(pk=pk, state__in=chosen.before).update(state=chosen.after):
        before, after = study.get_state_display().lower(), chosen.after.label.lower()
        log.write(request, Deed(action), f"study {study.name}", pk, f"{before} before, now {after}")
        messages.success(request, f"{study.name} is {after}. {chosen.effect}")
        tasks.look_after_hits_soon()
    else:
        said = f"{study.name} is {study.get_state_display().lower()}: that is not possible now. Nothing was changed."
        messages.error(request, said)
    return redirect("monitor", pk)


@csp_replace(CHART_POLICY)  # type: ignore[arg-type]  # it types views without arguments only
@xframe_options_sameorigin
@allowed(Deed.SEE)
@require_safe
def chart(request: HttpRequest, pk: int) -> HttpResponse:
    """Give the rates of the last hours as a chart that loads nothing."""
    hours = newest.by_hour(newest.newest(get_object_or_404(Study, pk=pk)))[::-1]
    begins = [each.begins_at for each in hours]
    lines = {
        "agreed": [each.came for each in hours],
        "began": [each.began for each in hours],
        "finished": [each.completed for each in hours],
        "ended otherwise": [each.ended_otherwise for each in hours],
    }
    return HttpResponse(charts.alone(charts.by_hour("Workers by hour", begins, lines)))


@allowed(Deed.SEE)
@require_safe
def watch(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one dialog as it is held: what is stored, and nothing that is only typed."""
    return render(request, "desk/watch.html", _watched(pk))


@allowed(Deed.SEE)
@require_safe
def watch_now(request: HttpRequest, pk: int) -> HttpResponse:
    """Give the part of that page that changes."""
    return render(request, "desk/watch_now.html", _watched(pk))


def _watched(pk: int) -> dict[str, Any]:
    dialog = get_object_or_404(Dialog.objects.select_related("study", "video"), pk=pk, origin__isnull=True)
    return {"study": dialog.study, "live": live.one(dialog), "lines": live.lines(dialog), "video": dialog.video}
