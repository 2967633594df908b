"""How does a whole list of videos get into the catalogue? Check every row, prepare every file, then write at once.

Rows are checked before any video is decoded, and files are prepared before anything is written: the transaction is
short, so a running product is not held up. What was prepared waits on disk, so memory does not grow with the list.
"""

import pickle
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from django.db import transaction

from collector.catalogue import converting, storing
from collector.catalogue.models import Video
from collector.catalogue.preparing import Prepared, prepare_all
from collector.catalogue.probing import Reason, Unreadable, begins_at_once
from collector.catalogue.sources import Problem, Row, read
from collector.catalogue.transcoding import Failed

SUFFIXES = (".mp4", ".webm", ".m4v", ".mov", ".mkv", ".avi")
"""What a video named by its id may end in, the first that exists is taken."""
SCENES = (
    "basement", "bathroom", "bedroom", "closet", "dining room", "entryway", "garage", "hallway", "home office",
    "kitchen", "laundry room", "living room", "pantry", "recreation room", "stairs",
)  # fmt: skip
_SCENE_WORDS = re.compile(rf"\b({'|'.join(SCENES)})\b")
_ENOUGH_SCENES = 20  # fewer rows say nothing about a file
_LOW_AGREEMENT = 0.5  # true scenes agree in about eight of ten rows, scrambled ones in one of ten


class Refused(Exception):
    """Nothing was imported; the text says why."""


@dataclass
class SceneCheck:
    """Does the ``scene`` column fit the scripts? One release of Charades has it scrambled."""

    compared: int = 0
    agreed: int = 0

    def add(self, row: Row) -> None:
        """Count a row whose script names exactly one scene."""
        named = set(_SCENE_WORDS.findall(row.script.lower()))
        scene = row.metadata.get("scene")
        if len(named) == 1 and isinstance(scene, str) and scene:
            self.compared += 1
            self.agreed += named.pop() in scene.lower()

    @property
    def warning(self) -> str:
        """What to tell the researcher, or nothing."""
        if self.compared < _ENOUGH_SCENES or self.agreed >= self.compared * _LOW_AGREEMENT:
            return ""
        share = round(100 * self.agreed / self.compared)
        return (
            f"The column scene fits the script in only {share} % of the {self.compared} rows whose script names one "
            "scene: it is probably scrambled in this copy. Do not select videos by it."
        )


@dataclass
class Report:
    """What an import did. ``problems`` counts the rows that cannot be used; each was told as it was found."""

    rows: int = 0
    added: int = 0
    updated: int = 0
    problems: int = 0
    converted: int = 0
    """How many are copies that were made because browsers do not play the file."""
    late: int = 0
    """How many of the new and changed files a player must have to the end before it begins."""
    scenes: SceneCheck = field(default_factory=SceneCheck)


@dataclass(frozen=True)
class Listener:
    """Who hears what goes on: problems, warnings, notes, and steps of a phase or a file (name, done, in all)."""

    problem: Callable[[str], None] = lambda text: None
    warning: Callable[[str], None] = lambda text: None
    note: Callable[[str], None] = lambda text: None
    progress: Callable[[str, int, int | None], None] = lambda phase, done, total: None


def import_videos(
    source: Path,
    videos: Path,
    *,
    split: str = "",
    is_dry_run: bool = False,
    skips_bad: bool = False,
    transcodes: bool = False,
    listener: Listener = Listener(),
) -> Report:
    """Import the list ``source`` of files in the folder ``videos``; ``split`` holds for rows that name none.

    A dry run checks and decodes everything and writes nothing. What browsers do not play is converted where
    ``transcodes``, else it is a row that cannot be used. Raises Refused when a row cannot be used, unless
    ``skips_bad``, and when nothing can.
    """
    if not videos.is_dir():
        raise Refused(f"{videos} is no folder. Give the folder of the videos with --videos.")
    run = _Run(source, videos, split, skips_bad, listener)
    run.check()
    try:
        with tempfile.TemporaryFile() as spool, converting.workshop() if transcodes else nullcontext() as workshop:
            try:
                run.prepare(spool, workshop, is_dry_run)
                if not is_dry_run:
                    run.write(spool)
            except BaseException:
                run.clean_up(spool)
                raise
            if workshop:
                workshop.discard(run.copies)
    except BrokenExecutor:
        raise Refused("A process that decodes died, perhaps for want of memory. Nothing was imported.") from None
    except converting.InUse as error:
        raise Refused(str(error)) from None
    return run.report


