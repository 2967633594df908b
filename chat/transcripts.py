"""What was said in these dialogs? The one way in which the layers above read dialogs.

It gives plain values, no rows, in an order that is the same on every database, holding one chunk at a time in
memory, with what a person has redacted replaced. It does not choose which dialogs: see ``Dialog.objects.in_data``.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import connections
from django.db.models import Exists, IntegerField, OrderBy, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Collate

from chat.models import Dialog, Role, Seat, Utterance, UtteranceRedaction
from collector.studies import versions
from collector.studies.redacting import parts_by_text, redacted

CHUNK = 500
"""Dialogs held in memory at once; some 300 kB of text at ten rounds."""
# Byte order: a database's own collation sorts "a1" and "A1" by the locale of its server.
_BYTE_ORDER = {"sqlite": "BINARY", "postgresql": "C"}


@dataclass(frozen=True, slots=True)
class Transcript:
    """A dialog as said: ``rounds`` are the answered ones, ``summary`` is None when there is none."""

    dialog_id: int
    study_id: int
    collection_id: int
    image_id: str
    split: str
    script: str
    language: str
    rounds_wanted: int
    rounds: tuple[tuple[str, str], ...]
    summary: str | None
    is_complete: bool
    is_simulated: bool
    started_at: datetime
    ended_at: datetime | None
    study: str
    """The short name of the study."""
    duration: float
    """Seconds of the video."""
    has_sound: bool
    frames: int
    """How many the Questioner saw; 0 where the file of an imported dialog does not say it."""
    questioner_id: int | None
    answerer_id: int | None
    times: tuple[tuple[datetime, datetime], ...]
    """When the question and the answer of each round were stored."""
    origin: dict[str, Any] | None = None
    """What the file said that it was imported from; None for a dialog that was held here."""


def with_all_rounds(dialogs: QuerySet[Dialog]) -> QuerySet[Dialog]:
    """Return those of ``dialogs`` whose last round is answered, with or without a summary."""
    return dialogs.filter(Exists(_at_position(OuterRef("rounds") * 2 - 1)))


def without_summary(dialogs: QuerySet[Dialog]) -> QuerySet[Dialog]:
    """Return those of ``dialogs`` that hold no summary."""
    return dialogs.filter(~Exists(_at_position(OuterRef("rounds") * 2)))


def _at_position(position: Any) -> QuerySet[Utterance]:
    return Utterance.objects.filter(dialog=OuterRef("pk"), position=position)


def read(dialogs: QuerySet[Dialog], chunk: int = CHUNK) -> Iterator[Transcript]:
    """Yield the transcripts of ``dialogs``, ordered by video; of a video complete ones first, then by start.

    It takes one query, and two more for each ``chunk`` dialogs.
    """
    rows = iter(_rows(dialogs).iterator(chunk_size=chunk))
    while chunk_rows := list(islice(rows, chunk)):
        texts = _texts([row["pk"] for row in chunk_rows], dialogs.db)
        for row in chunk_rows:
            yield _transcript(row, texts.get(row["pk"], {}))


def texts_of(dialog: Dialog) -> dict[int, tuple[str, datetime]]:
    """Return all that one dialog holds, a last question without an answer included: by position, text and time."""
    return _texts([dialog.pk], "default").get(dialog.pk, {})


def name_of(position: int, rounds: int) -> str:
    """Return what the utterance at a position is, such as: Answer 3."""
    if position == 2 * rounds:
        return "Summary"
    return f"{'Answer' if position % 2 else 'Question'} {position // 2 + 1}"


# Cast, since not every database gives a number within JSON as a number through a subquery.
_FRAMES = Cast(KeyTextTransform("frames_shown", "participation__version__content"), IntegerField())


def _rows(dialogs: QuerySet[Dialog]) -> QuerySet[Dialog, Any]:
    image_id = Collate("video__image_id", _BYTE_ORDER[connections[dialogs.db].vendor])
    return dialogs.order_by(OrderBy(image_id), "-is_complete", "started_at", "pk").values(
        "pk", "study_id", "study__slug", "study__collection_id", "video__image_id", "video__split",
        "video__script__text", "video__duration", "video__has_sound", "limits", "rounds", "is_complete",
        "is_simulated", "started_at", "ended_at", "origin",
        questioner=_of_seat(Role.QUESTIONER, "worker"), answerer=_of_seat(Role.ANSWERER, "worker"),
        frames=_of_seat(Role.QUESTIONER, _FRAMES),
    )  # fmt: skip


def _of_seat(role: Role, name: str | Cast) -> Subquery:
    return Subquery(Seat.objects.filter(dialog=OuterRef("pk"), role=role).values_list(name))


def _texts(dialogs: list[int], database: str) -> dict[int, dict[int, tuple[str, datetime]]]:
    """Return the texts of each dialog by position, redacted, and when they were stored."""
    redactions = UtteranceRedaction.objects.using(database).filter(utterance__dialog__in=dialogs)
    parts = parts_by_text(redactions, "utterance")
    found: dict[int, dict[int, tuple[str, datetime]]] = defaultdict(dict)
    stored = Utterance.objects.using(database).filter(dialog__in=dialogs).order_by()
    for pk, dialog, position, text, at in stored.values_list("pk", "dialog_id", "position", "text", "stored_at"):
        found[dialog][position] = redacted(text, parts.get(pk, ())), at
    return found


def _transcript(row: dict[str, Any], stored: dict[int, tuple[str, datetime]]) -> Transcript:
    wanted = row["rounds"]
    answered = [number for number in range(wanted) if 2 * number + 1 in stored]
    summary = stored.get(2 * wanted)
    origin = row["origin"]
    # An imported dialog keeps what its file said of the video, whatever the catalogue says today.
    said = origin or {
        "study": row["study__slug"],
        "split": row["video__split"],
        "script": row["video__script__text"] or "",
        "duration": row["video__duration"],
        "has_sound": row["video__has_sound"],
        "frames": row["frames"] or versions.DEFAULTS["frames_shown"],
    }
    return Transcript(
        dialog_id=row["pk"],
        study_id=row["study_id"],
        collection_id=row["study__collection_id"],
        image_id=row["video__image_id"],
        split=said["split"],
        script=said["script"],
        language=row["limits"].get("language", ""),
        rounds_wanted=wanted,
        rounds=tuple((stored[2 * number][0], stored[2 * number + 1][0]) for number in answered),
        summary=summary[0] if summary else None,
        is_complete=row["is_complete"],
        is_simulated=row["is_simulated"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        study=said["study"],
        duration=said["duration"],
        has_sound=said["has_sound"],
        frames=said.get("frames", 0),
        questioner_id=row["questioner"],
        answerer_id=row["answerer"],
        times=tuple((stored[2 * number][1], stored[2 * number + 1][1]) for number in answered),
        origin=origin,
    )
