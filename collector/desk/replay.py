"""The replay: what each worker saw at each second of a dialog or a viewing; and the way to it from an exported line.

Pages and addresses hold no id of a worker; only pseudonyms of exports, which mean nothing outside this installation.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from chat import networks
from chat.models import Dialog, DialogTakenOut
from collector.accounts.roles import Deed, allowed
from collector.desk import finding, timeline_dialog, timeline_viewing
from collector.studies import kinds
from collector.summaries.models import Viewing, ViewingTakenOut

SPEEDS = (1, 4, 16)


@allowed(Deed.SEE)
@require_safe
def dialog(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a dialog's time line, beginning at the round that the address names."""
    found = get_object_or_404(Dialog.objects.select_related("study", "video__script"), pk=pk)
    context = {
        "study": found.study,
        "unit": "dialog",
        "line": timeline_dialog.of_dialog(found),
        "taken_out": DialogTakenOut.objects.filter(dialog=found, undone_at=None).select_related("who").first(),
        "note": networks.NOTE if networks.shared([pk]) else "",
        "is_simulated": found.is_simulated,
        "is_imported": found.origin is not None,
    }
    return _page(request, found, context)


@allowed(Deed.SEE)
@require_safe
def viewing(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the time line of who watched a video alone."""
    rows = Viewing.objects.select_related("participation__study", "participation__version", "video__script", "summary")
    found = get_object_or_404(rows, pk=pk)
    study = found.participation.study
    context = {
        "study": study,
        "unit": kinds.of(study.kind).unit,
        "line": timeline_viewing.of_viewing(found),
        "taken_out": ViewingTakenOut.objects.filter(viewing=found, undone_at=None).select_related("who").first(),
        "is_simulated": found.participation.is_simulated,
    }
    return _page(request, found, context)


def _page(request: HttpRequest, shown: Dialog | Viewing, context: dict[str, Any]) -> HttpResponse:
    more = {
        "shown": shown,
        "video": shown.video,
        "frames": list(shown.video.frames.all()),
        "round": finding.round_in(request.GET.get("round", "")),
        "speeds": SPEEDS,
    }
    return render(request, "desk/replay.html", context | more)


@allowed(Deed.SEE)
@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """Lead from what stands in an exported line, a key or a video's id, to the replay: at once where only one fits."""
    key = request.GET.get("key", "").strip()
    number = finding.round_in(request.GET.get("round", ""))
    found = finding.find(key)
    if len(found.dialogs) + len(found.viewings) == 1 and found.what != "worker":
        return redirect(_address(found, number))
    context = {
        "key": key,
        "found": found,
        "round": number,
        "most": finding.MOST,
    }
    return render(request, "desk/find.html", context)


def _address(found: finding.Found, number: int | None) -> str:
    if found.viewings:
        return reverse("replay-viewing", args=[found.viewings[0].pk])
    at = "" if number is None else f"?round={number}#round-{number}"
    return reverse("replay-dialog", args=[found.dialogs[0].pk]) + at
