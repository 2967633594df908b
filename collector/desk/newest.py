"""What became of the newest workers of a study? The funnel, the rates by hour, the wait.

So many participations are read at most: a page stays fast however large a study is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from chat.models import Seat
from collector.lib import clock
from collector.studies import kinds
from collector.studies.models import Outcome, Participation, Study
from hits.models import EntryState, LedgerEntry, Settlement

NEWEST = 1000
"""Participations."""
HOURS = 12
LEAST_WAITS = 5
"""With fewer there is no median to speak of."""
_EVERY = timedelta(hours=1)


@dataclass(frozen=True)
class Came:
    """One worker who agreed: when, and what came of it."""

    confirmed_at: datetime
    is_learning: bool
    started_at: datetime | None
    ended_at: datetime | None
    outcome: str
    waited_seconds: int
    has_waited: bool
    is_settled: bool
    is_paid: bool

    @property
    def is_complete(self) -> bool:
        """Whether all that was asked was done."""
        return self.outcome == Outcome.COMPLETE


@dataclass(frozen=True)
class Step:
    """How many came as far as here; ``percent`` of those who agreed."""

    name: str
    number: int
    percent: int


@dataclass(frozen=True)
class Hour:
    """What happened within an hour, counted in workers."""

    begins_at: datetime
    came: int
    began: int
    completed: int
    ended_otherwise: int


def newest(study: Study) -> list[Came]:
    """Return the newest workers of a study, programs left out, the newest first. Four queries."""
    rows = (
        Participation.objects.filter(study=study, is_simulated=False)
        .order_by("-pk")
        .values_list("pk", "confirmed_at", "is_learning", "started_at", "ended_at", "outcome", "waited_seconds")
    )
    found = list(rows[:NEWEST])
    # Asked of these alone: asked within the query, a database may first read every seat and entry there is.
    mine = {"participation__in": [row[0] for row in found]}
    waited = set(Seat.objects.filter(**mine).values_list("participation", flat=True))
    settled = set(Settlement.objects.filter(**mine).values_list("participation", flat=True))
    paid = set(LedgerEntry.objects.filter(**mine, state=EntryState.PAID).values_list("participation", flat=True))
    return [Came(*row[1:], row[0] in waited, row[0] in settled, row[0] in paid) for row in found]


def funnel(study: Study, came: Sequence[Came]) -> list[Step]:
    """Return how many agreed, and came how far."""
    is_alone = kinds.of(study.kind).is_alone
    counts = [
        ("Agreed", len(came)),
        ("Learned, or had nothing to learn", sum(not each.is_learning for each in came)),
        *([] if is_alone else [("Came to the waiting room", sum(each.has_waited for each in came))]),
        ("Began" if is_alone else "Met a partner", sum(each.started_at is not None for each in came)),
        ("Finished", sum(each.is_complete for each in came)),
        ("Were paid", sum(each.is_paid for each in came)),
    ]
    return [Step(name, number, round(100 * number / len(came))) for name, number in counts] if came else []


def by_hour(came: Sequence[Came]) -> list[Hour]:
    """Return the last full hours and the present one, the newest first; none from before the oldest who was read."""
    now = clock.now()
    begin = now.replace(minute=0, second=0, microsecond=0)
    if len(came) == NEWEST:
        oldest = came[-1].confirmed_at
        limits = [each for back in range(HOURS) if (each := begin - back * _EVERY) >= oldest]
    else:
        limits = [begin - back * _EVERY for back in range(HOURS)]
    return [_hour(came, at, until) for until, at in pairwise([begin + _EVERY, *limits])]


def _hour(came: Sequence[Came], at: datetime, until: datetime) -> Hour:
    def within(moment: datetime | None) -> bool:
        return moment is not None and at <= moment < until

    ended = [each for each in came if within(each.ended_at)]
    completed = sum(each.is_complete for each in ended)
    return Hour(
        at, sum(within(each.confirmed_at) for each in came), sum(within(each.started_at) for each in came),
        completed, len(ended) - completed,
    )  # fmt: skip


def completion(came: Sequence[Came]) -> int | None:
    """Return how many of a hundred who agreed and have ended finished; None before anybody has."""
    ended = [each for each in came if each.ended_at]
    return round(100 * sum(each.is_complete for each in ended) / len(ended)) if ended else None


def median_wait(came: Sequence[Came]) -> float | None:
    """Return the median of all waits that are over, in seconds: of who met a partner, or gave up waiting."""
    waits = [each.waited_seconds for each in came if each.started_at or each.outcome == Outcome.NO_PARTNER]
    return float(median(waits)) if len(waits) >= LEAST_WAITS else None


def pace(came: Sequence[Came]) -> float:
    """Return how many workers finished an hour, over the last hours or as long as anybody has been there."""
    if not came:
        return 0
    since = max(clock.now() - HOURS * _EVERY, came[-1].confirmed_at)
    done = sum(each.is_complete and each.ended_at is not None and each.ended_at >= since for each in came)
    return done / max(1 / 12, (clock.now() - since) / _EVERY)