class _Run:
    """One import, phase by phase."""

    def __init__(self, source: Path, videos: Path, split: str, skips_bad: bool, listener: Listener) -> None:
        self.source, self.videos, self.split = source, videos, split
        self.skips_bad, self.listener = skips_bad, listener
        self.report = Report()
        self.copies: list[converting.Copy] = []
        self._prepared = 0

    def check(self) -> None:
        """Look at every row, and whether its file is there; tell each problem."""
        for number, (row, _) in enumerate(self._usable(tells=True), start=1):
            self.report.scenes.add(row)
            self.report.rows = number
            self.listener.progress("Reading", number, None)
        self._refuse_bad()
        if not self.report.rows:
            raise Refused(f"{self.source} has no row that can be used. Nothing was imported.")
        if warning := self.report.scenes.warning:
            self.listener.warning(warning)

    def prepare(self, spool: IO[bytes], workshop: converting.Workshop | None, is_dry_run: bool) -> None:
        """Decode every file that is new or has changed, on all cores, and lay it into the media folder."""
        jobs = (((row, path), path, storing.known_checksum(row.image_id)) for row, path in self._usable())
        unplayable: list[tuple[tuple[Row, Path], converting.Order]] = []
        for done, ((row, path), result) in enumerate(prepare_all(jobs), start=1):
            self.listener.progress("Preparing", done, self.report.rows)
            if isinstance(result, Unreadable):
                self._tell(_unusable(self.source, row, path, str(result)))
            elif not (facts := result.facts) or facts.is_playable:
                self.report.late += facts is not None and not begins_at_once(path)
                self._keep(None if is_dry_run else spool, row, path, result)
            elif workshop:
                unplayable.append(((row, path), converting.Order(path, result.checksum, facts.duration)))
            else:
                self._tell(_unusable(self.source, row, path, facts.playable_note))
        self._refuse_bad()
        self.report.converted = len(unplayable)
        if workshop and not is_dry_run:
            self._convert(spool, workshop, unplayable)

    def _convert(
        self,
        spool: IO[bytes],
        workshop: converting.Workshop,
        unplayable: list[tuple[tuple[Row, Path], converting.Order]],
    ) -> None:
        """Have copies made that browsers play, and go on with these."""
        rows: list[tuple[Row, converting.Copy]] = []
        for (row, path), result in workshop.convert(unplayable, self.listener.progress):
            if isinstance(result, Failed):
                self.report.converted -= 1
                self._tell(_unusable(self.source, row, path, str(result)))
                continue
            self.listener.note(" ".join([f"{path}: converted.", *result.made.notes]))
            rows.append((row, result))
        self._refuse_bad()
        self.copies = [copy for _, copy in rows]
        for (row, copy), prepared in prepare_all(((row, copy), copy.path, "") for row, copy in rows):
            if isinstance(prepared, Unreadable):
                raise Refused(f"What was converted for {row.image_id} is damaged: {prepared} Import it again.")
            self._keep(spool, row, copy.path, prepared, copy)

    def _keep(
        self, spool: IO[bytes] | None, row: Row, path: Path, prepared: Prepared, copy: converting.Copy | None = None
    ) -> None:
        """Lay a file into the media folder, and remember its row."""
        if spool is None:
            return
        how = (copy.original, copy.made.settings) if copy else ("", None)
        pickle.dump((self._details(row), storing.place(path, prepared, *how)), spool)
        self._prepared += 1

    @transaction.atomic
    def write(self, spool: IO[bytes]) -> None:
        """Write all rows in one transaction."""
        for done, (details, placed) in enumerate(self._spooled(spool), start=1):
            is_new = not Video.objects.filter(image_id=details.image_id).exists()
            storing.record(details, placed)
            self.report.added += is_new
            self.report.updated += not is_new
            self.listener.progress("Writing", done, self._prepared)

    def clean_up(self, spool: IO[bytes]) -> None:
        """Take back the files of an import that failed."""
        for _, placed in self._spooled(spool):
            storing.remove(placed.names)

    def _spooled(self, spool: IO[bytes]) -> Iterator[tuple[storing.Details, storing.Placed]]:
        spool.seek(0)
        for _ in range(self._prepared):
            yield pickle.load(spool)  # noqa: S301 - our own file, without a name

    def _usable(self, tells: bool = False) -> Iterator[tuple[Row, Path]]:
        """Yield the rows whose text can be used and whose file is there; the first of each id."""
        seen = _Seen()
        for row in read(self.source):
            try:
                if isinstance(row, Problem):
                    raise row
                if earlier := seen.before(row.image_id, row.number):
                    sentence = f"{row.image_id!r} stands in row {earlier} too. Keep one of the two."
                    raise Problem(self.source, sentence, row.number, "id")
                yield row, self._path(row)
            except Problem as problem:
                if tells:
                    self._tell(problem)

    def _path(self, row: Row) -> Path:
        if row.file:
            path = self.videos / row.file.replace("\\", "/")
        else:
            paths = [self.videos / f"{row.image_id}{suffix}" for suffix in SUFFIXES]
            path = next((path for path in paths if path.exists()), paths[0])
        if not path.resolve().is_relative_to(self.videos.resolve()):
            sentence = f"{path} is a link that leads out of the folder of videos. Copy the file to where the link is."
            raise Problem(self.source, sentence, row.number, "file" if row.file else "id")
        if not path.is_file():
            raise _unusable(self.source, row, path, str(Unreadable(Reason.MISSING)))
        if not path.stat().st_size:
            raise _unusable(self.source, row, path, str(Unreadable(Reason.EMPTY)))
        return path

    def _details(self, row: Row) -> storing.Details:
        return storing.Details(
            row.image_id,
            row.script,
            row.split or self.split,
            row.length,
            row.licence,
            row.is_publishable,
            row.metadata,
        )

    def _tell(self, problem: Problem) -> None:
        self.report.problems += 1
        self.listener.problem(str(problem))

    def _refuse_bad(self) -> None:
        count = self.report.problems
        if count and not self.skips_bad:
            what = "1 row" if count == 1 else f"{count} rows"
            raise Refused(
                f"{what} cannot be used; nothing was imported. Correct them, or leave them out by --skip-bad."
            )


def _unusable(source: Path, row: Row, path: Path, why: str) -> Problem:
    return Problem(source, f"{path}: {why}", row.number, "file" if row.file else "id")


class _Seen:
    """Which ids were there before? On disk once there are many, so that a long list takes no memory."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect("", isolation_level=None)  # a temporary database
        self._rows.execute("CREATE TABLE seen (id TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID")

    def before(self, image_id: str, number: int) -> int | None:
        """Return the row in which ``image_id`` stood before, else remember that it stands in ``number``."""
        earlier = self._rows.execute("SELECT number FROM seen WHERE id = ?", [image_id]).fetchone()
        if earlier:
            return int(earlier[0])
        self._rows.execute("INSERT INTO seen VALUES (?, ?)", [image_id, number])
        return None
