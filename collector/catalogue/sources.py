"""What does a list of videos say? Reads a Charades CSV or a JSON Lines manifest, one row after the other.

Plain Python: it looks at no video and no database. What cannot be used comes out as a Problem that names file, row,
column and what to do; rows are numbered by the line of the file they begin in.
"""

import csv
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, TextIO

SPLITS = ("train", "val", "test")
MAX_LINE = 1_000_000
"""Characters; a longer line is no row of a list of videos, and would fill the memory."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_ACTION = re.compile(r"(c[0-9]{3}) ([0-9]+(?:\.[0-9]+)?) ([0-9]+(?:\.[0-9]+)?)")
_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]*)?|\.[0-9]+")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_CSV_COLUMNS = ("id", "script")
_KEYS = ("id", "file", "script", "split", "length", "licence", "publishable")


class Problem(Exception):
    """Something in a source that a person has to put right."""

    def __init__(self, file: Path | str, sentence: str, row: int | None = None, column: str = "") -> None:
        super().__init__(sentence)
        place = [str(file), *([f"row {row}"] if row else []), *([f"column {column}"] if column else [])]
        self.row = row
        self.text = f"{', '.join(place)}: {sentence}"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Row:
    """One video of a source. ``file`` is relative to the folder of videos; empty when it is named by the id."""

    number: int
    image_id: str
    script: str
    file: str = ""
    split: str = ""
    length: float | None = None
    licence: str = ""
    is_publishable: bool | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def read(source: Path) -> Iterator[Row | Problem]:
    """Yield what each row of ``source`` says, or why it cannot be used. Raises Problem when none can be read."""
    try:
        with source.open(encoding="utf-8-sig", newline="") as file:
            yield from _rows(source, file)
    except UnicodeDecodeError as error:
        sentence = f"This is not UTF-8 text (byte {error.start} of a block). Save it as UTF-8."
        raise Problem(source, sentence) from None
    except OSError as error:
        raise Problem(source, f"It cannot be read: {error.strerror}. Check the name and the permissions.") from None


def _rows(source: Path, file: TextIO) -> Iterator[Row | Problem]:
    lines = _lines(source, file)
    for blank, line in enumerate(lines):
        if line.strip():
            read_rows = _manifest if line.lstrip().startswith(("{", "[")) else _charades
            yield from read_rows(source, chain([line], lines), blank)
            return
    raise Problem(source, "The file is empty. Give a Charades CSV or a JSON Lines manifest.")


def _lines(source: Path, file: TextIO) -> Iterator[str]:
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise Problem(source, f"The line is longer than {MAX_LINE} characters. Is this a list of videos?", number)
        yield line


def _manifest(source: Path, lines: Iterator[str], before: int) -> Iterator[Row | Problem]:
    for number, line in enumerate(lines, start=before + 1):
        if line.strip():
            try:
                yield _from_object(source, number, _parsed(source, number, line))
            except Problem as problem:
                yield problem


def _parsed(source: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        sentence = f"This is no JSON ({error}). Write one object a line, as in " + '{"id": "A", "script": "…"}.'
        raise Problem(source, sentence, number) from None
    if not isinstance(value, dict):
        raise Problem(source, "This is no JSON object. Write one object in braces a line.", number)
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _from_object(source: Path, number: int, value: dict[str, Any]) -> Row:
    for key in _CSV_COLUMNS:
        if key not in value:
            found = ", ".join(value) or "none"
            raise Problem(source, f"There is no {key!r} (found: {found}). Add it.", number, key)
    for key in ("id", "file", "script", "split", "licence"):
        if not isinstance(value.get(key), str | None) or (key in _CSV_COLUMNS and value[key] is None):
            raise Problem(source, f"{value[key]!r} is no text. Put it in quotes.", number, key)
    if not isinstance(value.get("publishable"), bool | None):
        raise Problem(source, f"{value['publishable']!r} is neither true nor false.", number, "publishable")
    row = Row(
        number,
        value["id"],
        value["script"],
        value.get("file") or "",
        value.get("split") or "",
        _number(source, number, "length", value.get("length")),
        value.get("licence") or "",
        value.get("publishable"),
        {key: rest for key, rest in value.items() if key not in _KEYS},
    )
    return _checked(source, row)


def _charades(source: Path, lines: Iterator[str], before: int) -> Iterator[Row | Problem]:
    reader = csv.reader(lines, strict=True)
    header: list[str] = []
    while True:
        number = before + reader.line_num + 1
        try:
            record = next(reader, None)
            if record is None:
                return
            if not header:
                header = _header(source, number, record)
            elif record:
                yield _from_record(source, number, header, record)
        except csv.Error as error:
            problem = Problem(source, f"This is no CSV ({error}). Check the quotes of this row.", number)
            if not header:
                raise problem from None
            yield problem
        except Problem as problem:
            if not header:
                raise
            yield problem


def _header(source: Path, number: int, record: list[str]) -> list[str]:
    header = [name.strip() for name in record]
    found = ", ".join(header)[:300]
    for name in _CSV_COLUMNS:
        if name not in header:
            raise Problem(
                source, f"There is no column {name!r} (found: {found}). Add it to the first row.", number, name
            )
    if twice := sorted({name for name in header if header.count(name) > 1}):
        raise Problem(source, "Two columns have this name. Rename one.", number, twice[0])
    return header


def _from_record(source: Path, number: int, header: list[str], record: list[str]) -> Row:
    if len(record) != len(header):
        sentence = f"It has {len(record)} columns, the first row has {len(header)}. Check its commas and quotes."
        raise Problem(source, sentence, number)
    value = dict(zip(header, record, strict=True))
    length = _number(source, number, "length", value.pop("length", "") or None)
    row = Row(
        number,
        value.pop("id"),
        value.pop("script"),
        split=value.pop("split", ""),
        length=length,
        licence=value.pop("licence", ""),
        metadata=_metadata(source, number, value, length),
    )
    return _checked(source, row)


def _metadata(source: Path, number: int, value: dict[str, str], length: float | None) -> dict[str, Any]:
    """Return the other columns: ratings as numbers, objects and actions as lists, the rest as it was said."""
    data: dict[str, Any] = dict(value)
    for name in ("quality", "relevance"):
        if name in value:
            rating = _number(source, number, name, value[name] or None)
            data[name] = int(rating) if rating is not None and rating.is_integer() else rating
    if "objects" in value:
        data["objects"] = [part.strip() for part in value["objects"].split(";") if part.strip()]
    if "actions" in value:
        data["actions"], unusable = _actions(source, number, value["actions"], length)
        if unusable:
            data["unusable_actions"] = unusable
    return data


def _actions(source: Path, number: int, text: str, length: float | None) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the actions with their seconds, cut at the video's end, and apart those that would last no time."""
    actions, unusable = [], []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        match = _ACTION.fullmatch(part)
        if match is None:
            sentence = f"{part[:60]!r} is no action. Write class, start and end, as in 'c012 1.50 7.25'."
            raise Problem(source, sentence, number, "actions")
        start, end = float(match[2]), float(match[3])
        if length is not None:
            end = min(end, length)
        if start < end:
            actions.append({"class": match[1], "start": start, "end": end})
        else:
            unusable.append(part)
    return actions, unusable


