"""The page of a study's statistics: it has them counted in the background, and shows what was counted last."""

import mimetypes
from dataclasses import dataclass
from datetime import UTC, datetime

from csp.decorators import csp_replace
from django.contrib import messages
from django.contrib.admin.views.decorators import staff_member_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe
from kombu.exceptions import OperationalError

from collector.analysis import reports, tasks
from collector.exports.selection import Selection
from collector.studies.models import Study

# The report holds its own scripts and styles; in a sandbox they can reach nothing of ours.
REPORT_POLICY = {
    "default-src": ["'none'"],
    "script-src": ["'unsafe-inline'"],
    "style-src": ["'unsafe-inline'"],
    "img-src": ["data:", "blob:"],
    "sandbox": ["allow-scripts", "allow-downloads"],
}


@dataclass(frozen=True)
class Report:
    """What was counted of a study, alone or with another one beside it."""

    other: Study | None
    at: datetime
    files: list[str]
    """All but the page."""

    @property
    def beside(self) -> int:
        """The other study's number, 0 without one."""
        return self.other.pk if self.other else 0


@staff_member_required
@require_safe
def statistics(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the reports there are, and offer to count anew."""
    study = get_object_or_404(Study, pk=pk)
    others = list(Study.objects.exclude(pk=pk))
    context = {
        "study": study,
        "dialogs": Selection(study.slug).dialogs().count(),
        "simulated": Selection(study.slug, simulated=True).dialogs().filter(is_simulated=True).count(),
        "others": others,
        "reports": [found for other in [None, *others] if (found := _report(study, other))],
        "page": reports.PAGE,
    }
    return render(request, "desk/statistics.html", context)


def _report(study: Study, other: Study | None) -> Report | None:
    folder = tasks.folder_of(study.pk, other.pk if other else 0)
    page = folder / reports.PAGE
    if not page.is_file():
        return None
    at = datetime.fromtimestamp(page.stat().st_mtime, UTC)
    return Report(other, at, sorted(path.name for path in folder.iterdir() if path != page and path.name[0] != "."))


@staff_member_required
@require_POST
def count(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the statistics counted, with another study beside it and dialogs of programs if they are chosen."""
    study, simulated = get_object_or_404(Study, pk=pk), request.POST.get("simulated") == "yes"
    other = Study.objects.filter(slug=request.POST.get("beside", "")).first()
    chosen = [each for each in (study, other) if each]
    if empty := [e.name for e in chosen if not Selection(e.slug, simulated=simulated).dialogs().exists()]:
        messages.error(request, f"There is no complete dialog in {' and in '.join(empty)}, so nothing to count.")
        return redirect("statistics", pk)
    try:
        tasks.write_report.delay(study.pk, other.pk if other else 0, simulated)
    except OperationalError:
        messages.error(request, "The task queue does not answer. Is the worker process running?")
    else:
        messages.success(request, "It is being counted. Load this page again in a moment.")
    return redirect("statistics", pk)


@csp_replace(REPORT_POLICY)  # type: ignore[arg-type]  # it types views without arguments only
@staff_member_required
@require_safe
def file(request: HttpRequest, pk: int, beside: int, name: str) -> HttpResponse:
    """Give one file of a report; all but the page are downloads."""
    folder = tasks.folder_of(pk, beside)
    if not folder.is_dir() or name not in {path.name for path in folder.iterdir()}:
        raise Http404("There is no such file; count the statistics first.")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    response = HttpResponse((folder / name).read_bytes(), content_type=kind)
    if name != reports.PAGE:
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
