"""What was said in these dialogs? The one way in which the layers above read dialogs.

It gives plain values, no rows, in an order that is the same on every database, holding one chunk at a time in
memory. It does not choose: which dialogs, and what becomes of the texts, is the caller's affair.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import connections
from django.db.models import Exists, OrderBy, OuterRef, QuerySet
from django.db.models.functions import Collate

from chat.models import Dialog, Utterance

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

    It takes one query, and one more for each ``chunk`` dialogs.
    """
    rows = iter(_rows(dialogs).iterator(chunk_size=chunk))
    while chunk_rows := list(islice(rows, chunk)):
        texts = _texts([row["pk"] for row in chunk_rows], dialogs.db)
        for row in chunk_rows:
            yield _transcript(row, texts.get(row["pk"], {}))


def _rows(dialogs: QuerySet[Dialog]) -> QuerySet[Dialog, Any]:
    image_id = Collate("video__image_id", _BYTE_ORDER[connections[dialogs.db].vendor])
    return dialogs.order_by(OrderBy(image_id), "-is_complete", "started_at", "pk").values(
        "pk", "study_id", "study__collection_id", "video__image_id", "video__split", "video__script__text",
        "limits", "rounds", "is_complete", "is_simulated", "started_at", "ended_at",
    )  # fmt: skip


def _texts(dialogs: list[int], database: str) -> dict[int, dict[int, str]]:
    """Return the texts of each dialog by position."""
    found: dict[int, dict[int, str]] = defaultdict(dict)
    stored = Utterance.objects.using(database).filter(dialog__in=dialogs).order_by()
    for dialog, position, text in stored.values_list("dialog_id", "position", "text"):
        found[dialog][position] = text
    return found


def _transcript(row: dict[str, Any], texts: dict[int, str]) -> Transcript:
    wanted = row["rounds"]
    answered = (number for number in range(wanted) if 2 * number + 1 in texts)
    return Transcript(
        dialog_id=row["pk"],
        study_id=row["study_id"],
        collection_id=row["study__collection_id"],
        image_id=row["video__image_id"],
        split=row["video__split"],
        script=row["video__script__text"] or "",
        language=row["limits"].get("language", ""),
        rounds_wanted=wanted,
        rounds=tuple((texts[2 * number], texts[2 * number + 1]) for number in answered),
        summary=texts.get(2 * wanted),
        is_complete=row["is_complete"],
        is_simulated=row["is_simulated"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
    )
