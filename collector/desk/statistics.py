"""The page of a study's statistics: it has them counted in the background, and shows what was counted last.

The word lists they are counted with are edited here, too.
"""

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from csp.decorators import csp_replace
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe
from kombu.exceptions import OperationalError

from collector.accounts import log
from collector.accounts.roles import Deed, allowed
from collector.analysis import reports, tasks
from collector.desk.summaries import QUEUE_AWAY
from collector.exports.selection import Selection
from collector.lib import jobs, paging, words
from collector.lib.jobs import Job
from collector.studies.models import Study

# The report holds its own scripts and styles; in a sandbox they can reach nothing of ours.
REPORT_POLICY = {
    "default-src": ["'none'"],
    "script-src": ["'unsafe-inline'"],
    "style-src": ["'unsafe-inline'"],
    "img-src": ["data:", "blob:"],
    "sandbox": ["allow-scripts", "allow-downloads"],
    "frame-ancestors": ["'none'"],
}


@dataclass(frozen=True)
class Report:
    """What was counted of a study, alone or with another one beside it."""

    other: Study | None
    job: Job | None
    at: datetime | None
    """When it was counted last; None before it is."""
    files: list[str]
    """All but the page."""

    @property
    def beside(self) -> int:
        """The other study's number, 0 without one."""
        return self.other.pk if self.other else 0


@dataclass(frozen=True)
class ListField:
    """A word list as the form shows it."""

    name: str
    about: str
    text: str
    published: str
    """The paper's."""


ABOUT = {
    "audio": "A question about sound has one of",
    "temporal": "A question about time has one of",
    "next": "and, as beginnings of words, for \u201cwhat happened next\u201d also",
    "coreference": "A question points back with one of",
    "yes": "An answer says yes with one of",
    "no": "An answer says no with one of",
}


@allowed(Deed.SEE)
@require_safe
def statistics(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the reports there are, and offer to count anew."""
    study = get_object_or_404(Study, pk=pk)
    return _page(request, study, {name: ", ".join(own) for name, own in study.word_lists.items()})


def _page(request: HttpRequest, study: Study, typed: Mapping[str, str], wrong: str = "") -> HttpResponse:
    """Show the page; ``typed`` are the word lists as texts, ``wrong`` says why they could not be kept."""
    pk = study.pk
    others = list(Study.objects.exclude(pk=pk))
    found = [report for other in [None, *others] if (report := _report(study, other))]
    context = {
        "study": study,
        "dialogs": paging.at_most(Selection(study.slug).dialogs()),
        "simulated": paging.at_most(Selection(study.slug, simulated=True).dialogs().filter(is_simulated=True)),
        "others": others,
        "reports": found,
        "is_under_way": any(each.job and each.job.is_under_way for each in found),
        "page": reports.PAGE,
        "lists": [
            ListField(name, ABOUT[name], typed.get(name, ""), ", ".join(getattr(words.PAPER, name)))
            for name in words.LISTS
        ],
        "wrong": wrong,
        "own_lists": bool(study.word_lists),
    }
    return render(request, "desk/statistics.html", context)


def _report(study: Study, other: Study | None) -> Report | None:
    folder = tasks.folder_of(study.pk, other.pk if other else 0)
    page, job = folder / reports.PAGE, jobs.read(folder)
    if not page.is_file():
        return Report(other, job, None, []) if job else None
    at = datetime.fromtimestamp(page.stat().st_mtime, UTC)
    return Report(other, job, at, sorted(_files(folder) - {reports.PAGE}))


def _files(folder: Path) -> set[str]:
    """Return the names of a report's files."""
    found = folder.iterdir() if folder.is_dir() else ()
    return {path.name for path in found if path.name[0] != "." and path.name != jobs.FILE}


@allowed(Deed.COUNT)
@require_POST
def count(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the statistics counted, with another study beside it and dialogs of programs if they are chosen."""
    study, simulated = get_object_or_404(Study, pk=pk), request.POST.get("simulated") == "yes"
    other = Study.objects.filter(slug=request.POST.get("beside", "")).first()
    chosen = [each for each in (study, other) if each]
    if empty := [e.name for e in chosen if not Selection(e.slug, simulated=simulated).dialogs().exists()]:
        messages.error(request, f"There is no complete dialog in {' and in '.join(empty)}, so nothing to count.")
        return redirect("statistics", pk)
    beside = other.pk if other else 0
    folder = tasks.folder_of(study.pk, beside)
    if not jobs.ask(folder):
        messages.error(request, "It is being counted already.")
        return redirect("statistics", pk)
    log.write(request, Deed.COUNT, f"statistics of {study.name}", pk)
    try:
        tasks.write_report.delay(study.pk, beside, simulated)
    except OperationalError:
        jobs.refuse(folder, QUEUE_AWAY)
    return redirect("statistics", pk)


@allowed(Deed.WORD_LISTS)
@require_POST
def word_lists(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep the study's own word lists; a list without words is the paper's."""
    study = get_object_or_404(Study, pk=pk)
    typed = {name: request.POST.get(name, "") for name in words.LISTS}
    own = {name: list(dict.fromkeys(text.lower().replace(",", " ").split())) for name, text in typed.items()}
    try:
        found = words.word_lists({name: listed for name, listed in own.items() if listed})
    except words.BadWords as error:
        return _page(request, study, typed, str(error))
    study.word_lists = found.own
    study.save(update_fields=["word_lists"])
    log.write(request, Deed.WORD_LISTS, f"word lists of {study.name}", pk, found.in_words)
    messages.success(request, f"{found.in_words} Reports counted from now on use them.")
    return redirect("statistics", pk)


@csp_replace(REPORT_POLICY)  # type: ignore[arg-type]  # it types views without arguments only
@allowed(Deed.LOAD)
@require_safe
def file(request: HttpRequest, pk: int, beside: int, name: str) -> HttpResponse:
    """Give one file of a report; all but the page are downloads."""
    folder = tasks.folder_of(pk, beside)
    if name not in _files(folder):
        raise Http404("There is no such file; count the statistics first.")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    response = HttpResponse((folder / name).read_bytes(), content_type=kind)
    if name != reports.PAGE:
        log.write(request, Deed.LOAD, name, pk)
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
