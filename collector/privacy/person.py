"""What do we have about one worker? All rows that lead to them, as plain files in one archive, for them to read.

What the partner of a dialog wrote is the partner's, and is not in it.
"""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.core import serializers
from django.db.models import Model, Q, QuerySet

from chat.models import DialogEvent, Report, Role, Seat, Utterance, UtteranceRedaction
from collector.accounts.models import LogLine
from collector.learning.models import Lesson
from collector.lib import clock
from collector.relevance.models import Judging
from collector.studies import kept
from collector.studies.models import Exclusion, MetPartner, Participation, SeenVideo, Worker
from collector.summaries.models import Summary, SummaryRedaction, VideoReport, Viewing, ViewingTakenOut
from hits.models import (
    Assignment,
    Block,
    Compensation,
    Feedback,
    LedgerEntry,
    Letter,
    Mark,
    Message,
    Note,
    SecondOpinion,
    Settlement,
    Withdrawal,
)

PATHS: dict[type[Model], str] = {
    Worker: "pk",
    Participation: "worker",
    Lesson: "participation__worker",
    Seat: "worker",
    DialogEvent: "seat__worker",
    Report: "seat__worker",
    Viewing: "participation__worker",
    ViewingTakenOut: "viewing__participation__worker",
    VideoReport: "viewing__participation__worker",
    Summary: "viewing__participation__worker",
    SummaryRedaction: "summary__viewing__participation__worker",
    Judging: "viewing__participation__worker",
    SeenVideo: "worker",
    Exclusion: "worker",
    Assignment: "worker",
    SecondOpinion: "assignment__worker",
    Compensation: "worker",
    LedgerEntry: "worker",
    Settlement: "participation__worker",
    Feedback: "participation__worker",
    Letter: "worker",
    Message: "worker",
    Note: "worker",
    Mark: "worker",
    Block: "worker",
    Withdrawal: "participation__worker",
}
"""How each table leads to a worker; a test holds that none is forgotten."""
APART = (Utterance, UtteranceRedaction, MetPartner)
"""What leads to two people; of it the half is taken that is theirs."""


def utterances_of(worker: Worker) -> QuerySet[Utterance]:
    """Return what they wrote in dialogs: questions have even positions, answers odd ones, the summary is the last."""
    said = Utterance.objects.none()
    for pk, role, rounds in Seat.objects.filter(worker=worker, dialog__isnull=False).values_list(
        "dialog", "role", "dialog__rounds"
    ):
        said = said | Utterance.objects.filter(dialog=pk, position__in=_positions(Role(role), rounds))
    return said


def _positions(role: Role, rounds: int) -> list[int]:
    return [*range(0, 2 * rounds, 2), 2 * rounds] if role == Role.QUESTIONER else list(range(1, 2 * rounds, 2))


def tables(worker: Worker) -> Iterator[tuple[str, QuerySet[Any]]]:
    """Yield the name of each table with the rows that are about a worker."""
    said = utterances_of(worker)
    parts = UtteranceRedaction.objects.filter(utterance__in=list(said.values_list("pk", flat=True)))
    met = MetPartner.objects.filter(Q(first=worker) | Q(second=worker))
    for model, path in PATHS.items():
        yield str(model._meta.verbose_name_plural), model._default_manager.filter(**{path: worker.pk})
    yield "utterances", said
    yield "utterance redactions", parts
    yield "met partners", met
    yield "log lines", LogLine.objects.filter(Q(what=str(worker)) | Q(what__endswith=f"of {worker}"))


def archive(worker: Worker) -> bytes:
    """Return a zip: README.txt, and a JSON file a table; ids and texts are in plain, so it is for that worker alone."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        lines = []
        for name, rows in tables(worker):
            found = list(rows.order_by("pk"))
            lines.append(f"{name.replace(' ', '_')}.json: {len(found)} rows")
            file.writestr(f"{name.replace(' ', '_')}.json", serializers.serialize("json", found, indent=2))
        file.writestr("README.txt", _readme(worker, lines))
    return packed.getvalue()


def _readme(worker: Worker, lines: list[str]) -> str:
    rules = "\n".join(f"- {what} {why} Kept: {until}" for what, why, until in kept.of_workers())
    files = "\n".join(lines)
    return (
        f"All that is stored about {worker}, taken on {clock.now():%Y-%m-%d %H:%M} UTC.\n\n"
        "Each file holds the rows of one table. Numbers such as `worker` and `study` are ours. What partners wrote is\n"
        f"theirs, and not in here.\n\n{files}\n\nWhat is kept, why, and for how long:\n{rules}\n"
    )


def models_about_workers() -> set[type[Model]]:
    """Return every model with a relation that leads, in however many steps, to a worker."""
    found: set[type[Model]] = {Worker}
    while more := {
        model
        for model in apps.get_models()
        if model not in found and any(field.related_model in found for field in model._meta.fields if field.is_relation)
    }:
        found |= more
    return found
