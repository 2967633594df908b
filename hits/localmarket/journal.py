"""What was asked of the API lately? Kept in memory for the control page."""

from collections import deque
from dataclasses import asdict, dataclass
from datetime import datetime

KEPT = 500


@dataclass(frozen=True)
class Entry:
    """One call: when by the market's clock, and how it ended (``ok``, an error's code, or a fault)."""

    at: datetime
    operation: str
    request_id: str
    outcome: str
    access_key: str


_entries: deque[Entry] = deque(maxlen=KEPT)


def note(entry: Entry) -> None:
    """Remember a call."""
    _entries.append(entry)


def latest(number: int = KEPT) -> list[dict[str, object]]:
    """Return the latest calls, newest first."""
    return [{**asdict(entry), "at": entry.at.isoformat()} for entry in list(_entries)[::-1][:number]]


def forget() -> None:
    """Forget all calls."""
    _entries.clear()
