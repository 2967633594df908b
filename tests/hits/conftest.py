"""The local marketplace, for tests of what speaks to one, and a desk without a worker process."""

import pytest

from chat import presence
from hits import tasks
from tests.hits.recruiting import VISITORS
from tests.localmarket.conftest import market, mturk, running_market

__all__ = ["market", "mturk", "running_market"]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Know no visitor, be here, and ask for nothing: the worker process is not there."""
    VISITORS.clear()
    presence.renew_lease()
    monkeypatch.setattr(tasks, "look_after_hits_soon", lambda: None)
