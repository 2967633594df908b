"""What did each worker see and do, second by second? The shapes of a replay, and what dialogs and viewings share.

All times are seconds from the beginning, which is when the pair met, or the watcher was given the video. What is not
kept is said as such; nothing is made up between two things that are known.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import ceil
from typing import Any

import msgspec

from chat.protocol import Evidence
from collector.desk import evidence

PLAYED = "Played without a pause, the video would stand here. Pauses and jumps are not kept."
NEVER_PLAYED = "The video has not played to its end. How much of it was played is not kept."
NOT_YET = "The video may have begun. Where it stood is not kept."
PLAYED_AGAIN = "Has watched the video. What of it is played again is not kept."


@dataclass(frozen=True)
class Span:
    """What was so from ``start`` to before ``end``."""

    start: float
    end: float
    kind: str
    """How it is drawn: turn, waiting, typing, watching, here, lost, over."""
    said: str

    @property
    def length(self) -> float:
        """Return how long it was."""
        return self.end - self.start

    @property
    def clock(self) -> str:
        """Return from when until when, as people read it."""
        return f"{in_minutes(self.start)} to {in_minutes(self.end)}"


@dataclass(frozen=True)
class Track:
    """One thing over the whole time: the spans do not overlap."""

    name: str
    spans: list[Span]


@dataclass(frozen=True)
class Line:
    """One text, as its column's worker saw it from ``at`` on."""

    name: str
    text: str
    at: float
    is_own: bool


@dataclass(frozen=True)
class Column:
    """What one worker saw and did. ``sees_until`` is when frames, video and script were taken away."""

    role: str
    worker: int | None
    """None of an imported dialog."""
    tracks: list[Track]
    lines: list[Line]
    sees_until: float
    slots: tuple[int, ...] = ()
    """Which frames were shown."""
    has_video: bool = False
    watched: float | None = None
    """When the video had just played to its end."""
    script: str = ""

    @property
    def until(self) -> str:
        """Return when frames, video and script were taken away, as people read it."""
        return in_minutes(self.sees_until)


@dataclass(frozen=True)
class Moment:
    """A row of the table: what happened when, to whom."""

    at: float
    who: str
    what: str
    details: list[str] = field(default_factory=list)
    text: str = ""
    anchor: str = ""
    """Where an address may lead, such as round-3."""

    @property
    def clock(self) -> str:
        """Return the time as people read it."""
        return in_minutes(self.at)


@dataclass(frozen=True)
class Timeline:
    """A whole replay; ``seconds`` is at least 1, so that it can be drawn."""

    started_at: datetime
    seconds: float
    columns: list[Column]
    moments: list[Moment]

    @property
    def clock(self) -> str:
        """Return how long it was, as people read it."""
        return in_minutes(self.seconds)

    @property
    def whole_seconds(self) -> int:
        """Return the seconds, rounded up."""
        return ceil(self.seconds)

    @property
    def grain(self) -> float:
        """Return how wide a text is drawn."""
        return round(self.seconds / 300, 2)


def in_minutes(seconds: float) -> str:
    """Return seconds as minutes and seconds, with hours where there are some: 3:07, -0:12, 1:00:00."""
    minutes, rest = divmod(int(abs(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    sign = "−" if seconds <= -1 else ""
    return f"{sign}{hours}:{minutes:02}:{rest:02}" if hours else f"{sign}{minutes}:{rest:02}"


def since(start: datetime, at: datetime) -> float:
    """Return the seconds from one to the other, to a tenth."""
    return round((at - start).total_seconds(), 1)


def ordered(moments: Iterable[Moment]) -> list[Moment]:
    """Return them as they came."""
    return sorted(moments, key=lambda each: each.at)


def cut(spans: Iterable[Span], start: float, end: float) -> list[Span]:
    """Return what of the spans lies between ``start`` and ``end``."""
    inside = (replace(each, start=max(each.start, start), end=min(each.end, end)) for each in spans)
    return [each for each in inside if each.start < each.end]


def video_track(duration: float, watched: float | None, end: float) -> Track:
    """Return where a worker's video stood, as far as that is known: it had just ended when it counted as watched."""
    if watched is None:
        return Track("Video", cut([Span(0, end, "here", NEVER_PLAYED)], 0, end))
    begun = max(0.0, round(watched - duration, 1))
    spans = [
        Span(0, begun, "here", NOT_YET),
        Span(begun, watched, "watching", PLAYED),
        Span(watched, end, "here", PLAYED_AGAIN),
    ]
    return Track("Video", cut(spans, 0, end))


def played(ranges: list[list[float]]) -> str:
    """Say which parts of the video had been played when it counted as watched."""
    said = ", ".join(f"{start:.1f} to {end:.1f} s" for start, end in ranges)
    return f"played: {said}" if said else "which parts were played is not kept"


def typing(stored: dict[str, Any], name: str, turn_from: float, sent: float) -> Span | None:
    """Return when a text was typed, by what its page counted; None where nothing was kept."""
    if not stored:
        return None
    seen = msgspec.convert(stored, Evidence)
    first = max(turn_from, round(sent - max(0.0, seen.to_send - seen.to_first_key), 1))
    return Span(first, sent, "typing", f"{name}, from the first key to the sending.")


def written(stored: dict[str, Any], typed_at: datetime | None, stored_at: datetime) -> list[str]:
    """Say how a text came about, and what the worker's own clock showed."""
    said = evidence.in_words(stored)
    if typed_at is not None:
        said.append(f"by their own clock sent {typed_at:%H:%M:%S}, stored {stored_at:%H:%M:%S}")
    return said
