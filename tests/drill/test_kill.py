"""Web processes are killed, restarted and away for long while people talk; nobody loses a word or the dialog."""

import asyncio
import signal

import pytest

from tests.drill import pages
from tests.drill.cluster import Cluster, report
from tests.drill.load import load

pytestmark = pytest.mark.timeout(600)
KILLS = 20
PAIRS = 20


async def test_processes_killed_20_times_under_load_lose_nothing_that_was_shown(cluster: Cluster) -> None:
    async with load(cluster, PAIRS, think=0.4) as talking:
        await asyncio.sleep(5)
        for kill in range(KILLS):
            web = cluster.webs[kill % len(cluster.webs)]
            await asyncio.to_thread(web.kill)
            await asyncio.sleep(1)
            await asyncio.to_thread(web.start)
            await asyncio.sleep(1)
    report(f"{KILLS} kills: {talking.check()}")
    assert len(talking.gaps) >= KILLS * PAIRS / 2, "the kills hit nobody"
    talking.check_gaps()


async def test_a_rolling_restart_under_load_costs_nobody_more_than_a_reconnect(cluster: Cluster) -> None:
    async with load(cluster, PAIRS, think=0.4) as talking:
        await asyncio.sleep(5)
        for web in cluster.webs:
            stopped = await asyncio.to_thread(web.stop)
            assert stopped == -signal.SIGTERM, "the process did not end in order"  # uvicorn's, after its shutdown
            await asyncio.to_thread(web.start)
            await asyncio.sleep(2)
    report(f"Rolling restart: {talking.check()}")
    assert set(talking.codes) <= {1001, 1012}, f"sockets were not closed in order: {talking.codes}"
    talking.check_gaps()


async def test_two_minutes_of_downtime_end_nobody_s_dialog_and_take_nobody_s_time(cluster: Cluster) -> None:
    # Deadlines and the time of the last sweep move back instead of two minutes being slept through.
    async with pages.pairs(cluster, 2, turn_minutes=1, grace_seconds=10, long_grace_seconds=10) as made:
        for pair in made:
            await pair.rounds(1)
        for web in cluster.webs:
            await asyncio.to_thread(web.kill)
        back = "interval '120 seconds'"
        cluster.ask(f"UPDATE chat_sweep SET swept_at = swept_at - {back}")
        cluster.ask(f"UPDATE chat_processlease SET renewed_at = renewed_at - {back}")
        cluster.ask(
            f"UPDATE chat_dialog SET turn_due_at = turn_due_at - {back}, turn_latest_at = turn_latest_at - {back},"
            f" due_at = due_at - {back} WHERE ended_at IS NULL"
        )
        cluster.ask(f"UPDATE chat_seat SET due_at = due_at - {back}, away_since = away_since - {back}")
        for web in cluster.webs:
            await asyncio.to_thread(web.start)
        await asyncio.sleep(3)
        for pair in made:
            for page in pair.pages:
                await page.reopen()
                assert page.phase == "dialog"
            assert pair.questioner.seen is not None
            assert (pair.questioner.seen.turn_left or 0) > 30
            await pair.finish()
