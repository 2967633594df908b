"""Redis or PostgreSQL stops, or hangs, and comes back; dialogs wait and go on."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest

from tests.drill import pages
from tests.drill.cluster import Cluster, report
from tests.drill.load import load
from tests.services import Server

pytestmark = pytest.mark.timeout(300)
AWAY = 10.0
THINK = 0.5
"""Between two lines of a pair, in seconds, so that its rounds last longer than the failure."""
RUNG = 0.5
"""A line rung for is with the partner within so many seconds; one that a poll finds takes a second and a little."""

Failure = Callable[[Server], AbstractContextManager[None]]


@contextlib.contextmanager
def stopped(server: Server) -> Iterator[None]:
    """Stop a server for the length of a block."""
    server.stop()
    try:
        yield
    finally:
        server.start()


FAILURES: dict[str, Failure] = {"stops": stopped, "hangs": lambda server: server.frozen()}


@pytest.mark.parametrize("how", FAILURES)
async def test_redis_away_for_ten_seconds_costs_a_second_a_line_and_no_line(cluster: Cluster, how: str) -> None:
    async with pages.pairs(cluster, 3, rounds=30) as made:
        for pair in made:
            await pair.rounds(1)
        before = [await pair.exchange() for pair in made]
        without: list[float] = []
        with FAILURES[how](cluster.redis):
            end = time.monotonic() + AWAY
            while time.monotonic() < end:
                without += await asyncio.gather(*(pair.exchange() for pair in made))
                await asyncio.sleep(THINK)
        # Doorbells ring again as soon as both processes listen again.
        back = time.monotonic()
        after = [1.0]
        while max(after) > RUNG:
            assert time.monotonic() - back < 10, f"doorbells do not ring again: {after}"
            after = await asyncio.gather(*(pair.exchange() for pair in made[:2]))
        rang = time.monotonic() - back
        for pair in made:
            await pair.finish()
        assert not any(page.lost_seen or page.refusals for pair in made for page in pair.pages)
    report(
        f"Redis {how}: a line took {max(before):.2f} s before, {max(without):.2f} s at most without it, "
        f"{max(after):.2f} s after; doorbells rang {rang:.1f} s after it was back."
    )
    assert max(without) < 3


@pytest.mark.parametrize("how", FAILURES)
async def test_postgresql_away_for_ten_seconds_loses_and_doubles_nothing(cluster: Cluster, how: str) -> None:
    async with load(cluster, 10, think=0.5) as talking:
        await asyncio.sleep(6)
        with FAILURES[how](cluster.postgres):
            await asyncio.sleep(AWAY)
        await asyncio.sleep(5)
    report(f"PostgreSQL {how} for {AWAY:.0f} s: {talking.check()}")
    # A short failure of the database is no reason to lose a socket.
    assert not talking.gaps, talking.codes


@pytest.mark.parametrize("how", FAILURES)
async def test_postgresql_away_for_longer_than_a_grace_ends_nobody_s_dialog(cluster: Cluster, how: str) -> None:
    times = {"grace_seconds": 10, "long_grace_seconds": 10, "rounds": 2}
    async with pages.pairs(cluster, 2, **times) as made:
        for pair in made:
            await pair.rounds(1)
        with FAILURES[how](cluster.postgres):
            writing = [asyncio.create_task(pair.questioner.say(seconds=60)) for pair in made]
            await asyncio.sleep(18)
        took = await asyncio.gather(*writing)
        refused = [refusal.code for pair in made for refusal in pair.questioner.refusals]
        await asyncio.sleep(6)  # sweeps
        for pair in made:
            assert len(pair.answerer.lines) == 3
            assert not pair.answerer.lost_seen
            await pair.finish()
    report(
        f"PostgreSQL {how} for 18 s: texts were stored {max(took) - 18:.1f} s after; {len(refused)} refused as busy."
    )
    assert set(refused) <= {"busy"}
    if how == "stops":
        assert refused


async def test_without_postgresql_pages_answer_with_a_sentence_and_a_reconnect_waits(cluster: Cluster) -> None:
    async with pages.pairs(cluster, 1) as (pair,), httpx.AsyncClient(timeout=20) as http:
        await pair.rounds(1)
        token, media = pair.answerer.token, pair.answerer.seen
        assert media is not None
        assert media.media is not None
        with stopped(cluster.postgres):
            for path in (f"/w/{token}/", f"/w/{token}/finish/", "/join/demo/", media.media.video):
                answer = await http.get(cluster.url + path)
                assert answer.status_code == 503, f"{path}: {answer.status_code}"
                assert "busy for a moment" in answer.text
                assert "Traceback" not in answer.text
            await pair.questioner.close()
            with contextlib.suppress(AssertionError):
                await pair.questioner.open()
            await pair.questioner.until(lambda: pair.questioner.closed == 1013, 15, "the close code that says later")
            assert pair.questioner.refusals[-1].code == "busy"
        await pair.questioner.reopen()
        await pair.finish()
