"""How much may be paid at most? A recruitment's ceilings, what counts against them, and what may still be planned."""

from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

from django.db.models import Sum

from collector.lib.text import dollars
from collector.studies.models import Worker
from hits import cost, ledger
from hits.ledger import Ceilings, sum_of
from hits.models import EntryState, LedgerEntry, Recruitment

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Used:
    """A ceiling and what has been used of it, in US dollars; ``limit`` is None where there is none."""

    name: str
    used: Decimal
    limit: Decimal | None


def of(recruitment: Recruitment) -> Ceilings:
    """Return a recruitment's ceilings; that of the study is its budget without the marketplace's fees."""
    fees = cost.FEES["mturk"]
    share = fees.share + (fees.masters if recruitment.masters else 0)
    budget = (Decimal(recruitment.budget) / (1 + share)).quantize(CENT, ROUND_DOWN)
    return Ceilings(recruitment.worker_day_ceiling, recruitment.day_ceiling, budget)


def used(recruitment: Recruitment) -> list[Used]:
    """Return how far each ceiling is used; for the one a worker and day, by whoever is nearest to it."""
    nobody = Worker(marketplace="mturk", environment=recruitment.environment)
    _, (day, today, _), (study, spent, _) = ledger.limits(nobody, recruitment.study_id, of(recruitment))
    highest = today.values("worker").annotate(sum=Sum("amount")).order_by("-sum").first()
    most = highest["sum"] if highest else Decimal(0)
    return [
        Used("One worker within a day, the highest", most, recruitment.worker_day_ceiling),
        Used("All workers and studies within a day", sum_of(today), day),
        Used("This study, its budget without fees", sum_of(spent), study),
    ]


def may_still_cost(recruitment: Recruitment, on_offer: Decimal) -> Decimal:
    """Return what the account may still have to pay, in US dollars, fees included.

    That is ``on_offer``, what the seats on offer come to, and what is owed, as far as the budget allows it.
    """
    fees = cost.FEES["mturk"]
    share = 1 + fees.share + (fees.masters if recruitment.masters else 0)
    rows = LedgerEntry.objects.filter(study=recruitment.study_id, worker__environment=recruitment.environment)
    sums: dict[str, Decimal] = dict(rows.order_by().values_list("state").annotate(Sum("amount")))
    planned, sending, paid, failed, unknown = (
        sums.get(state, Decimal(0)) for state in EntryState if state != EntryState.UNDONE
    )
    in_doubt, to_come = sending + unknown, planned + failed + on_offer / share
    left = max(Decimal(0), recruitment.budget / share - in_doubt - paid)
    return ((in_doubt + min(to_come, left)) * share).quantize(CENT, ROUND_HALF_UP)


def objection(recruitment: Recruitment, worker: Worker, amount: Decimal) -> str:
    """Say which ceiling an amount would pass, with all that is owed already; empty when none."""
    for limit, rows, whom in ledger.limits(worker, recruitment.study_id, of(recruitment), with_owed=True):
        if limit is not None and (taken := sum_of(rows)) + amount > limit:
            return (
                f"{dollars(amount)} would pass the ceiling of {dollars(limit)} for {whom}: {dollars(taken)} is paid or "
                "owed already. Raise the ceiling first."
            )
    return ""
