"""What time is it in the market? The one clock; the control page moves it, and then only forward.

The offset is stored with the market, so a restart does not turn time back. Signatures and the delivery of events are
about the real network and use real time instead.
"""

from datetime import UTC, datetime, timedelta

_offset = timedelta(0)


def now() -> datetime:
    """Return the market's present moment, aware and in UTC."""
    return datetime.now(UTC) + _offset


def set_offset(seconds: float) -> None:
    """Let the market's time be the real time plus ``seconds``."""
    global _offset
    _offset = timedelta(seconds=seconds)


def offset() -> float:
    """Return how many seconds the market is ahead of the real time."""
    return _offset.total_seconds()
