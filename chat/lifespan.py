"""What runs as long as the process? The writer, the doorbell's listener, the sweeps; started and drained by ASGI."""

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from django.urls import get_resolver

from chat import deadlines, pairing, presence, publishing, threads, writing
from chat.models import Seat, SeatState
from chat.threads import in_database
from collector.lib import meters

log = logging.getLogger(__name__)

GC_THRESHOLDS = 50_000, 50, 100
CATCH_UP_SECONDS = 1.0
PAIR_SECONDS = 2.0
_writer: writing.Writer | None = None


def writer() -> writing.Writer:
    """Return this process's writer, started on first use."""
    global _writer
    if _writer is None:
        loop = asyncio.get_running_loop()

        def tell(receipts: list[writing.Receipt]) -> None:
            try:
                loop.call_soon_threadsafe(publishing.said_all, receipts)
            except RuntimeError:
                log.info("The loop ended before a stored text was relayed; its pages read it when they return.")

        _writer = writing.Writer(tell)
        _writer.start()
    return _writer


def stop_threads() -> None:
    """Drain the writer, end the threads and close their connections."""
    global _writer
    if _writer is not None:
        _writer.stop()
        _writer = None
    threads.stop()


class Lifespan:
    """The ASGI lifespan application."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    async def __call__(
        self, scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        """Start with the server, end with it."""
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await self._start()
                except Exception as error:
                    await send({"type": "lifespan.startup.failed", "message": f"The chat cannot start: {error}"})
                    return
                await send({"type": "lifespan.startup.complete"})
            else:
                await self._stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _start(self) -> None:
        get_resolver().url_patterns  # noqa: B018 - loaded now, not while the first worker waits for the first picture
        tune_garbage_collection()
        writer()
        await in_database(presence.renew_lease)
        loop = asyncio.get_running_loop()
        self._tasks = [
            loop.create_task(publishing.listen()),
            loop.create_task(every(CATCH_UP_SECONDS, publishing.catch_up)),
            loop.create_task(every(presence.RENEW_SECONDS, _renew)),
            loop.create_task(every(PAIR_SECONDS, sweep_waiting)),
            loop.create_task(every(deadlines.PERIOD.total_seconds(), sweep_deadlines)),
        ]

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await in_database(presence.drop_lease)
        await asyncio.to_thread(stop_threads)


def tune_garbage_collection() -> None:
    """Look for cycles seldom, and never among what was loaded at the start.

    With a thousand sockets the default looks through all their objects again and again: a pause for every page.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


async def every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    """Do ``work`` again and again; a failure is logged and does not end it."""
    while True:
        try:
            await work()
        except Exception:
            meters.failed_sweeps.inc()
            log.exception("A sweep failed; it is tried again.")
        await asyncio.sleep(seconds)


async def _renew() -> None:
    await in_database(presence.renew_lease)


async def sweep_deadlines() -> None:
    """End what ran out, and show it."""
    with meters.sweeping.time():
        swept = await in_database(deadlines.sweep)
    publishing.look_again(swept.dialogs, swept.seats)


async def sweep_waiting() -> None:
    """Pair in every study where at least two wait: an arrival's own attempt may have come too early."""
    for study_id in await in_database(_studies_with_waiting):
        await pairing.pair(study_id)


def _studies_with_waiting() -> list[int]:
    waiting = Seat.objects.filter(state=SeatState.WAITING).exclude(connection="")
    counts: dict[int, int] = {}
    for study_id in waiting.values_list("study", flat=True):
        counts[study_id] = counts.get(study_id, 0) + 1
    return sorted(study for study, count in counts.items() if count >= 2)
