"""The page before a launch: what was checked, with a fix beside it, and how the rehearsal went.

The worker process does both; reading the page asks nobody anything.
"""

from pathlib import Path
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe
from kombu.exceptions import OperationalError

from collector.accounts import log, roles
from collector.accounts.roles import Deed, allowed
from collector.desk import rehearsing, tasks
from collector.desk.preflight import looking
from collector.desk.preflight.checks import Report
from collector.desk.rehearsing import Rehearsal
from collector.desk.summaries import QUEUE_AWAY
from collector.lib import jobs
from collector.operations import pulses
from collector.studies import kinds
from collector.studies.models import Study

ACTS: dict[str, tuple[Any, Any]] = {
    "check": (looking.folder_of, tasks.check_study),
    "rehearse": (rehearsing.folder_of, tasks.rehearse_study),
}
"""What can be asked for: where it is kept, and the task that does it."""


@allowed(Deed.SEE)
@require_safe
def preflight(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what was found last, and how far the worker process is with what was asked."""
    study = get_object_or_404(Study, pk=pk)
    check, rehearsal = looking.folder_of(pk), rehearsing.folder_of(pk)
    job, rehearsal_job = jobs.read(check), jobs.read(rehearsal)
    is_under_way = any(each is not None and each.is_under_way for each in (job, rehearsal_job))
    silent = pulses.age(pulses.WORKER)
    context = {
        "study": study,
        "about": kinds.of(study.kind),
        "report": jobs.kept(check, looking.FILE, Report),
        "job": job,
        "rehearsal": jobs.kept(rehearsal, rehearsing.FILE, Rehearsal),
        "rehearsal_job": rehearsal_job,
        "is_under_way": is_under_way,
        "is_silent": silent is None or silent > pulses.SILENT_AFTER,
        "may_rehearse": study.state in rehearsing.LET_IN,
        "recruitments": study.recruitments.all(),
    }
    return render(request, "desk/preflight.html", context)


@allowed(Deed.SEE)
@require_POST
def ask(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Have the checks made, or the study played: one at a time, since programs of both would meet each other."""
    study = get_object_or_404(Study, pk=pk)
    if action not in ACTS:
        return redirect("preflight", pk)
    roles.require(request, Deed(action))
    folder, task = ACTS[action]
    if _is_under_way(pk) or not jobs.ask(folder(pk)):
        messages.error(request, "The last one is still under way.")
        return redirect("preflight", pk)
    log.write(request, Deed(action), f"study {study.name}", pk)
    try:
        task.delay(pk)
    except OperationalError:
        jobs.refuse(folder(pk), QUEUE_AWAY)
    return redirect("preflight", pk)


def _is_under_way(study: int) -> bool:
    folders: list[Path] = [folder(study) for folder, _ in ACTS.values()]
    return any(job is not None and job.is_under_way for job in map(jobs.read, folders))
