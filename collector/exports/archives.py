"""What dialogs does a file hold that somebody exported? Reads ``dstc7``, ``raw`` and ``jsonl``; stores nothing.

What a file does not say is not made up: there are no times of texts in ``dstc7`` and ``raw``, no people, no splits in
``dstc7``. Each dialog keeps in ``origin`` what its file said beside the texts, so that it can leave as it came.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

FORMATS = ("dstc7", "raw", "jsonl")
_Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*\Z", max_length=64)]
_Split = Literal["", "train", "val", "test"]
_Aware = Annotated[datetime, Meta(tz=True)]
_Number = Annotated[int, Meta(ge=1, le=1000)]


class CannotImport(Exception):
    """The file cannot be read; the message is a sentence that says what is wrong where."""


class _Turn(Struct):
    question: str
    answer: str


class _Scene(Struct):
    image_id: _Id
    dialog: list[_Turn]
    caption: str = ""
    summary: str = ""


class _Dstc7(Struct):
    type: Literal["scene_aware_dialog"]
    dialogs: list[_Scene]


class _RawTurn(Struct):
    question: str
    answer: str | None = None


class _RawVideo(Struct):
    summary: str
    script: str
    split: _Split
    data: dict[str, list[_RawTurn]]


class _Row(Struct):
    """The columns of ``rows.COLUMNS``."""

    image_id: _Id
    split: _Split
    study: str
    dialog: str
    round: _Number
    rounds: _Number
    question: str
    answer: str
    summary: str
    script: str
    language: str
    questioner: str
    answerer: str
    asked_at: _Aware
    answered_at: _Aware
    started_at: _Aware
    ended_at: _Aware
    is_complete: bool
    is_simulated: bool
    duration: float
    has_sound: bool
    frames: int = 0


@dataclass(frozen=True)
class Said:
    """A round; the answer is None where the file has none, times where it says none."""

    question: str
    answer: str | None
    asked_at: datetime | None = None
    answered_at: datetime | None = None


@dataclass(frozen=True)
class Archived:
    """A dialog of a file. ``language`` and the times are None where the file says none."""

    image_id: str
    rounds: list[Said]
    summary: str
    origin: dict[str, Any]
    rounds_wanted: int
    is_complete: bool = True
    is_simulated: bool = False
    language: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


def read(path: Path) -> tuple[str, Iterator[Archived]]:
    """Return the format of the file and its dialogs as they come. Raises CannotImport, also while they come."""
    try:
        with path.open("rb") as file:
            first = file.readline()
        if b'"round"' in first and first.rstrip().endswith(b"}"):
            return "jsonl", _jsonl(path)
        content = path.read_bytes()
    except OSError as error:
        raise CannotImport(f"{path} cannot be read: {error.strerror or error}.") from error
    if not content.strip():
        raise CannotImport(f"{path} holds no dialog.")
    if b'"scene_aware_dialog"' in content[:2000] or b'"scene_aware_dialog"' in content[-2000:]:
        return "dstc7", _dstc7(path, _decoded(path, content, _Dstc7))
    if b'"answer_options"' in content:
        raise CannotImport(
            f"{path} is a file of answers to rank: it has no summaries, and normalised texts. Import the dialogs from "
            f"one of {', '.join(FORMATS)}."
        )
    return "raw", _raw(path, _decoded(path, content, dict[_Id, _RawVideo]))


_Type = TypeVar("_Type")


def _decoded(path: Path, content: bytes, type: type[_Type], where: str = "") -> _Type:
    try:
        return msgspec.json.decode(content, type=type)
    except msgspec.ValidationError as error:
        raise CannotImport(f"{path}{where}: {error}. Formats: {', '.join(FORMATS)}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CannotImport(f"{path}{where} is not JSON: {error}.") from error


def _origin(form: str, **said: Any) -> dict[str, Any]:
    nothing = {
        "script": "", "split": "", "study": "", "pair": "", "questioner": "", "answerer": "", "duration": 0.0,
        "has_sound": False,
    }  # fmt: skip
    return {"format": form} | nothing | said


def _dstc7(path: Path, content: _Dstc7) -> Iterator[Archived]:
    seen = set()
    for scene in content.dialogs:
        if scene.image_id in seen:
            raise CannotImport(f"{path}: the video {scene.image_id} stands twice; this format has one dialog a video.")
        seen.add(scene.image_id)
        rounds = [Said(turn.question, turn.answer) for turn in scene.dialog]
        origin = _origin("dstc7", script=scene.caption)
        yield Archived(scene.image_id, rounds, scene.summary, origin, len(rounds))


def _raw(path: Path, content: dict[str, _RawVideo]) -> Iterator[Archived]:
    for video, entry in content.items():
        summary = entry.summary  # the format has one a video, that of its first dialog
        for pair, turns in entry.data.items():
            rounds = [Said(turn.question, turn.answer) for turn in turns]
            answered = [turn.answer is not None for turn in turns]
            if answered != sorted(answered, reverse=True):
                raise CannotImport(f"{path}, video {video}, {pair}: a round without an answer has others after it.")
            origin = _origin("raw", script=entry.script, split=entry.split, pair=pair)
            yield Archived(video, rounds, summary, origin, len(rounds), all(answered))
            summary = ""


def _jsonl(path: Path) -> Iterator[Archived]:
    seen = set()
    for key, group in groupby(_rows(path), key=lambda row: (row.image_id, row.study, row.dialog)):
        rows = list(group)
        if key in seen or [row.round for row in rows] != list(range(1, len(rows) + 1)):
            raise CannotImport(
                f"{path}: the rows of the dialog {key[2]!r} about {key[0]} do not stand together, from round 1 up."
            )
        seen.add(key)
        yield _from_rows(rows)


def _rows(path: Path) -> Iterator[_Row]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            yield _decoded(path, line, _Row, f", line {number}")


def _from_rows(rows: list[_Row]) -> Archived:
    first = rows[0]
    return Archived(
        image_id=first.image_id,
        rounds=[Said(row.question, row.answer, row.asked_at, row.answered_at) for row in rows],
        summary=first.summary,
        origin=_origin(
            "jsonl", script=first.script, split=first.split, study=first.study, pair=first.dialog,
            questioner=first.questioner, answerer=first.answerer, duration=first.duration, has_sound=first.has_sound,
            frames=first.frames,
        ),
        rounds_wanted=first.rounds,
        is_complete=first.is_complete,
        is_simulated=first.is_simulated,
        language=first.language,
        started_at=first.started_at,
        ended_at=first.ended_at,
    )  # fmt: skip
