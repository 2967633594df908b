"""How do the dialogs of a file become a study? One that is closed, has nobody in it, and is exported when named.

Videos that the catalogue does not have get a row without a file, which no study gives to workers.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

import msgspec
from django.db import transaction

from chat import transcripts
from chat.models import Dialog, Utterance
from chat.protocol import Limits
from collector.catalogue.models import Video
from collector.exports import avsd, rows
from collector.exports.archives import Archived, CannotImport, read
from collector.exports.avsd import Tally
from collector.lib import clock
from collector.studies.models import Collection, Outcome, State, Study

CHUNK = 1000
"""Dialogs stored at once."""
PIECES: dict[str, Callable[..., Iterator[str]]] = {"dstc7": avsd.dstc7, "raw": avsd.raw, "jsonl": rows.jsonl}


@dataclass
class Imported:
    """What came of an import."""

    form: str
    dialogs: int = 0
    new_videos: int = 0
    is_identical: bool = False
    """An export in the same format is the file, byte for byte."""


@transaction.atomic
def archive(path: Path, slug: str, language: str, licence: str, advance: Callable[[int], None]) -> Imported:
    """Store the dialogs of the file as a new study. Raises CannotImport, and then nothing is stored."""
    if Study.objects.filter(slug=slug).exists():
        raise CannotImport(f"There is a study {slug!r} already. Give --study another short name.")
    form, archived = read(path)
    study = _study(path, slug, language, licence)
    imported = Imported(form)
    while chunk := list(islice(archived, CHUNK)):
        imported.new_videos += _store(study, chunk, language)
        imported.dialogs += len(chunk)
        advance(len(chunk))
    if not imported.dialogs:
        raise CannotImport(f"{path} holds no dialog.")
    dialogs = transcripts.read(Dialog.objects.filter(study=study))
    imported.is_identical = _is_the_same(path, PIECES[form](dialogs, Tally()))
    return imported


def _study(path: Path, slug: str, language: str, licence: str) -> Study:
    name = f"Archive {slug}"
    if Study.objects.filter(name=name).exists() or Collection.objects.filter(name=name).exists():
        raise CannotImport(f"There is a study or a collection {name!r} already. Give --study another short name.")
    return Study.objects.create(
        collection=Collection.objects.create(name=name), name=name, slug=slug, state=State.CLOSED, language=language,
        text_licence=licence, purpose=f"Imported from {path.name}.", created_at=clock.now(),
    )  # fmt: skip


def _store(study: Study, chunk: list[Archived], language: str) -> int:
    """Store some dialogs; return how many videos are new."""
    videos, new = _videos(chunk)
    now = clock.now()
    dialogs = Dialog.objects.bulk_create(_dialog(study, videos[each.image_id], each, language, now) for each in chunk)
    Utterance.objects.bulk_create(
        (
            Utterance(
                dialog=dialog, position=position, version=position + 2, key=f"import-{position}", text=_storable(text),
                stored_at=at or now,
            )
            for dialog, each in zip(dialogs, chunk, strict=True)
            for position, text, at in _texts(each)
        ),
        batch_size=5000,
    )  # fmt: skip
    return new


def _videos(chunk: Iterable[Archived]) -> tuple[dict[str, Video], int]:
    ids = {each.image_id: each for each in chunk}
    there = set(Video.objects.filter(image_id__in=ids).values_list("image_id", flat=True))
    now = clock.now()
    # Without a split: a study of a split takes all videos of it.
    Video.objects.bulk_create(
        Video(
            image_id=image_id, size=0, duration=each.origin["duration"], width=0, height=0,
            has_sound=each.origin["has_sound"], is_playable=False, created_at=now, updated_at=now,
            playable_note="There is no file, only imported dialogs about it. To give it to workers, import the video.",
        )
        for image_id, each in ids.items()
        if image_id not in there
    )  # fmt: skip
    return {video.image_id: video for video in Video.objects.filter(image_id__in=ids)}, len(ids) - len(there)


def _dialog(study: Study, video: Video, archived: Archived, language: str, now: datetime) -> Dialog:
    limits = Limits(language=language if archived.language is None else archived.language)
    for text in (value for value in archived.origin.values() if isinstance(value, str)):
        _storable(text)
    return Dialog(
        study=study,
        video=video,
        is_simulated=archived.is_simulated,
        is_counted=archived.is_complete and not archived.is_simulated,
        rounds=archived.rounds_wanted,
        limits=msgspec.to_builtins(limits),
        version=2 * len(archived.rounds) + 2,
        started_at=archived.started_at or now,
        ended_at=archived.ended_at or now,
        is_complete=archived.is_complete,
        ended_why=Outcome.COMPLETE if archived.is_complete else Outcome.LEFT,
        origin=archived.origin,
    )


def _texts(archived: Archived) -> Iterator[tuple[int, str, datetime | None]]:
    """Yield position, text and time of each utterance."""
    for number, said in enumerate(archived.rounds):
        yield 2 * number, said.question, said.asked_at
        if said.answer is not None:
            yield 2 * number + 1, said.answer, said.answered_at
    if archived.summary:
        yield 2 * archived.rounds_wanted, archived.summary, archived.ended_at


def _storable(text: str) -> str:
    if "\x00" in text:
        raise CannotImport(f"A text holds a NUL character, which no database stores: {text[:80]!r}.")
    return text


def _is_the_same(path: Path, pieces: Iterable[str]) -> bool:
    with path.open("rb") as file:
        for piece in pieces:
            written = piece.encode()
            if file.read(len(written)) != written:
                return False
        return not file.read(1)
