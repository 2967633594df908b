"""How much may be paid at most? A recruitment's ceilings, what counts against them, and what may still be planned."""

from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

from django.db.models import Sum

from collector.lib.text import dollars
from collector.studies.models import Worker
from hits import cost, ledger
from hits.ledger import Ceilings, sum_of
from hits.models import Recruitment

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


def objection(recruitment: Recruitment, worker: Worker, amount: Decimal) -> str:
    """Say which ceiling an amount would pass, with all that is owed already; empty when none."""
    for limit, rows, whom in ledger.limits(worker, recruitment.study_id, of(recruitment), with_owed=True):
        if limit is not None and (taken := sum_of(rows)) + amount > limit:
            return (
                f"{dollars(amount)} would pass the ceiling of {dollars(limit)} for {whom}: {dollars(taken)} is paid or "
                "owed already. Raise the ceiling first."
            )
    return ""
