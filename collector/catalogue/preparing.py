"""What has to be read from a video file before it can be stored? All the slow work, as a pure function of its path.

No Django, so that worker processes start fast and can be spawned; :func:`prepare_all` keeps every core busy.
"""

import hashlib
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from collector.catalogue.frames import Still, take_stills
from collector.catalogue.probing import Facts, Unreadable, probe

T = TypeVar("T")


@dataclass(frozen=True)
class Prepared:
    """A file's SHA-256, its bytes, and what was measured and taken from it; the last two are None when unchanged."""

    checksum: str
    size: int
    facts: Facts | None
    stills: list[Still]


def prepare(path: Path, known_checksum: str = "") -> Prepared:
    """Measure ``path`` and take its frames, unless it is still the file with ``known_checksum``. Raises Unreadable."""
    if known_checksum and path.is_file() and (checksum := _checksum(path)) == known_checksum:
        return Prepared(checksum, path.stat().st_size, None, [])
    facts = probe(path)
    return Prepared(_checksum(path), path.stat().st_size, facts, take_stills(path, facts))


def prepare_all(jobs: Iterable[tuple[T, Path, str]]) -> Iterator[tuple[T, Prepared | Unreadable]]:
    """Prepare each (tag, path, known checksum) on all cores; yield results in order, few at a time in memory."""
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    context = multiprocessing.get_context("spawn")  # the parent has threads and database connections
    waiting: deque[tuple[T, Future[Prepared]]] = deque()
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_interrupts) as pool:
        try:
            for tag, path, checksum in jobs:
                waiting.append((tag, pool.submit(prepare, path, checksum)))
                if len(waiting) > workers * 2:
                    yield _result(*waiting.popleft())
            while waiting:
                yield _result(*waiting.popleft())
        finally:
            pool.shutdown(cancel_futures=True)


def _result(tag: T, future: Future[Prepared]) -> tuple[T, Prepared | Unreadable]:
    try:
        return tag, future.result()
    except Unreadable as error:
        return tag, error


def _leave_interrupts() -> None:
    """Leave Ctrl-C to the parent, which stops its workers in order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
