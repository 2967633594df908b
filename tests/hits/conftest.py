"""The local marketplace, for tests of what speaks to one."""

from tests.localmarket.conftest import market, mturk, running_market

__all__ = ["market", "mturk", "running_market"]
