"""What will a study cost, and what will an hour of it be worth to a worker? Fees are data, money is Decimal.

Facts: 20 % of rewards and bonuses, one cent at least; 20 % more of the reward from ten assignments a HIT on, which our
HITs of one assignment never have; 5 % more of the reward for Masters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from collector.lib.text import dollars

CENT = Decimal("0.01")
TARGET_WAGE = Decimal(15)
"""US dollars an hour below which a researcher is warned."""
LEAST_WAGE = Decimal(8)
"""US dollars an hour below which a written reason is asked for."""


@dataclass(frozen=True)
class Fees:
    """A marketplace's fees, as parts of the amount; ``least`` in US dollars."""

    share: Decimal = Decimal(0)
    masters: Decimal = Decimal(0)
    least: Decimal = Decimal(0)

    def of(self, amount: Decimal, *, masters: bool = False, is_reward: bool = True) -> Decimal:
        """Return the fee on an amount, rounded half up to cents."""
        if amount == 0:
            return Decimal(0)
        share = self.share + (self.masters if masters and is_reward else 0)
        return max(self.least, (amount * share).quantize(CENT, ROUND_HALF_UP))


FEES = {
    "mturk": Fees(Decimal("0.20"), Decimal("0.05"), Decimal("0.01")),
    "link": Fees(),
}


@dataclass(frozen=True)
class Plan:
    """What is to be paid for: the dialogs or the like, and a share of people paid though nothing comes of it.

    ``workers`` are how many make one; of these one gets the bonus for the summary.
    """

    dialogs: int
    reward: Decimal
    summary_bonus: Decimal = Decimal(0)
    waiting_pay: Decimal = Decimal(0)
    waiting_minutes: Decimal = Decimal(0)
    lost_share: Decimal = Decimal("0.1")
    masters: bool = False
    workers: int = 2


@dataclass(frozen=True)
class Estimate:
    """The expected cost in US dollars, by what it is for."""

    rewards: Decimal
    bonuses: Decimal
    waiting: Decimal
    lost: Decimal
    fees: Decimal

    @property
    def total(self) -> Decimal:
        """All of it."""
        return self.rewards + self.bonuses + self.waiting + self.lost + self.fees


def estimate(plan: Plan, fees: Fees) -> Estimate:
    """Return what a plan is expected to cost: all workers of a dialog, each paid, and the lost ones, too."""
    people = plan.workers * plan.dialogs
    lost_people = (people * plan.lost_share).quantize(Decimal(1), ROUND_HALF_UP)
    paid_minutes = max(Decimal(0), plan.waiting_minutes - 1)
    waiting_each = (plan.waiting_pay * paid_minutes).quantize(CENT, ROUND_HALF_UP)
    everybody = people + lost_people
    fee_each = fees.of(plan.reward, masters=plan.masters)
    return Estimate(
        rewards=people * plan.reward,
        bonuses=plan.dialogs * plan.summary_bonus,
        waiting=everybody * waiting_each,
        lost=lost_people * plan.reward,
        fees=everybody * (fee_each + fees.of(waiting_each, is_reward=False))
        + plan.dialogs * fees.of(plan.summary_bonus, is_reward=False),
    )


def hourly_wage(pay: Decimal, minutes: Decimal) -> Decimal:
    """Return US dollars an hour for ``pay`` earned in ``minutes``, waiting and reading included."""
    if minutes <= 0:
        raise ValueError("A task takes more than no time.")
    return (pay * 60 / minutes).quantize(CENT, ROUND_HALF_UP)


def percentile(values: Sequence[Decimal], percent: int) -> Decimal:
    """Return the value that ``percent`` of the values do not pass (nearest rank); 50 is the median. Needs one value."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * percent // 100) - 1)]


def advice(wage: Decimal) -> str:
    """Say what an hourly wage calls for; empty when nothing."""
    if wage < LEAST_WAGE:
        return f"${wage} an hour is below ${LEAST_WAGE}. Raise the reward, or write down why it must be so."
    if wage < TARGET_WAGE:
        return f"${wage} an hour is below the target of ${TARGET_WAGE}."
    return ""


def objections(total: Decimal, budget: Decimal | None, balance: Decimal | None) -> list[str]:
    """Say why a launch of ``total`` US dollars is refused; empty when it is not."""
    said = []
    if budget is not None and total > budget:
        said.append(f"The expected cost of {dollars(total)} is over the study's budget of {dollars(budget)}.")
    if balance is not None and total > balance:
        said.append(f"The expected cost of {dollars(total)} is over the account's balance of {dollars(balance)}.")
    return said
