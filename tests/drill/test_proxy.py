"""Through nginx, as installations run: quiet sockets stay open, and partners meet across processes."""

import asyncio

import pytest

from tests.drill import pages
from tests.drill.cluster import Cluster, report

pytestmark = pytest.mark.timeout(300)


async def test_quiet_sockets_stay_open_through_the_proxy_for_longer_than_a_minute(cluster: Cluster) -> None:
    study = await asyncio.to_thread(cluster.study)
    pair = await pages.pair(cluster, study, (cluster.url, cluster.url))
    waits = await pages.Page(await pages.join(cluster, await asyncio.to_thread(cluster.study)), cluster.url).open()
    sockets = [page.socket for page in (*pair.pages, waits)]
    before = [len(page.frames) for page in pair.pages]
    await asyncio.sleep(75)
    assert [page.socket for page in (*pair.pages, waits)] == sockets
    assert all(page.closed is None for page in (*pair.pages, waits))
    assert [len(page.frames) for page in pair.pages] == before, "they were not quiet"
    took = await pair.exchange()
    report(f"After 75 quiet seconds a line took {took:.2f} s.")
    await pair.close(), await waits.close()


@pytest.mark.quick
async def test_partners_at_different_processes_hold_a_whole_dialog_through_the_proxy(cluster: Cluster) -> None:
    study = await asyncio.to_thread(cluster.study)
    pair = await pages.pair(cluster, study, (cluster.url, cluster.url))

    def processes() -> int:
        return int(cluster.one("SELECT count(DISTINCT process) FROM chat_seat WHERE dialog_id = %s", pair.dialog))

    while await asyncio.to_thread(processes) == 1:  # nginx deals in turn
        await pair.questioner.reopen()
    took = []
    await pair.exchange()
    while pair.questioner.move != "summarise":
        took.append(await pair.exchange())
    await pair.finish()
    report(
        f"Across processes a line took {max(took):.3f} s at most, {sorted(took)[len(took) // 2]:.3f} s in the middle."
    )
    assert sorted(took)[len(took) // 2] < 0.3, "doorbells do not ring"
