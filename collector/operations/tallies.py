"""How many pages failed lately, over all web processes? Each adds what it counted to a row for the minute.

Prometheus asks each process for itself; alarms must not depend on it. What could not be added, because the database
was away, is added when it is back.
"""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import F, Sum
from prometheus_client import REGISTRY

from chat.lifespan import Lifespan, every
from chat.rules import Code
from chat.threads import in_database
from collector.lib import clock
from collector.operations.models import Minute

ADDED_EVERY = 10.0
KEPT = timedelta(days=2)
_CLASSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
_added: dict[str, int] = {}
"""What this process has added so far."""


@dataclass(frozen=True)
class Lately:
    """What was answered within some minutes."""

    pages: int
    errors: int
    texts: int
    busy: int

    @property
    def errors_percent(self) -> float:
        """How many of a hundred pages failed."""
        return 100 * self.errors / max(1, self.pages)

    @property
    def busy_percent(self) -> float:
        """How many of a hundred texts were put off."""
        return 100 * self.busy / max(1, self.busy + self.texts)


class Counting(Lifespan):
    """The chat's lifespan, which adds up what this process answered as well."""

    async def _start(self) -> None:
        await super()._start()
        self._tasks.append(asyncio.get_running_loop().create_task(every(ADDED_EVERY, _add)))


async def _add() -> None:
    await in_database(add)


def add() -> None:
    """Add what this process has counted since it did so last."""
    counted = _counted()
    new = {name: number - _added.get(name, 0) for name, number in counted.items()}
    if any(new.values()):
        minute = clock.now().replace(second=0, microsecond=0)
        Minute.objects.get_or_create(at=minute)
        Minute.objects.filter(at=minute).update(**{name: F(name) + number for name, number in new.items()})
        _added.update(counted)


def _counted() -> dict[str, int]:
    answered = {name: _sample("collector_requests_total", status=name) for name in _CLASSES}
    return {
        "pages": sum(answered.values()),
        "errors": answered["5xx"],
        "texts": _sample("collector_texts_stored_total"),
        "busy": _sample("collector_refusals_total", code=Code.BUSY),
    }


def _sample(name: str, **labels: str) -> int:
    return int(REGISTRY.get_sample_value(name, labels) or 0)


def lately(minutes: int) -> Lately:
    """Return what all web processes have answered within so many minutes."""
    rows = Minute.objects.filter(at__gt=clock.now() - timedelta(minutes=minutes + 1))
    sums = rows.aggregate(*(Sum(name, default=0) for name in ("pages", "errors", "texts", "busy")))
    return Lately(*(sums[f"{name}__sum"] for name in ("pages", "errors", "texts", "busy")))


def forget() -> None:
    """Delete what nobody asks for any more."""
    Minute.objects.filter(at__lt=clock.now() - KEPT).delete()
