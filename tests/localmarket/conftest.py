"""A running local marketplace for tests, begun anew for each."""

from collections.abc import Iterator

import pytest
from botocore.client import BaseClient

from tests.localmarket.market import LocalMarket


@pytest.fixture(scope="session")
def running_market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalMarket]:
    """One process for all tests."""
    market = LocalMarket(tmp_path_factory.mktemp("localmarket"))
    market.start()
    try:
        yield market
        assert "Traceback" not in market.log
    finally:
        market.stop()


@pytest.fixture
def market(running_market: LocalMarket) -> LocalMarket:
    """The market as it is at first."""
    running_market.control("reset")
    return running_market


@pytest.fixture
def mturk(market: LocalMarket) -> BaseClient:
    """A requester's client that tries each call once."""
    return market.client()
