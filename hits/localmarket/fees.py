"""What does the marketplace take? Fees as data, in whole cents; imports nothing of Django.

20 % of a reward and of a bonus, 20 % more of the reward where a HIT has ten assignments or more, 5 % more where only
Masters may work; never less than one cent, halves rounded up.
"""

from decimal import ROUND_HALF_UP, Decimal

BASE = Decimal("0.20")
LARGE = Decimal("0.20")
LARGE_FROM = 10
MASTERS = Decimal("0.05")
MINIMUM_CENTS = 1


def _fee(cents: int, rate: Decimal) -> int:
    return max(int((cents * rate).quantize(Decimal(1), ROUND_HALF_UP)), MINIMUM_CENTS)


def reward_fee(cents: int, assignments: int, masters: bool) -> int:
    """Return the fee in cents for one approved assignment of a HIT with that many assignments."""
    rate = BASE + (LARGE if assignments >= LARGE_FROM else 0) + (MASTERS if masters else 0)
    return _fee(cents, rate)


def bonus_fee(cents: int) -> int:
    """Return the fee in cents for one bonus."""
    return _fee(cents, BASE)


def to_cents(amount: str) -> int:
    """Return the cents of an amount on the wire, such as ``0.5`` or ``12.``."""
    return int(Decimal(amount) * 100)


def to_amount(cents: int) -> str:
    """Return an amount as it stands on the wire: two decimals."""
    return f"{Decimal(cents) / 100:.2f}"
