"""What did each worker write, and how? Dialogs and summaries as plain values, a chunk of them in memory at a time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.db.models import QuerySet

from chat.models import Dialog, Role, Seat, Utterance
from collector.studies.models import Kind, Study
from collector.summaries.models import Viewing

CHUNK = 500
"""Dialogs, or viewings, held in memory at once."""
WATCHER = "watcher"
Rows = QuerySet[Dialog] | QuerySet[Viewing]


@dataclass(frozen=True, slots=True)
class Line:
    """One text, in its place in the dialog."""

    position: int
    text: str
    read: str
    """What the partner had written before, and the worker had to read; empty where there is none."""
    seconds: float | None
    """From when it was the worker's turn until the text was stored; None where it is not known."""
    evidence: dict[str, Any]
    """How it was written, see chat.protocol.Evidence; empty where the study keeps none."""


@dataclass(frozen=True, slots=True)
class Writing:
    """All that one worker wrote in one dialog, or about one video."""

    number: int
    """Of the dialog; in a summary study, of the viewing."""
    worker: int | None
    """None of an imported dialog."""
    role: str
    language: str
    script: str
    lines: tuple[Line, ...]
    """Questions, or answers, in order."""
    summary: Line | None

    @property
    def texts(self) -> tuple[Line, ...]:
        """Return all of them, the summary last."""
        return (*self.lines, self.summary) if self.summary else self.lines


def rows_of(study: Study, *, simulated: bool = False) -> Rows:
    """Return the dialogs that have ended, or the summaries' viewings, that are in the data, the newest first."""
    rows: Rows
    if study.kind == Kind.SUMMARY:
        viewings = Viewing.objects.in_data().filter(participation__study=study, summary__isnull=False)
        rows = viewings if simulated else viewings.filter(participation__is_simulated=False)
    else:
        dialogs = Dialog.objects.in_data().filter(study=study, ended_at__isnull=False)
        rows = dialogs if simulated else dialogs.filter(is_simulated=False)
    return rows.order_by("-pk")


def one_of(study: Study, number: int) -> Rows:
    """Return the dialog, or the viewing, of this number, be it in the data or not; none if it is another study's."""
    if study.kind == Kind.SUMMARY:
        return Viewing.objects.filter(participation__study=study, summary__isnull=False, pk=number)
    return Dialog.objects.filter(study=study, ended_at__isnull=False, pk=number)


def of_workers(rows: Rows, workers: Iterable[int]) -> Rows:
    """Return those of ``rows`` in which one of the workers took part."""
    path = "participation__worker" if rows.model is Viewing else "seats__worker"
    return rows.filter(**{f"{path}__in": list(workers)}).distinct()


def read(rows: Rows) -> Iterator[list[Writing]]:
    """Yield for each dialog what its Questioner and its Answerer wrote, for each viewing the one summary."""
    return _of_viewings(rows) if rows.model is Viewing else _of_dialogs(rows)


def _of_dialogs(dialogs: QuerySet[Any]) -> Iterator[list[Writing]]:
    names = ("pk", "rounds", "limits", "started_at", "origin", "video__script__text", "study__keeps_evidence")
    rows = iter(dialogs.values(*names).iterator(chunk_size=CHUNK))
    while chunk := list(islice(rows, CHUNK)):
        numbers = [row["pk"] for row in chunk]
        seats = Seat.objects.filter(dialog__in=numbers).values_list("dialog_id", "role", "worker_id")
        workers = {(dialog, role): worker for dialog, role, worker in seats}
        said: defaultdict[int, list[Utterance]] = defaultdict(list)
        for each in Utterance.objects.filter(dialog__in=numbers).only(*_SAID).iterator(chunk_size=10_000):
            said[each.dialog_id].append(each)
        for row in chunk:
            yield _dialog(row, said[row["pk"]], workers)


_SAID = ("dialog_id", "position", "text", "stored_at", "evidence")


def _dialog(row: dict[str, Any], said: list[Utterance], workers: dict[tuple[int, str], int]) -> list[Writing]:
    texts = {each.position: each for each in said}
    keeps_evidence = row["study__keeps_evidence"]
    is_imported = row["origin"] is not None
    started_at = None if is_imported else row["started_at"]
    lines = [_line(each, texts.get(each.position - 1), started_at, keeps_evidence) for each in said]
    script = row["origin"]["script"] if is_imported else row["video__script__text"] or ""
    language, last = row["limits"].get("language", "en"), 2 * row["rounds"]
    return [
        Writing(
            row["pk"],
            workers.get((row["pk"], role)),
            role,
            language,
            script,
            tuple(each for each in lines if each.position < last and each.position % 2 == parity),
            next((each for each in lines if each.position == last and parity == 0), None),
        )
        for parity, role in enumerate((Role.QUESTIONER.value, Role.ANSWERER.value))
    ]


def _line(said: Utterance, before: Utterance | None, started_at: datetime | None, keeps_evidence: bool) -> Line:
    """Read one text; ``started_at`` is None of an imported dialog, whose times are not those of its writing."""
    since = before.stored_at if before else started_at if said.position == 0 else None
    seconds = (said.stored_at - since).total_seconds() if started_at and since else None
    evidence = said.evidence if keeps_evidence else {}
    return Line(said.position, said.text, before.text if before else "", seconds, evidence)


def _of_viewings(viewings: QuerySet[Any]) -> Iterator[list[Writing]]:
    related = ("participation__version", "participation__study", "video__script", "summary")
    for each in viewings.select_related(*related).iterator(chunk_size=CHUNK):
        written, part = each.summary, each.participation
        seconds = (written.stored_at - each.watched_at).total_seconds() if each.watched_at else None
        line = Line(0, written.text, "", seconds, written.evidence if part.study.keeps_evidence else {})
        script = getattr(each.video, "script", None)
        language = part.version.content.get("language", "en")
        yield [Writing(each.pk, part.worker_id, WATCHER, language, script.text if script else "", (), line)]
