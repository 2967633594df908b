"""How fast a marketplace is asked, and whether it agrees with us about the time."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import botocore.auth
import pytest

from collector.lib import clock
from hits import launching
from hits.launching import CannotLaunch
from hits.ledger import Answer
from hits.marketplace import clocks, pace
from hits.marketplace.base import MarketplaceError
from hits.marketplace.mturk import MTurk
from tests import factories
from tests.hits import recruiting
from tests.localmarket.market import LocalMarket


class Clock:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now, self.slept = 100.0, 0

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += 1


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Clock:
    made = Clock()
    settings.MARKETPLACE_RATES = {"live": 2.0, "sandbox": 0.5, "local": 1000.0}
    monkeypatch.setattr(pace, "_now", lambda: made.now)
    monkeypatch.setattr(pace, "_sleep", made.sleep)
    monkeypatch.setattr(pace, "_allowances", {})
    return made


def test_a_second_s_worth_goes_at_once_and_the_rest_waits_its_turn(moved: Clock) -> None:
    for _ in range(2):
        pace.wait("live")
    assert (moved.now, moved.slept) == (100.0, 0)
    for _ in range(10):
        pace.wait("live")
    assert (moved.now, moved.slept) == (105.0, 10)


def test_each_environment_has_its_own_rate(moved: Clock) -> None:
    for _ in range(3):
        pace.wait("live")
    before = moved.now
    pace.wait("sandbox")
    assert moved.now == before
    pace.wait("sandbox")
    assert moved.now == before + 2


def test_every_request_waits_its_turn_those_that_boto3_repeats_too(
    market: LocalMarket, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(pace, "wait", asked.append)
    market.control("faults", operation="GetAccountBalance", kind="error")
    recruiting.adapter(market).balance()
    assert asked == ["local", "local"]


# The time


@pytest.mark.django_db
@pytest.mark.parametrize("minutes", [6, 90])
def test_a_clock_that_is_wrong_stops_the_launch_with_what_to_do(market: LocalMarket, minutes: int) -> None:
    made, speaks = recruiting.recruitment(recruiting.study()), recruiting.adapter(market)
    with (
        clock.travel(timedelta(minutes=minutes)),
        pytest.raises(CannotLaunch, match=f"clock is {minutes} minutes ahead of .* timedatectl set-ntp true"),
    ):
        launching.launch(made, speaks)
    assert market.client().list_hits()["NumResults"] == 0
    launching.launch(made, speaks)


def test_a_few_minutes_are_nothing_and_more_are_said_both_ways() -> None:
    assert clocks.objection(None) == clocks.objection(timedelta(minutes=-4)) == clocks.objection(clocks.APART) == ""
    assert "7 minutes behind" in clocks.objection(timedelta(minutes=-7))
    assert clocks.ahead({}) is clocks.ahead({"date": "soon"}) is None


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[LocalMarket]:
    """A marketplace that checks signatures, and so their time."""
    made = LocalMarket(tmp_path, {"LOCALMARKET_ACCESS_KEYS": "KEY:secret"})
    made.start()
    yield made
    made.stop()


@pytest.mark.django_db
def test_a_signature_that_is_refused_for_its_time_is_said_to_be_the_clock_s_fault(
    strict: LocalMarket, monkeypatch: pytest.MonkeyPatch
) -> None:
    speaks = MTurk("local", strict.url, "KEY", "secret")
    assert speaks.balance() > 0
    real = botocore.auth.get_current_datetime
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: real() + timedelta(minutes=8))
    with clock.travel(timedelta(minutes=8)):
        with pytest.raises(MarketplaceError, match="clock is 8 minutes ahead") as caught:
            speaks.balance()
        part = factories.participation(entry={"assignmentId": "S1"})
        from hits import ledger

        owed = ledger.plan(part.worker_id, part.study_id, "reward", Decimal(1), "x", "k", participation=part)  # type: ignore[arg-type]
        assert speaks.pay(owed).answer == Answer.LATER, "nothing was done, and it is paid when the clock is right"
    assert not caught.value.is_final
    monkeypatch.undo()
    with pytest.raises(MarketplaceError, match="not match") as other:
        MTurk("local", strict.url, "KEY", "another").balance()
    assert other.value.code == "InvalidSignatureException", "a wrong secret is no matter of the clock"
