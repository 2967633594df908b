"""What was a line of the log about? Ids that travel with the work: study, dialog, seat, request; never a worker's.

``about`` sets them for what follows in the same task or thread; ``Context`` puts them into each record. In production
lines are JSON (python-json-logger); texts of workers and marketplace ids are not logged at all.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

NAMES = ("request", "study", "dialog", "seat")
_ids: ContextVar[dict[str, int | str]] = ContextVar("ids", default={})  # noqa: B039 - never changed, only replaced


def about(**ids: int | str | None) -> None:
    """Note what the following lines are about; None takes an id away."""
    _ids.set({name: value for name, value in (_ids.get() | ids).items() if value is not None})


@contextmanager
def within(**ids: int | str | None) -> Iterator[None]:
    """Note what the lines of a block are about; those after it are about what they were about before."""
    before = _ids.get()
    about(**ids)
    try:
        yield
    finally:
        _ids.set(before)


def clear() -> None:
    """Forget what was noted: a piece of work is over, and the next one in this thread begins."""
    _ids.set({})


class Context(logging.Filter):
    """Give each record the ids of its work, empty where there is none."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the ids; every record passes."""
        ids = _ids.get()
        for name in NAMES:
            setattr(record, name, ids.get(name))
        return True
