"""What will an hour of a study be worth, by its amounts and the time it takes, and what do others call fair?

Before enough work was done the study's own estimate of its minutes counts; then what was measured.
"""

from dataclasses import dataclass
from decimal import Decimal

from collector.studies import kinds
from collector.studies.models import Kind, Outcome, Participation, Study
from hits import cost

LEAST_MEASURED = 4
"""So many complete participations are measured, fewer are not worth it."""
NEWEST = 400
"""So many are looked at."""
WAIT = Decimal(2)
"""Minutes for which a partner is waited for, as long as nothing is measured."""


@dataclass(frozen=True)
class Measured:
    """Minutes a worker needs, from opening the invitation to the end, and waits: to pay for, and to count by."""

    mean_wait: Decimal
    median_wait: Decimal
    median_minutes: Decimal
    is_piloted: bool


@dataclass(frozen=True)
class Hour:
    """What one role gets for how many minutes, and what that makes in an hour, in US dollars."""

    role: str
    pay: Decimal
    minutes: Decimal

    @property
    def wage(self) -> Decimal:
        """US dollars an hour."""
        return cost.hourly_wage(self.pay, self.minutes)

    @property
    def advice(self) -> str:
        """What it calls for; empty when nothing."""
        return cost.advice(self.wage)


@dataclass(frozen=True)
class Mark:
    """A wage that others name, in US dollars an hour, and who."""

    wage: Decimal
    words: str


MARKS = (
    Mark(Decimal("2.00"), "the median on Mechanical Turk, unpaid work counted (Hara et al., CHI 2018)"),
    Mark(Decimal("7.25"), "the federal minimum wage of the United States; Dynamo's guidelines call less coercion"),
    Mark(cost.LEAST_WAGE, "Prolific's least; below it a launch asks for a written reason here"),
    Mark(Decimal(12), "what Prolific recommends"),
    Mark(cost.TARGET_WAGE, "the target here: below it you are warned"),
    Mark(Decimal("16.54"), "a living wage in the United States (Wage Pledge, 2021)"),
)
"""The least first."""
COLLECTED_FOR = (
    "AVSD's and VisDial's papers do not say what was paid; the published scripts of VisDial's collection, whose chat "
    "AVSD used, offer $0.15 a HIT of 20 minutes at most."
)


def measured(study: Study) -> Measured:
    """Return the times of complete work when there is enough of it, else the study's own guess."""
    done = Participation.objects.filter(study_id=study.pk, outcome=Outcome.COMPLETE, is_simulated=False)
    rows = list(done.order_by("-pk").values_list("arrived_at", "ended_at", "waited_seconds")[:NEWEST])
    if len(rows) < LEAST_MEASURED:
        wait = Decimal(0) if kinds.of(study.kind).is_alone else WAIT
        return Measured(wait, wait, max(Decimal(1), study.minutes + wait), is_piloted=False)
    spans = [Decimal(str(max(1, (end - start).total_seconds()))) / 60 for start, end, _ in rows if end is not None]
    waits = [Decimal(waited) / 60 for _, _, waited in rows]
    mean = sum(waits, Decimal(0)) / len(waits)
    return Measured(mean, cost.percentile(waits, 50), cost.percentile(spans, 50), is_piloted=True)


def hours(study: Study, times: Measured) -> list[Hour]:
    """Return what an hour is worth to each role that completes the task."""
    whole, bonus = study.reward + _waiting_pay(study, times.median_wait), bonus_of(study)
    if kinds.of(study.kind).is_alone:
        return [Hour("Watcher", whole + bonus, times.median_minutes)]
    return [
        Hour("Questioner", whole + bonus, times.median_minutes),
        Hour("Answerer", whole, times.median_minutes),
    ]


def in_vain(study: Study) -> Hour | None:
    """Return what an hour is worth to who waits until they may end, and meets nobody; None where nobody waits."""
    if kinds.of(study.kind).is_alone:
        return None
    wait = Decimal(study.longest_wait_minutes)
    return Hour("Meets nobody", study.ending_pay + _waiting_pay(study, wait), wait)


def mean(study: Study, times: Measured) -> Decimal:
    """Return what an hour is worth on average over the roles, in US dollars."""
    pays = [hour.pay for hour in hours(study, times)]
    return cost.hourly_wage(sum(pays, Decimal(0)) / len(pays), times.median_minutes)


def bonus_of(study: Study) -> Decimal:
    """Return what the summary is paid with on top; nobody writes one in a relevance study."""
    return Decimal(0) if study.kind == Kind.RELEVANCE else study.summary_bonus


def _waiting_pay(study: Study, minutes: Decimal) -> Decimal:
    """Return what waiting is paid with: each minute after the first."""
    return study.waiting_pay * max(Decimal(0), minutes - 1)
