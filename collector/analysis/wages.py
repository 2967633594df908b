"""How long does a study take people by role, and what is an hour worth to them?

Times run from opening the invitation to the end: reading, practice and waiting included. Pay is what stands in the
ledger, bonuses for quality left out. Only real people count, the newest first.
"""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Q, Sum

from chat.models import Seat
from collector.studies import kinds
from collector.studies.models import Participation, Study
from hits import cost
from hits.cost import percentile
from hits.models import EntryKind, EntryState

NEWEST = 400
"""So many participations a page looks at: it stays fast however large a study is."""


@dataclass(frozen=True)
class Spent:
    """One participation that is over: who, in which dialog and role, for how long, for how much an hour."""

    participation: int
    worker: int
    dialog: int | None
    role: str
    minutes: Decimal
    waited_minutes: Decimal
    wage: Decimal


@dataclass(frozen=True)
class Row:
    """The times and the hourly pay of those who had one role."""

    name: str
    workers: int
    minutes: Decimal
    waited_minutes: Decimal
    wage: Decimal
    low_wage: Decimal
    is_low: bool


def spent(study: Study, most: int | None = NEWEST) -> list[Spent]:
    """Return the newest participations whose pay is worked out, so many at most; None: all."""
    unpaid = Q(ledger__state=EntryState.UNDONE) | Q(ledger__kind=EntryKind.QUALITY)
    rows = (
        Participation.objects.filter(study=study, is_simulated=False, settlement__isnull=False)
        .annotate(pay=Sum("ledger__amount", filter=~unpaid))
        .order_by("-pk")
        .values_list("pk", "worker", "arrived_at", "ended_at", "waited_seconds", "pay")[:most]
    )
    found = list(rows)
    seats = Seat.objects.filter(study=study, dialog__isnull=False).order_by("number")
    if most is not None:
        seats = seats.filter(participation__in=[row[0] for row in found])
    last = {part: (dialog, role) for part, dialog, role in seats.values_list("participation", "dialog", "role")}
    without = (None, "watcher" if kinds.of(study.kind).is_alone else "")
    return [_spent(row, *last.get(row[0], without)) for row in found]


def _spent(row: tuple[int, int, object, object, int, Decimal | None], dialog: int | None, role: str) -> Spent:
    pk, worker, arrived_at, ended_at, waited, pay = row
    seconds = max(1, (ended_at - arrived_at).total_seconds())  # type: ignore[operator]
    minutes = Decimal(str(seconds)) / 60
    return Spent(pk, worker, dialog, role, minutes, Decimal(waited) / 60, cost.hourly_wage(pay or Decimal(0), minutes))


def by_role(rows: list[Spent]) -> list[Row]:
    """Return one row a role, and one for those who met nobody, where there are any."""
    names = {"questioner": "Questioner", "answerer": "Answerer", "watcher": "Watcher", "": "Met nobody"}
    grouped = [(name, [row for row in rows if row.role == role]) for role, name in names.items()]
    return [_row(name, group) for name, group in grouped if group]


def _row(name: str, rows: list[Spent]) -> Row:
    wages = [row.wage for row in rows]
    median = percentile(wages, 50)
    return Row(
        name,
        len(rows),
        percentile([row.minutes for row in rows], 50),
        percentile([row.waited_minutes for row in rows], 50),
        median,
        percentile(wages, 10),
        median < cost.TARGET_WAGE,
    )
