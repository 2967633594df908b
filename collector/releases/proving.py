"""Is a bundle whole, does it come back, and does it name nobody? Asked of the files, before they get their place.

Checksums are those that ``sha256sum -c`` reads.
"""

import hashlib
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
from django.db import transaction
from django.db.models import QuerySet
from pyarrow.parquet import ParquetFile

from collector.exports.archives import CannotImport
from collector.exports.archiving import archive
from collector.releases.holding import CannotRelease
from collector.releases.models import Release
from collector.studies.models import Participation, Worker
from hits.models import Assignment, Hit

SUMS = "SHA256SUMS"
SHORTEST_ID = 8
"""Characters. A shorter one, or one without a digit, may well be a word or a number that has nothing to do with it."""
_TOKEN = re.compile(rf"[\w.@+-]{{{SHORTEST_ID},}}")
_PART = re.compile(rf"[\w-]{{{SHORTEST_ID},}}")
_MEDIA = "media"


def come_back(path: Path, name: str) -> None:
    """Import a file, export it again, compare, and undo it all. Raises CannotRelease unless not one byte differs."""
    try:
        with transaction.atomic():
            imported = archive(path, f"proof-{secrets.token_hex(8)}", "en", "not stated", lambda done: None)
            transaction.set_rollback(True)
    except CannotImport as error:
        raise CannotRelease(f"{name} cannot be imported again: {error} Nothing was released.") from error
    if not imported.is_identical:
        raise CannotRelease(f"{name}, imported and exported again, is not the same file. Nothing was released.")


def name_nobody(folder: Path, release: Release) -> None:
    """Raise CannotRelease when a worker's id, a HIT's, an assignment's or a completion code stands in any file."""
    ids = _ids(release)
    for path in _files(folder):
        for text in _texts(path) if path.relative_to(folder).parts[0] != _MEDIA else ():
            for token in _tokens(text):
                if token in ids:
                    raise CannotRelease(
                        f"{path.relative_to(folder)} holds {ids[token]}: somebody wrote it into a text. Redact it, "
                        f"then release again. Nothing was released."
                    )


def _ids(release: Release) -> dict[str, str]:
    """Return what no file may hold, in lower case as some formats write, with words for what it is."""
    studies = release.studies.all()
    workers = Worker.objects.filter(participations__study__in=studies)
    of_studies = Participation.objects.filter(study__in=studies)
    found: list[tuple[str, QuerySet[Any, Any]]] = [
        ("the id of worker", workers.values_list("external_id", "pk")),
        ("the id of HIT", Hit.objects.filter(recruitment__study__in=studies).values_list("external_id", "pk")),
        ("the id of assignment", Assignment.objects.filter(worker__in=workers).values_list("external_id", "pk")),
        ("the completion code of participation", of_studies.values_list("completion_code", "pk")),
    ]
    return {
        text.lower(): f"{what} {pk}"
        for what, rows in found
        for text, pk in rows
        if len(text) >= SHORTEST_ID and any(character.isdigit() for character in text)
    }


def _tokens(text: str) -> Iterator[str]:
    for found in _TOKEN.findall(text.lower()):
        yield found.strip(".@+-")
        yield from _PART.findall(found)


def _texts(path: Path) -> Iterator[str]:
    if path.suffix != ".parquet":
        with path.open(encoding="utf-8") as file:
            yield from file
        return
    with ParquetFile(path) as table:
        for batch in table.iter_batches():
            for column in batch.columns:
                if pyarrow.types.is_string(column.type):
                    yield from column.to_pylist()


def write_checksums(folder: Path) -> str:
    """Write the checksum of every file; return that of the list."""
    lines = [f"{_digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in _files(folder)]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")
    return _digest(folder / SUMS)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
