"""The page of a summary study: Table 2, and each video's summaries with their scores, by which poor ones are found."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe
from kombu.exceptions import OperationalError

from chat.models import Dialog
from collector.accounts import log
from collector.accounts.roles import Deed, allowed
from collector.analysis import summary_reports, tasks
from collector.analysis.captions import METRICS
from collector.analysis.summary_reports import Options, Video
from collector.analysis.summary_table import NOTES, WATCHERS
from collector.catalogue.models import Frame
from collector.lib import jobs, paging
from collector.studies.models import Kind, Outcome, Participation, Study

SHOWN = 20
MOST_WATCHERS = 100
QUEUE_AWAY = "The task queue does not answer. Is the worker process running?"
WHOSE: dict[str, tuple[str, Callable[[Video, int], float]]] = {
    "questioner": ("the Questioner’s", lambda each, metric: each.questioner.scores[metric]),
    "watchers": ("the watchers’ mean", lambda each, metric: each.mean(metric)),
    "difference": (
        "the Questioner’s less the watchers’",
        lambda each, metric: each.questioner.scores[metric] - each.mean(metric),
    ),
}
"""By what videos are sorted: in words, and of a video and the place of a metric."""


@dataclass(frozen=True)
class Head:
    """A column's head: its name, where it leads, and in which direction it sorts now, if it does."""

    name: str
    address: str
    now: str


@dataclass(frozen=True)
class Sorting:
    """How the videos are sorted: by ``video``, or a metric of somebody's summaries."""

    column: str
    whose: str
    falling: bool

    @classmethod
    def of(cls, request: HttpRequest) -> "Sorting":
        """Return what the address asks for; the lowest CIDEr of a Questioner first unless told otherwise."""
        column, whose = request.GET.get("sort", ""), request.GET.get("of", "")
        return cls(
            column if column in ("video", *METRICS) else "CIDEr",
            whose if whose in WHOSE else "questioner",
            request.GET.get("order") == "falling",
        )

    def sorted(self, videos: Sequence[Video]) -> list[Video]:
        """Return the videos in this order; those that are alike by their ids."""
        by_id = sorted(videos, key=lambda each: each.video, reverse=self.falling and self.column == "video")
        if self.column == "video":
            return by_id
        metric, value = METRICS.index(self.column), WHOSE[self.whose][1]
        return sorted(by_id, key=lambda each: value(each, metric), reverse=self.falling)

    @property
    def here(self) -> str:
        """Return the address of this order."""
        return self._address()

    @property
    def in_words(self) -> str:
        """Say by what they are sorted."""
        if self.column == "video":
            return "id"
        return f"{self.column}, {WHOSE[self.whose][0]}, {'highest' if self.falling else 'lowest'} first"

    @property
    def choices(self) -> list[tuple[str, str, str]]:
        """Return by whose summaries else they can be sorted: name, words, address."""
        return [(name, words, self._address(whose=name)) for name, (words, _) in WHOSE.items()]

    @property
    def heads(self) -> Iterator[Head]:
        """Yield the heads of the columns; what sorts now leads to the other direction."""
        for column in ("video", *METRICS):
            is_now = column == self.column
            now = ("descending" if self.falling else "ascending") if is_now else ""
            address = self._address(column=column, falling=is_now and not self.falling)
            yield Head("Video" if column == "video" else column, address, now)

    def _address(self, **changes: Any) -> str:
        to = replace(self, **changes)
        order = "falling" if to.falling else "rising"
        return f"?{urlencode({'sort': to.column, 'of': to.whose, 'order': order})}"


@allowed(Deed.SEE)
@require_safe
def summaries(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how far the comparison is, and what came of the last one."""
    study = _get(pk)
    report = summary_reports.read(tasks.summaries_of(pk))
    whole = Participation.objects.filter(study=study, outcome=Outcome.COMPLETE)
    context = {
        "study": study,
        "summaries": paging.at_most(whole.filter(is_simulated=False)),
        "simulated": paging.at_most(whole.filter(is_simulated=True)),
        "talks": Study.objects.filter(kind=Kind.DIALOG),
        "job": jobs.read(tasks.summaries_of(pk)),
        "report": report,
        "options": report.options if report else Options(watchers=WATCHERS),
        "notes": NOTES,
        "tables": summary_reports.TABLES,
    }
    if report:
        sorting = Sorting.of(request)
        page = Paginator(sorting.sorted(report.videos), SHOWN).get_page(request.GET.get("page"))
        columns = list(next(iter(report.rows.values())))
        context |= {"sorting": sorting, "page": page, "shown": _shown(list(page)), "columns": columns}
    return render(request, "desk/summaries.html", context)


@dataclass(frozen=True)
class Shown:
    """A video with its frames, and the Questioner's dialog if it is still there."""

    scores: Video
    frames: list[Frame]
    dialog: Dialog | None


def _shown(videos: list[Video]) -> list[Shown]:
    frames: dict[str, list[Frame]] = {}
    for each in Frame.objects.filter(video__image_id__in=[v.video for v in videos]).select_related("video"):
        frames.setdefault(each.video.image_id, []).append(each)
    dialogs = Dialog.objects.in_bulk([each.dialog for each in videos if each.dialog])
    return [Shown(each, frames.get(each.video, []), dialogs.get(each.dialog or 0)) for each in videos]


@allowed(Deed.COUNT)
@require_POST
def compare(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the worker process compare the summaries."""
    study = _get(pk)
    watchers, seed = request.POST.get("watchers", ""), request.POST.get("seed", "")
    if not (re.fullmatch("[0-9]{1,3}", watchers) and 2 <= int(watchers) <= MOST_WATCHERS):
        messages.error(request, f"Watchers a video: a whole number from 2 to {MOST_WATCHERS}, not {watchers[:40]!r}.")
    elif not re.fullmatch("[0-9]{1,9}", seed):
        messages.error(request, f"The seed is a whole number of at most nine digits, not {seed[:40]!r}.")
    else:
        options = Options(
            request.POST.get("dialogs", ""), int(watchers), int(seed), request.POST.get("simulated") == "yes"
        )
        _ask(request, study, options)
    return redirect("summaries", pk)


def _ask(request: HttpRequest, study: Study, options: Options) -> None:
    folder = tasks.summaries_of(study.pk)
    if not jobs.ask(folder):
        messages.error(request, "It is being computed already.")
        return
    log.write(request, Deed.COUNT, f"summaries of {study.name}", study.pk)
    try:
        tasks.compare_summaries.delay(study.pk, msgspec.to_builtins(options))
    except OperationalError:
        jobs.refuse(folder, QUEUE_AWAY)


@allowed(Deed.LOAD)
@require_safe
def file(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """Give one of the tables."""
    path = tasks.summaries_of(pk) / name
    if name not in summary_reports.TABLES or not path.is_file():
        raise Http404("There is no such table; compare the summaries first.")
    log.write(request, Deed.LOAD, name, pk)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(path.read_bytes(), content_type="text/csv", headers=headers)


def _get(pk: int) -> Study:
    return get_object_or_404(Study.objects.select_related("videos_of"), pk=pk, kind=Kind.SUMMARY)
