"""A session that hangs holds the lock of one dialog's row; other dialogs do not wait for it."""

import asyncio

import pytest

from chat.protocol import Have, Watched
from tests.drill import pages
from tests.drill.cluster import Cluster, report

pytestmark = pytest.mark.timeout(300)
SANE = 3.0
HELD = 8.0
"""For so many seconds: longer than ``lock_timeout``."""


@pytest.mark.parametrize("doing", ["writes", "watches", "comes_back"])
async def test_a_locked_dialog_delays_no_other(cluster: Cluster, doing: str) -> None:
    async with pages.pairs(cluster, 2, rounds=50) as (locked, other):
        await other.rounds(1)
        lost = locked.answerer
        if doing == "comes_back":
            assert lost.socket is not None
            lost.socket.transport.abort()
            await locked.questioner.until(lambda: locked.questioner.lost_seen, 10, "that the partner is lost")
        took, late = [], []
        with cluster.locked(locked.dialog):
            work = asyncio.create_task(_do(doing, locked))
            end = asyncio.get_running_loop().time() + HELD
            while asyncio.get_running_loop().time() < end:
                took.append(await other.exchange())
                late.append(await _asked(other.questioner))
                await asyncio.sleep(0.2)
        await work
        assert not other.questioner.refusals
        await locked.rounds(1)
    report(
        f"One of a locked dialog {doing.replace('_', ' ')}: {len(took)} lines of another took {max(took):.2f} s at "
        f"most, {len(late)} snapshots {max(late):.2f} s."
    )
    assert max(took) < SANE
    assert max(late) < SANE


async def _do(doing: str, pair: pages.Pair) -> None:
    if doing == "writes":
        await pair.questioner.say(seconds=60)
    elif doing == "watches":
        page = pair.answerer
        assert page.seen is not None
        assert page.seen.media is not None
        while not (page.seen and page.seen.partner_watched):
            await page.send(Watched([(0.0, page.seen.media.duration)]))
            await asyncio.sleep(1)
    else:
        await pair.answerer.reopen(60)


async def _asked(page: pages.Page) -> float:
    started, before = asyncio.get_running_loop().time(), page.states
    await page.send(Have(page.version))
    await page.until(lambda: page.states > before, 10, "a snapshot")
    return asyncio.get_running_loop().time() - started
