"""When is work offered? Days and times in a time zone; outside them nobody new comes in, and people inside finish.

A window belongs to the day on which it begins: Fri 22:00 to 02:00 ends on Saturday.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from math import ceil
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ValidationError
from django.db import models

from collector.lib.languages import many

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MIDNIGHT = time(0)


class BadHours(ValueError):
    """Hours that cannot be meant; the message says what to write."""


@dataclass(frozen=True)
class Hours:
    """Days of the week (0 is Monday), and the same times on each of them; ``start`` and ``end`` equal: all day."""

    days: tuple[int, ...] = tuple(range(7))
    start: time = _MIDNIGHT
    end: time = _MIDNIGHT
    zone: str = "UTC"

    @property
    def is_always(self) -> bool:
        """Tell whether it is never closed."""
        return len(self.days) == 7 and self.start == self.end

    def windows(self, now: datetime) -> Iterator[tuple[datetime, datetime]]:
        """Yield beginning and end of the windows from yesterday's to those of a week later."""
        zone = ZoneInfo(self.zone)
        today = now.astimezone(zone).date()
        for ahead in range(-1, 9):
            day = today + timedelta(days=ahead)
            if day.weekday() in self.days:
                last = day if self.end > self.start else day + timedelta(days=1)
                yield datetime.combine(day, self.start, zone), datetime.combine(last, self.end, zone)

    def closes_in(self, now: datetime) -> timedelta | None:
        """Return how long it stays open, None when it is closed; windows that touch are one."""
        closes: datetime | None = None
        for begin, end in self.windows(now):
            if closes is not None and begin <= closes:
                closes = max(closes, end)
            elif begin <= now < end:
                closes = end
        return closes - now if closes is not None else None

    def opens_in(self, now: datetime) -> timedelta | None:
        """Return how long it stays closed, None when it is open."""
        if self.closes_in(now) is not None:
            return None
        return min(begin - now for begin, _ in self.windows(now) if begin > now)

    def in_words(self) -> str:
        """Return the hours as a sentence for the researcher."""
        if self.is_always:
            return "Offered at all times."
        days = "Every day" if len(self.days) == 7 else f"On {', '.join(DAYS[day] for day in self.days)}"
        times = "all day" if self.start == self.end else f"from {self.start:%H:%M} to {self.end:%H:%M}"
        return f"{days}, {times} ({self.zone})."


def in_duration(span: timedelta) -> str:
    """Return a span in the words of somebody who waits, never too short: coming then is not in vain."""
    minutes = max(1, ceil(span.total_seconds() / 60))
    if minutes < 90:
        return many(minutes, "minute")
    hours = ceil(minutes / 60)
    return many(hours, "hour") if hours <= 36 else many(ceil(hours / 24), "day")


def read(days: str, start: time | None, end: time | None, zone: str) -> Hours:
    """Return the hours that a person has written down; nothing written is always. Raises BadHours."""
    names = [name.strip().title()[:3] for name in days.split(",") if name.strip()]
    if unknown := [name for name in names if name not in DAYS]:
        raise BadHours(f"Days: {unknown[0]!r} is no day. Write some of {', '.join(DAYS)}; empty: every day.")
    if (start is None) != (end is None):
        raise BadHours("Times: give both, from and to; neither: all day.")
    if start is not None and start == end:
        raise BadHours("Times: from and to are the same. Leave both empty for all day.")
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadHours(f"Time zone: {zone!r} is none. Examples: UTC, America/New_York, Europe/Rome.") from None
    chosen = tuple(sorted({DAYS.index(name) for name in names})) or tuple(range(7))
    return Hours(chosen, start or _MIDNIGHT, end or _MIDNIGHT, zone)


class Offered(models.Model):
    """The hours of an offer, as fields of its row."""

    offered_days = models.CharField(max_length=40, blank=True)
    offered_from = models.TimeField(null=True, blank=True)
    offered_to = models.TimeField(null=True, blank=True)
    offered_zone = models.CharField("time zone of the hours", max_length=40, default="UTC")

    class Meta:
        abstract = True

    @property
    def hours(self) -> Hours:
        """When work is offered."""
        return read(self.offered_days, self.offered_from, self.offered_to, self.offered_zone)

    def clean(self) -> None:
        """Refuse hours that cannot be meant."""
        super().clean()
        try:
            _ = self.hours
        except BadHours as bad:
            raise ValidationError(str(bad)) from None
