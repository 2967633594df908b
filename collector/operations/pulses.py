"""Are the worker and the beat alive? Each writes a row now and then; how old it is tells."""

import logging
from datetime import timedelta
from time import monotonic
from typing import Any

from celery.beat import PersistentScheduler
from django.db import DatabaseError, InterfaceError, connection

from collector.lib import clock
from collector.operations.models import Pulse

log = logging.getLogger(__name__)

WORKER, BEAT = "worker", "beat"
EVERY = timedelta(seconds=15)
SILENT_AFTER = timedelta(minutes=2)
"""Several signs must be missing: one late sign is a busy machine."""


def give(name: str) -> None:
    """Write that a process of this kind is alive."""
    Pulse.objects.update_or_create(name=name, defaults={"at": clock.now()})


def ages() -> dict[str, timedelta]:
    """Return how long ago each kind of process was heard of; one that never was is left out."""
    now = clock.now()
    return {pulse.name: now - pulse.at for pulse in Pulse.objects.all()}


def age(name: str) -> timedelta | None:
    """Return how long ago a process of this kind was heard of, or None if never."""
    return ages().get(name)


class Scheduler(PersistentScheduler):  # type: ignore[misc]  # celery is untyped
    """Celery's own scheduler that gives a sign of life as it ticks. The database may be away; the beat goes on."""

    _given = 0.0

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due; return the seconds to the next tick."""
        seconds: float = super().tick(*args, **kwargs)
        if monotonic() - self._given >= EVERY.total_seconds():
            self._given = monotonic()
            try:
                give(BEAT)
            except (DatabaseError, InterfaceError) as error:
                log.warning("The beat could not give a sign of life: %s", error)
                connection.close()
        return min(seconds, EVERY.total_seconds())
