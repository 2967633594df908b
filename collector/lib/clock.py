"""What time is it? The one clock; never mixed with the database's ``now()``.

Tests move it with :func:`travel`; nothing sleeps to make time pass.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

_offset = timedelta(0)


def now() -> datetime:
    """Return the present moment, aware and in UTC."""
    return datetime.now(UTC) + _offset


@contextmanager
def travel(by: timedelta) -> Iterator[None]:
    """Move the clock forward by ``by`` for the length of a block (tests only)."""
    global _offset
    _offset += by
    try:
        yield
    finally:
        _offset -= by
