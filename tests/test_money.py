"""An amount is shown in one way, with a mark at the thousands."""

from decimal import Decimal

import pytest
from django.template import Context, Template

from collector.lib.text import dollars


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (Decimal("10000"), "$10,000.00"),
        (Decimal("1234567.895"), "$1,234,567.90"),
        (Decimal("0.5"), "$0.50"),
        (Decimal("-1200.3"), "-$1,200.30"),
        (0, "$0.00"),
    ],
)
def test_an_amount_is_shown_with_a_mark_at_the_thousands(amount: Decimal, shown: str) -> None:
    assert dollars(amount) == shown
    assert Template("{% load money %}{{ amount|dollars }}").render(Context({"amount": amount})) == shown


def test_of_an_amount_that_is_not_there_nothing_is_owed() -> None:
    assert Template("{% load money %}{{ sums.paid|dollars }}").render(Context({"sums": {}})) == "$0.00"
