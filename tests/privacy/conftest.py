"""The local marketplace, for removing people who came from one."""

from tests.hits.conftest import fresh, market, mturk, running_market

__all__ = ["fresh", "market", "mturk", "running_market"]
