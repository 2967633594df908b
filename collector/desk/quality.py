"""The page of a study's quality flags: what each is, how many have it, and thresholds tried before they are saved.

Nothing is paid, rejected or held back by a flag, so these rules may be changed at any time.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from kombu.exceptions import OperationalError

from chat import transcripts
from collector.accounts import log, roles
from collector.accounts.roles import Deed, allowed
from collector.desk import found
from collector.desk.flags import NEWEST, counted
from collector.desk.found import Seen
from collector.quality import tasks
from collector.quality.counting import Counted
from collector.quality.flags import FLAGS, Flag, Looked, look
from collector.quality.models import QualityRules, defaults_of, rules_of, save_rules
from collector.quality.rules import LISTS, THRESHOLDS, BadRules, Rules, Threshold, checked
from collector.quality.writings import WATCHER, of_workers, one_of, read, rows_of
from collector.studies import kinds
from collector.studies.models import Kind, Study

SHOWN = 30
FILES = {tasks.FLAGS_FILE: "every figure with its evidence", tasks.WORKERS_FILE: "the flags of each worker"}


@dataclass(frozen=True)
class Row:
    """One flag: how many have it now, and how many would under the rules that are tried."""

    flag: Flag
    definition: str
    now: int
    would: int
    rows: list[tuple[int, str]]
    """The newest that would."""


@dataclass(frozen=True)
class Field:
    """One threshold of the form, as it is or as it was typed."""

    name: str
    about: Threshold
    value: object


@allowed(Deed.SEE)
@require_http_methods(["GET", "HEAD", "POST"])
def quality(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the flags of a study; posted, try other rules on it, or save them."""
    study = get_object_or_404(Study, pk=pk)
    saved = tried = rules_of(study)
    trouble = ""
    if request.method == "POST":
        if is_saved := request.POST.get("what") == "save":
            roles.require(request, Deed.RULES)
        try:
            tried = _posted(study, request.POST)
        except BadRules as error:
            trouble = str(error)
        else:
            if is_saved:
                save_rules(study, tried, User.objects.get(username=request.user.get_username()))
                log.write(request, Deed.RULES, f"rules of {study.name}", pk)
                messages.success(request, "Saved. It changes what is shown, and nothing else.")
                return redirect("quality", pk)
    now = counted(study, saved)
    would = counted(study, tried) if tried != saved else now
    typed = request.POST if trouble else None
    context = {
        "study": study,
        "about": kinds.of(study.kind),
        "total": len(now.numbers),
        "newest": NEWEST,
        "is_tried": tried != saved,
        "is_default": tried == defaults_of(study),
        "now": len(now.any),
        "would": len(would.any),
        "rows": _rows(study, now, would),
        "trouble": trouble,
        "fields": [Field(n, t, typed.get(n, "") if typed else getattr(tried, n)) for n, t in THRESHOLDS.items()],
        "lists": [
            (n, label, typed.get(n, "") if typed else "\n".join(getattr(tried, n))) for n, label in LISTS.items()
        ],
        "kept": QualityRules.objects.filter(study=study).select_related("changed_by").first(),
        "files": _files(study),
    }
    return render(request, "desk/quality.html", context)


def _posted(study: Study, posted: QueryDict) -> Rules:
    """Return the rules of a posted form. Raises BadRules."""
    rules = defaults_of(study)
    if posted.get("what") == "defaults":
        return rules
    numbers = {name: _number(about, posted.get(name, "")) for name, about in THRESHOLDS.items()}
    lists = {name: _lines(posted.get(name, "")) for name in LISTS}
    return checked(msgspec.structs.replace(rules, **numbers, **lists))


def _number(about: Threshold, text: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadRules(f"{about.label}: {text!r} is not a whole number from {about.least} to {about.most}.")
    return int(text)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(" ".join(line.split()) for line in text.splitlines() if line.strip()))


def _rows(study: Study, now: Counted, would: Counted) -> list[Row]:
    rows = []
    for flag in FLAGS:
        if study.kind == Kind.SUMMARY and WATCHER not in flag.roles:
            continue
        numbers = [(number, "; ".join(said)) for number, said in would.flagged.get(flag.key, {}).items()]
        before = len(now.flagged.get(flag.key, {}))
        rows.append(Row(flag, flag.definition(would.rules), before, len(numbers), numbers[:SHOWN]))
    return rows


def _files(study: Study) -> list[tuple[str, str, datetime]]:
    folder = tasks.folder_of(study.pk)
    there = [(name, what, folder / name) for name, what in FILES.items() if (folder / name).is_file()]
    return [(name, what, datetime.fromtimestamp(path.stat().st_mtime, UTC)) for name, what, path in there]


@allowed(Deed.COUNT)
@require_POST
def count(request: HttpRequest, pk: int) -> HttpResponse:
    """Have all dialogs, or summaries, of a study looked at and written as CSV."""
    study = get_object_or_404(Study, pk=pk)
    try:
        tasks.write_quality.delay(study.pk)
    except OperationalError:
        messages.error(request, "The task queue does not answer. Is the worker process running?")
    else:
        log.write(request, Deed.COUNT, f"quality flags of {study.name}", pk)
        messages.success(request, "The files are being written. Load this page again in a moment.")
    return redirect("quality", pk)


@allowed(Deed.LOAD)
@require_safe
def file(request: HttpRequest, pk: int, name: str) -> FileResponse:
    """Give one of the files."""
    path = tasks.folder_of(pk) / name
    if name not in FILES or not path.is_file():
        raise Http404("There is no such file; have it written first.")
    log.write(request, Deed.LOAD, name, pk)
    return FileResponse(path.open("rb"), as_attachment=True, filename=name, content_type="text/csv; charset=utf-8")


@dataclass(frozen=True)
class Text:
    """One text of a dialog, or the summary of a viewing."""

    name: str
    html: str
    flags: list[str]


@allowed(Deed.SEE)
@require_safe
def one(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show a dialog, or a summary, with the evidence of its flags marked in the texts."""
    study = get_object_or_404(Study, pk=pk)
    rules, its = rules_of(study), one_of(study, number)
    shown: Any = get_object_or_404(its.select_related("video__script"))
    workers = [writing.worker for group in read(its) for writing in group if writing.worker]
    looked = list(look(its, rules, of_workers(rows_of(study, simulated=True), workers)))
    seen = found.seen(looked, rules)
    context = {
        "study": study,
        "about": kinds.of(study.kind),
        "number": number,
        "video": shown.video,
        "writers": [
            (each.writing.role.capitalize(), each.writing.worker, found.seen([each], rules)) for each in looked
        ],
        "texts": _texts(looked, seen, shown.rounds if study.kind == Kind.DIALOG else 0),
    }
    return render(request, "desk/quality_one.html", context)


def _texts(looked: list[Looked], seen: Seen, rounds: int) -> list[Text]:
    """Return the texts in order; without rounds the first is the summary."""
    lines = sorted((line for each in looked for line in each.writing.texts), key=lambda line: line.position)
    return [
        Text(transcripts.name_of(line.position, rounds), seen.html(line.position, line.text), seen.names(line.position))
        for line in lines
    ]
