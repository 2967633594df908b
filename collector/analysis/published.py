"""What does a published file say? Reads the three shapes in which AVSD and VisDial were given out, a dialog at a time.

dstc7: {"dialogs": [{"image_id", "summary", "dialog": [{"question", "answer"}]}]}; an answer may be a list of
references, of which the first counts, or "__UNDISCLOSED__". raw: {video: {"summary", "data": {pair: [{"question",
"answer"}]}}}, where "data" may also be the list itself. visdial: {"data": {"questions": [text], "answers": [text],
"dialogs": [{"image_id", "dialog": [{"question": number, "answer": number}]}]}}. Further keys do not matter.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

import ijson
import msgspec

from collector.analysis.conversations import Conversation

UNDISCLOSED = "__UNDISCLOSED__"


class BadFile(Exception):
    """The file cannot be read as any of the shapes; the message is a sentence that says what is wrong, and where."""


class _Said(msgspec.Struct):
    question: str
    answer: str | list[str] | None = None


class _Scene(msgspec.Struct):
    image_id: str | int
    dialog: list[_Said]
    summary: str | None = None


class _RawVideo(msgspec.Struct):
    data: dict[str, list[_Said]] | list[_Said]
    summary: str | None = None


class _Numbered(msgspec.Struct):
    question: int
    answer: int | None = None


class _VisDial(msgspec.Struct):
    image_id: str | int
    dialog: list[_Numbered]


_Entry = TypeVar("_Entry")


def read(path: Path) -> Iterator[Conversation]:
    """Yield the dialogs of the file, in its order. Raises BadFile, at the first entry that is wrong."""
    try:
        with path.open("rb") as file:
            shape = _shape(file, path)
            file.seek(0)
            yield from shape(file, path)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ijson.JSONError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split()[:12])
        raise BadFile(f"{path} is not whole, valid JSON in UTF-8: {reason}.") from error


def _shape(file: BinaryIO, path: Path) -> Callable[[BinaryIO, Path], Iterator[Conversation]]:
    """Tell the shape by the first key of the top level that holds more than a plain value."""
    for prefix, event, _ in ijson.parse(file):
        if prefix == "dialogs" and event == "start_array":
            return _dstc7
        if prefix == "data" and event == "start_map":
            return _visdial
        if prefix and "." not in prefix and event == "start_map":
            return _raw
        if event in ("start_map", "map_key", "string", "number", "boolean", "null") and prefix != "item":
            continue
        if prefix == "" and event == "end_map":
            return _raw  # of no dialog
        break
    raise BadFile(
        f'{path} has none of the known shapes: dstc7 (a list "dialogs"), raw (objects by video, each with "data"), '
        'visdial ("data" with "questions", "answers" and "dialogs").'
    )


def _dstc7(file: BinaryIO, path: Path) -> Iterator[Conversation]:
    for number, entry in enumerate(ijson.items(file, "dialogs.item", use_float=True), start=1):
        scene = _checked(entry, _Scene, f"{path}, dialog {number}")
        yield Conversation(str(scene.image_id), _rounds(scene.dialog), scene.summary)


def _raw(file: BinaryIO, path: Path) -> Iterator[Conversation]:
    for video, entry in ijson.kvitems(file, "", use_float=True):
        found = _checked(entry, _RawVideo, f"{path}, video {video!r}")
        dialogs = [found.data] if isinstance(found.data, list) else list(found.data.values())
        for place, dialog in enumerate(dialogs):
            yield Conversation(video, _rounds(dialog), None if place else found.summary)


def _visdial(file: BinaryIO, path: Path) -> Iterator[Conversation]:
    texts = {}
    for name in ("questions", "answers"):
        file.seek(0)
        texts[name] = _checked(list(ijson.items(file, f"data.{name}.item")), list[str], f"{path}, {name}")
    file.seek(0)
    for number, entry in enumerate(ijson.items(file, "data.dialogs.item", use_float=True), start=1):
        where = f"{path}, dialog {number}"
        found = _checked(entry, _VisDial, where)
        rounds = tuple(
            (
                _text(said.question, texts["questions"], f"{where}, round {place}: question"),
                None
                if said.answer is None
                else _text(said.answer, texts["answers"], f"{where}, round {place}: answer"),
            )
            for place, said in enumerate(found.dialog, start=1)
        )
        yield Conversation(str(found.image_id), rounds)


def _checked(entry: object, kind: type[_Entry], where: str) -> _Entry:
    try:
        return msgspec.convert(entry, kind)
    except msgspec.ValidationError as error:
        raise BadFile(f"{where}: {error}.") from error


def _rounds(dialog: list[_Said]) -> tuple[tuple[str, str | None], ...]:
    return tuple((said.question, _disclosed(said.answer)) for said in dialog)


def _disclosed(answer: str | list[str] | None) -> str | None:
    first = (answer[0] if answer else None) if isinstance(answer, list) else answer
    return None if first == UNDISCLOSED else first


def _text(number: int, texts: list[str], where: str) -> str:
    if not 0 <= number < len(texts):
        raise BadFile(f"{where} {number} is not in its list, which has {len(texts)}.")
    return texts[number]
