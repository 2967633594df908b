"""How far is what the worker process was asked to do? A small file beside its result says so; pages read it."""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from collector.lib import clock

FILE = "job.json"
SILENCE = timedelta(minutes=10)
"""What has not been heard of for so long has ended with its process."""
_EVERY = 1.0
"""Seconds between two notes of progress."""

Result = TypeVar("Result", bound=msgspec.Struct)
Note = Callable[[int, int], None]
"""Called with the steps done and their number."""


class State(StrEnum):
    """Where a job is in its life."""

    ASKED = "asked"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Job(msgspec.Struct):
    """A job as its folder tells of it."""

    state: State
    asked_at: datetime
    heard_at: datetime
    done: int = 0
    of: int = 0
    """Steps, 0 where they are not known."""
    trouble: str = ""
    """Why it failed, in a sentence."""
    offer: dict[str, str] = {}
    """Options with which it would go."""

    @property
    def is_lost(self) -> bool:
        """Tell whether its process has ended without a word."""
        return self.state in (State.ASKED, State.RUNNING) and clock.now() - self.heard_at > SILENCE

    @property
    def is_under_way(self) -> bool:
        """Tell whether its result is still to be expected."""
        return self.state in (State.ASKED, State.RUNNING) and not self.is_lost


def read(folder: Path) -> Job | None:
    """Return the job of a folder; None where nothing was asked for."""
    return kept(folder, FILE, Job)


def ask(folder: Path) -> bool:
    """Note that a job is asked for; False when one is under way in this folder."""
    if (job := read(folder)) and job.is_under_way:
        return False
    _write(folder, Job(State.ASKED, clock.now(), clock.now()))
    return True


def refuse(folder: Path, sentence: str) -> None:
    """Note that a job cannot be begun."""
    _end(folder, State.FAILED, trouble=sentence)


@contextmanager
def running(folder: Path, *refusals: type[Exception]) -> Iterator[Note]:
    """Note that the job of a folder runs, then how it ended; yield what notes its progress.

    ``refusals`` are the errors whose message is a sentence for the researcher; they end here. All others go on.
    """
    job = read(folder) or Job(State.ASKED, clock.now(), clock.now())
    job.state, last = State.RUNNING, float("-inf")

    def note(done: int, steps: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _EVERY:
            job.done, job.of, job.heard_at, last = done, steps, clock.now(), time.monotonic()
            _write(folder, job)

    note(0, 0)
    try:
        yield note
    except refusals as error:
        _end(folder, State.FAILED, trouble=str(error), offer=getattr(error, "offer", {}))
    except BaseException:
        _end(folder, State.FAILED, trouble="It failed, and the log of the worker process says why.")
        raise
    else:
        _end(folder, State.DONE)


def _end(folder: Path, state: State, **more: Any) -> None:
    job = read(folder) or Job(state, clock.now(), clock.now())
    _write(folder, msgspec.structs.replace(job, state=state, heard_at=clock.now(), **more))


def _write(folder: Path, job: Job) -> None:
    keep(folder, FILE, job)


def keep(folder: Path, name: str, result: msgspec.Struct) -> None:
    """Keep a result under a name, whole or not at all, in the place of the one before."""
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder / f".{secrets.token_hex(4)}.{name}"
    beside.write_bytes(msgspec.json.encode(result))
    beside.replace(folder / name)


def kept(folder: Path, name: str, shape: type[Result]) -> Result | None:
    """Return the result that is kept under a name; None where there is none, or one of an older shape."""
    try:
        return msgspec.json.decode((folder / name).read_bytes(), type=shape)
    except (OSError, msgspec.DecodeError):
        return None
