"""Which exports were made from the researcher's page? A folder each: what was asked, how far it is, and the file.

A format that is a folder becomes one zip file. Folders are named by when they were asked for, so their order is that.
"""

import hashlib
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from django.conf import settings

from collector.exports import orders
from collector.exports.formats import FORMATS
from collector.exports.orders import Asked, CannotExport
from collector.lib import clock, jobs
from collector.lib.jobs import Job

_ORDER, _FILE = "order.json", "file.json"
_NUMBER = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")


class Order(msgspec.Struct, frozen=True):
    """What was asked for, by whom."""

    asked: Asked
    by: str


class File(msgspec.Struct, frozen=True):
    """What was made: bytes, SHA-256 in hexadecimal, and what was told of it."""

    name: str
    size: int
    sha256: str
    said: list[str]
    warnings: list[str]


@dataclass(frozen=True)
class Export:
    """One export of the page."""

    number: str
    folder: Path
    order: Order
    job: Job
    file: File | None

    @property
    def removed_at(self) -> datetime:
        """Return when it is removed by itself."""
        return self.job.asked_at + timedelta(days=settings.EXPORT_DAYS)

    @property
    def command(self) -> str:
        """Return the command that does the same."""
        asked = self.order.asked
        return orders.as_command(asked, _stem(asked) if is_folder(asked) else _name(asked))

    @property
    def path(self) -> Path | None:
        """Return where its file is, once it is made."""
        return self.folder / self.file.name if self.file else None


def root() -> Path:
    """Return the folder of all exports of the page."""
    return Path(settings.MEDIA_ROOT) / "exports"


def vectors() -> dict[str, Path]:
    """Return the files of word vectors that the page offers, by name."""
    folder = Path(settings.MEDIA_ROOT) / "vectors"
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return {path.name: path for path in files if path.is_file() and not path.name.startswith(".")}


def ask(asked: Asked, by: str) -> str:
    """Note what is asked for; return its number, with which ``make`` does it. Raises CannotExport."""
    orders.check(asked)
    number = f"{clock.now():%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
    folder = root() / number
    jobs.ask(folder)
    (folder / _ORDER).write_bytes(msgspec.json.encode(Order(asked, by)))
    return number


def make(number: str) -> None:
    """Make what was asked for under this number, noting progress.

    Nothing if it was removed meanwhile, or is made: a task may come twice.
    """
    found = read(number)
    if found is None or found.file:
        return
    with jobs.running(found.folder, CannotExport) as note:
        asked, path = found.order.asked, found.folder / _name(found.order.asked)
        out = found.folder / _stem(asked) if is_folder(asked) else path
        if is_folder(asked):
            shutil.rmtree(out, ignore_errors=True)  # of a process that was killed
        told = orders.export(asked, out, _steps(note))
        if is_folder(asked):
            shutil.make_archive(str(out), "zip", found.folder, out.name)
            shutil.rmtree(out)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        said = [sentence.replace(f"{found.folder}/", "") for sentence in told.said]
        made = File(path.name, path.stat().st_size, digest, said, told.warnings)
        (found.folder / _FILE).write_bytes(msgspec.json.encode(made))


def _steps(note: jobs.Note) -> orders.Started:
    def started(steps: int) -> Callable[[int], None]:
        done = 0

        def advance(number: int) -> None:
            nonlocal done
            done += number
            note(done, steps)

        return advance

    return started


def is_folder(asked: Asked) -> bool:
    """Tell whether the format is a folder."""
    return asked.format in FORMATS and FORMATS[asked.format].is_folder


def _stem(asked: Asked) -> str:
    parts = (asked.study or "all", asked.split, asked.format if asked.format in FORMATS else "summaries")
    return "-".join(part for part in parts if part)


def _name(asked: Asked) -> str:
    """Return the name of the file."""
    if asked.format not in FORMATS:
        return f"{_stem(asked)}.{asked.format}"
    return _stem(asked) + (".zip" if is_folder(asked) else FORMATS[asked.format].suffix)


def read(number: str) -> Export | None:
    """Return the export of this number; None where there is none."""
    folder = root() / number
    if not _NUMBER.fullmatch(number) or not (job := jobs.read(folder)):
        return None
    try:
        order = msgspec.json.decode((folder / _ORDER).read_bytes(), type=Order)
        is_there = (folder / _FILE).is_file()
        file = msgspec.json.decode((folder / _FILE).read_bytes(), type=File) if is_there else None
    except (OSError, msgspec.DecodeError):
        return None
    return Export(number, folder, order, job, file)


def every() -> Iterator[Export]:
    """Yield all exports, the newest first."""
    folders = sorted(root().iterdir(), reverse=True) if root().is_dir() else []
    for folder in folders:
        if found := read(folder.name):
            yield found


def remove(number: str) -> bool:
    """Remove an export with its file; False where there is none."""
    if not _NUMBER.fullmatch(number) or not (root() / number).is_dir():
        return False
    shutil.rmtree(root() / number, ignore_errors=True)
    return True


def remove_old() -> int:
    """Remove the exports that have been kept for long enough; return how many."""
    old = [each.number for each in every() if each.removed_at <= clock.now() and not each.job.is_under_way]
    return sum(map(remove, old))
