"""What do all processes share that is worth a curve? Read from the database when Prometheus asks.

Every process tells the same of these; take the maximum over processes. Queries go by partial indexes or few rows, and
the answer is kept for some seconds, so that several scrapers cost what one does.
"""

import json
from collections.abc import Iterator
from time import monotonic, time

import redis
from django.conf import settings
from django.db.models import Count
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector, CollectorRegistry

from chat.models import Dialog, Seat, SeatState, Sweep
from collector.lib import clock
from collector.operations import pulses
from hits.models import LedgerEntry

KEPT = 5.0


class Shared(Collector):
    """A collector of the client library, over the database."""

    def __init__(self) -> None:
        self._asked_at = -KEPT
        self._last: list[GaugeMetricFamily] = []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the families, as new as some seconds."""
        if monotonic() - self._asked_at > KEPT:
            self._last, self._asked_at = list(_families()), monotonic()
        yield from self._last


def _families() -> Iterator[GaugeMetricFamily]:
    waiting = GaugeMetricFamily("collector_waiting", "Workers who wait and whose pages are there.", labels=["study"])
    here = Seat.objects.filter(state=SeatState.WAITING, is_simulated=False).exclude(connection="").order_by()
    for study, number in here.values_list("study__slug").annotate(Count("pk")):
        waiting.add_metric([study], number)
    yield waiting
    live = GaugeMetricFamily("collector_live_dialogs", "Dialogs under way.", labels=["study"])
    running = Dialog.objects.filter(ended_at__isnull=True).order_by()
    for study, number in running.values_list("study__slug").annotate(Count("pk")):
        live.add_metric([study], number)
    yield live
    ledger = GaugeMetricFamily("collector_ledger_entries", "Entries of the ledger, by state.", labels=["state"])
    for state, number in LedgerEntry.objects.order_by().values_list("state").annotate(Count("pk")):
        ledger.add_metric([state], number)
    yield ledger
    if sweep := Sweep.objects.first():
        age = (clock.now() - sweep.swept_at).total_seconds()
        yield GaugeMetricFamily("collector_sweep_age_seconds", "Since the last sweep for what ran out.", value=age)
    pulse = GaugeMetricFamily("collector_silence_seconds", "Since a process was heard of.", labels=["process"])
    for name in (pulses.WORKER, pulses.BEAT):
        if (silent := pulses.age(name)) is not None:
            pulse.add_metric([name], silent.total_seconds())
    yield pulse
    yield from _queues()


def _queues() -> Iterator[GaugeMetricFamily]:
    queued = GaugeMetricFamily("collector_queued_tasks", "Tasks that wait for a worker.", labels=["queue"])
    oldest = GaugeMetricFamily("collector_queue_age_seconds", "How long the oldest of them waits.", labels=["queue"])
    try:
        for name, number, age in _in_redis() if settings.REDIS_URL else _in_folder():
            queued.add_metric([name], number)
            oldest.add_metric([name], age)
    except (redis.RedisError, OSError):
        return  # its absence is what /readyz tells of
    yield queued
    yield oldest


def _in_redis() -> Iterator[tuple[str, int, float]]:
    """Yield of each queue its name, how many tasks wait, and how old the oldest is in seconds; 0 where none waits."""
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as client:
        for queue in settings.CELERY_TASK_QUEUES:
            last = client.lindex(queue.name, -1)  # new ones are put in front
            sent_at = json.loads(last)["headers"].get("sent_at") if last else None
            yield queue.name, client.llen(queue.name), max(0.0, time() - sent_at) if sent_at else 0.0


def _in_folder() -> Iterator[tuple[str, int, float]]:
    """Yield the same of the queue that is a folder."""
    files = list((settings.VAR_DIR / "queue" / "messages").glob("*.msg"))
    for queue in settings.CELERY_TASK_QUEUES:
        times = [path.stat().st_mtime for path in files if path.name.endswith(f".{queue.name}.msg")]
        yield queue.name, len(times), max(0.0, time() - min(times)) if times else 0.0


shared = CollectorRegistry()
shared.register(Shared())