def _number(source: Path, number: int, column: str, value: Any) -> float | None:
    """Return a finite number above zero; None stays None."""
    if value is None:
        return None
    if isinstance(value, bool) or not _NUMBER.fullmatch(str(value).strip()) or not 0 < float(value) < math.inf:
        raise Problem(source, f"{str(value)[:60]!r} is no number above 0. Write it as in 12.5.", number, column)
    return float(value)


def _checked(source: Path, row: Row) -> Row:
    """Return ``row`` when its id, script, split and file name can be used. Raises Problem."""
    number = row.number
    if not _ID.fullmatch(row.image_id):
        sentence = (
            f"{row.image_id[:80]!r} cannot be an id. Use up to 64 letters, digits, '_', '-' and '.', and no path."
        )
        raise Problem(source, sentence, number, "id")
    if not row.script.strip():
        raise Problem(source, "The script is empty. Write what happens in the video.", number, "script")
    if row.split and row.split not in SPLITS:
        raise Problem(source, f"{row.split[:60]!r} is no split. Use {', '.join(SPLITS)}.", number, "split")
    path = PurePosixPath(row.file.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in row.file:
        sentence = f"{row.file[:80]!r} leads out of the folder of videos. Give a name inside it."
        raise Problem(source, sentence, number, "file")
    if len(row.licence) > 100:
        raise Problem(source, "The licence is longer than 100 characters. Give its short name.", number, "licence")
    for column, value in (("script", row.script), ("file", row.file), ("licence", row.licence), *row.metadata.items()):
        if not _is_storable(column) or not _is_storable(value):
            sentence = "It holds a NUL or half a character, which cannot be stored. Remove it."
            raise Problem(source, sentence, number, column if _is_storable(column) else "")
    return row


def _is_storable(value: Any) -> bool:
    if isinstance(value, str):
        return not _UNSTORABLE.search(value)
    if isinstance(value, dict):
        return all(_is_storable(key) and _is_storable(item) for key, item in value.items())
    return all(map(_is_storable, value)) if isinstance(value, list) else True
