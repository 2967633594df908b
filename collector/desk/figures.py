"""How long does a study take people by role, what is an hour worth to them, and what will the rest need?

Times run from opening the invitation to the end: reading, practice and waiting included. Pay is what stands in the
ledger, bonuses for quality left out. Only real people count, the newest first.
"""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.db.models import Max, Q, Sum

from chat.models import Seat
from collector.lib.text import dollars, many
from collector.studies import kinds
from collector.studies.models import Participation, Study
from hits import cost, ledger, lifecycle, reconcile
from hits.cost import percentile
from hits.models import EntryKind, EntryState, Recruitment

NEWEST = 400
"""So many participations are looked at: a page stays fast however large a study is."""


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


def spent(study: Study) -> list[Spent]:
    """Return the newest participations whose pay is worked out."""
    unpaid = Q(ledger__state=EntryState.UNDONE) | Q(ledger__kind=EntryKind.QUALITY)
    rows = (
        Participation.objects.filter(study=study, is_simulated=False, settlement__isnull=False)
        .annotate(pay=Sum("ledger__amount", filter=~unpaid))
        .order_by("-pk")
        .values_list("pk", "worker", "arrived_at", "ended_at", "waited_seconds", "pay")[:NEWEST]
    )
    found = list(rows)
    seats = Seat.objects.filter(participation__in=[row[0] for row in found], dialog__isnull=False).order_by("number")
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


def forecast(recruitment: Recruitment) -> str:
    """Say how long the rest takes, and what it costs, at the pace and the cost so far; empty before any is known."""
    done, about = lifecycle.complete_dialogs(recruitment), kinds.of(recruitment.study.kind)
    left = recruitment.dialogs_wanted - done
    last = lifecycle.completing(recruitment.study).aggregate(last=Max("ended_at"))["last"]
    if not done or left <= 0 or recruitment.started_at is None or last is None:
        return ""
    owed = ledger.sum_of(reconcile.of_recruitment(recruitment).exclude(state=EntryState.UNDONE))
    price = owed * (1 + cost.FEES["mturk"].share) / done * left
    needed = max(timedelta(minutes=1), (last - recruitment.started_at) / done * left)
    complete = f"{done} {about.unit if done == 1 else about.units}"
    return (
        f"Complete: {complete} of {recruitment.dialogs_wanted}. At the pace since the launch the other "
        f"{left} take about {_in_words(needed)}, and at the cost so far about {dollars(price)}, fees included."
    )


def _in_words(span: timedelta) -> str:
    minutes = round(span.total_seconds() / 60)
    if minutes < 120:
        return many(minutes, "minute")
    return many(round(minutes / 60), "hour") if minutes < 72 * 60 else many(round(minutes / 60 / 24), "day")
