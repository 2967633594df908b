"""Who makes the copies that browsers play? A process for each file, as many at once as there are cores.

What is made waits in ``VAR_DIR/converted``, named by the original's checksum, until its import has been committed: an
import that was stopped goes on where it was. A copy has its name only once it is whole.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from django.conf import settings

from collector.catalogue.transcoding import RECIPE, Failed, Made

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
_MOST_THREADS = 8  # of one file; more take memory and gain little
_DIED = {
    -signal.SIGALRM: "it made no step for ten minutes",
    -signal.SIGKILL: "it was killed, perhaps for want of memory",
}


@dataclass(frozen=True)
class Order:
    """A file to convert, with its SHA-256 and its length in seconds."""

    path: Path
    checksum: str
    seconds: float


@dataclass(frozen=True)
class Copy:
    """What browsers play, and how it was made from which file."""

    path: Path
    original: str
    made: Made


class InUse(Exception):
    """Another import converts now; the text says what to do."""


@contextmanager
def workshop() -> Iterator["Workshop"]:
    """Give the folder of copies to one import at a time; what was left half is removed. Raises InUse."""
    folder = settings.VAR_DIR / "converted"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InUse("Another import converts videos now. Wait for its end, then import again.") from None
        for part in folder.glob("*.part"):
            part.unlink()
        yield Workshop(folder)


class Workshop:
    """The folder while it is ours."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: set[subprocess.Popen[str]] = set()

    def convert(self, orders: Iterable[tuple[T, Order]], progress: Progress) -> Iterator[tuple[T, Copy | Failed]]:
        """Yield a copy of each file, or why there is none, as they are made; ``progress`` hears of the seconds done.

        A file that stands under several ids is converted once, since its copy waits under its checksum.
        """
        wanted: dict[str, list[tuple[T, Order]]] = {}
        for tag, order in orders:
            wanted.setdefault(order.checksum, []).append((tag, order))
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        threads = min(_MOST_THREADS, max(1, cores // max(1, len(wanted))))
        pool = ThreadPoolExecutor(cores)
        running = {pool.submit(self._convert, same[0][1], threads, progress): same for same in wanted.values()}
        try:
            for future in as_completed(running):
                error = future.exception()
                result = error if isinstance(error, Failed) else future.result()
                yield from ((tag, result) for tag, _ in running[future])
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(self._running):
                process.kill()
            pool.shutdown()

    def discard(self, copies: Iterable[Copy]) -> None:
        """Remove what has been imported."""
        for copy in copies:
            copy.path.unlink(missing_ok=True)
            copy.path.with_suffix(".json").unlink(missing_ok=True)

    def _convert(self, order: Order, threads: int, progress: Progress) -> Copy:
        path = self._folder / f"{order.checksum}-{RECIPE}.mp4"
        notes, part = path.with_suffix(".json"), path.with_suffix(".part")
        if path.exists():
            return Copy(path, order.checksum, Made(**json.loads(notes.read_text())))
        try:
            made = self._run(order, part, threads, progress)
            notes.write_text(json.dumps(asdict(made)))
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
        return Copy(path, order.checksum, made)

    def _run(self, order: Order, part: Path, threads: int, progress: Progress) -> Made:
        command = [sys.executable, "-m", "collector.catalogue.transcoding", str(order.path.resolve()), str(part)]
        # A decoder of strangers' files gets none of our secrets, and no threads of numpy's beside its own.
        env = {"PATH": os.environ.get("PATH", ""), "OPENBLAS_NUM_THREADS": "1"}
        last: dict[str, object] = {}
        with subprocess.Popen(
            [*command, str(threads)], cwd=settings.BASE_DIR, env=env, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            self._running.add(process)
            try:
                for line in process.stdout or ():
                    last = json.loads(line)
                    if "at" in last:
                        progress(order.path.name, round(float(str(last["at"]))), max(1, round(order.seconds)))
            finally:
                process.kill()
                process.wait()
                self._running.discard(process)
        if process.returncode or "at" in last or not last:
            why = _DIED.get(process.returncode, "its process died")
            raise Failed(f"It could not be converted: {why}. Convert it by other means.")
        if "failed" in last:
            raise Failed(str(last["failed"]))
        progress(order.path.name, max(1, round(order.seconds)), max(1, round(order.seconds)))
        return Made(**last)  # type: ignore[arg-type]
