"""What time is it? The one clock; never mixed with the database's ``now()``.

Tests move it with :func:`travel` and stop it with :func:`stopped`; nothing sleeps to make time pass.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

_offset = timedelta(0)
_stopped_at: datetime | None = None


def now() -> datetime:
    """Return the present moment, aware and in UTC."""
    return (_stopped_at or datetime.now(UTC)) + _offset


@contextmanager
def travel(by: timedelta) -> Iterator[None]:
    """Move the clock forward by ``by`` for the length of a block (tests only)."""
    global _offset
    _offset += by
    try:
        yield
    finally:
        _offset -= by


@contextmanager
def stopped() -> Iterator[None]:
    """Let no time pass by itself for the length of a block, however slow the machine (tests only)."""
    global _stopped_at
    _stopped_at = datetime.now(UTC)
    try:
        yield
    finally:
        _stopped_at = None
