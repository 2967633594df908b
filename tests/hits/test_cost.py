"""What a study costs, to the cent, and when a launch is refused."""

from decimal import Decimal

import pytest

from hits import cost
from hits.cost import FEES, Plan, estimate


def test_a_plan_costs_rewards_bonuses_waiting_losses_and_fees() -> None:
    plan = Plan(100, Decimal("2.40"), Decimal("0.80"), Decimal("0.15"), waiting_minutes=Decimal(3))
    found = estimate(plan, FEES["mturk"])
    assert found.rewards == Decimal("480.00")
    assert found.bonuses == Decimal("80.00")
    assert found.lost == Decimal("48.00")  # 20 people
    assert found.waiting == Decimal("66.00")  # 220 people, two paid minutes
    assert found.fees == 220 * (Decimal("0.48") + Decimal("0.06")) + 100 * Decimal("0.16")
    assert found.total == Decimal("808.80")


@pytest.mark.parametrize(
    ("amount", "masters", "is_reward", "fee"),
    [
        ("2.40", False, True, "0.48"),
        ("2.40", True, True, "0.60"),
        ("2.40", True, False, "0.48"),
        ("0.01", False, True, "0.01"),
        ("0.125", False, True, "0.03"),
        ("0", False, True, "0"),
    ],
)
def test_fees_are_rounded_half_up_and_never_below_a_cent(amount: str, masters: bool, is_reward: bool, fee: str) -> None:
    assert FEES["mturk"].of(Decimal(amount), masters=masters, is_reward=is_reward) == Decimal(fee)


def test_a_link_has_no_fees() -> None:
    assert estimate(Plan(10, Decimal(1)), FEES["link"]).fees == 0


@pytest.mark.parametrize(
    ("pay", "minutes", "wage"), [("2.40", "12", "12.00"), ("4", "15", "16.00"), ("1", "7", "8.57")]
)
def test_a_wage_counts_all_minutes(pay: str, minutes: str, wage: str) -> None:
    assert cost.hourly_wage(Decimal(pay), Decimal(minutes)) == Decimal(wage)


def test_no_time_is_no_wage() -> None:
    with pytest.raises(ValueError, match="no time"):
        cost.hourly_wage(Decimal(1), Decimal(0))


@pytest.mark.parametrize(("wage", "said"), [("7.99", "write down why"), ("8", "below the target"), ("15", "")])
def test_low_wages_are_not_passed_over(wage: str, said: str) -> None:
    advice = cost.advice(Decimal(wage))
    assert (said in advice) if said else advice == ""


def test_a_launch_over_budget_or_balance_is_refused() -> None:
    total = Decimal("808.80")
    assert cost.objections(total, None, None) == []
    assert cost.objections(total, Decimal("808.80"), Decimal(1000)) == []
    assert [s.split(" is over ")[1] for s in cost.objections(total, Decimal(800), Decimal(500))] == [
        "the study's budget of $800.00.",
        "the account's balance of $500.00.",
    ]
