"""Tabs, windows, reloads, leaving at the wrong moment: nobody has two places, and nobody is stranded."""

import asyncio
import time
from collections import Counter

import httpx
import pytest

from chat.protocol import Choose, Leave
from tests.drill import pages
from tests.drill.cluster import Cluster, report, until
from tests.drill.pages import Page

pytestmark = pytest.mark.timeout(300)


def seats(cluster: Cluster, study: str) -> list[dict[str, object]]:
    return cluster.ask(
        "SELECT seat.*, p.outcome FROM chat_seat seat JOIN studies_study s ON s.id = seat.study_id"
        " JOIN studies_participation p ON p.id = seat.participation_id WHERE s.slug = %s ORDER BY seat.id",
        study,
    )


@pytest.mark.quick
async def test_two_tabs_at_two_processes_are_one_seat_and_the_newest_has_it(cluster: Cluster) -> None:
    async with pages.pairs(cluster, 1, rounds=1) as (pair,):
        older = pair.questioner
        other = next(web.url for web in cluster.webs if web.url != older.url)
        newer = await Page(older.token, other).open()
        await older.until(lambda: older.moved, 15, "that it was opened elsewhere")
        await older.until(lambda: older.closed == 4001, 15, "the close")
        assert newer.role == "questioner"
        pair.questioner = newer
        await pair.finish()
        assert not pair.answerer.lost_seen


async def test_two_tabs_that_both_insist_end_with_one_that_has_the_seat(cluster: Cluster) -> None:
    async with pages.pairs(cluster, 1, rounds=1) as (pair,):
        token = pair.questioner.token
        tabs = [Page(token, web.url) for web in cluster.webs for _ in range(4)]
        await asyncio.gather(*(tab.open() for tab in tabs))
        await asyncio.sleep(3)
        alive = [tab for tab in tabs if tab.closed is None]
        assert len(alive) == 1
        assert all(tab.moved for tab in [*tabs, pair.questioner] if tab is not alive[0])
        pair.questioner = alive[0]
        await pair.finish()


async def test_one_worker_in_many_windows_never_holds_two_seats_nor_talks_to_themselves(cluster: Cluster) -> None:
    study = await asyncio.to_thread(cluster.study)
    participant = f"worker-{cluster.number()}"
    form = {"participant": participant, "consent": "yes"}
    async with httpx.AsyncClient(timeout=30) as http:
        answers = await asyncio.gather(*(http.post(f"{cluster.url}/join/{study}/", data=form) for _ in range(10)))
    tokens = {answer.headers["location"].strip("/").split("/")[1] for answer in answers}
    assert len(tokens) == 1
    tabs = [Page(token, web.url) for token in tokens for web in cluster.webs for _ in range(3)]
    await asyncio.gather(*(tab.open() for tab in tabs))
    await asyncio.sleep(4)  # two sweeps that pair
    assert len(seats(cluster, study)) == 1
    assert seats(cluster, study)[0]["state"] == "waiting"
    await asyncio.gather(*(tab.close() for tab in tabs))


async def test_a_burst_of_arrivals_at_both_processes_makes_no_double_seat(cluster: Cluster) -> None:
    study = await asyncio.to_thread(cluster.study)
    tokens = await asyncio.gather(*(pages.join(cluster, study) for _ in range(60)))
    opened = [Page(token, web.url) for token in tokens for web in cluster.webs]
    await asyncio.gather(*(page.open() for page in opened))
    for page in opened:
        await page.until(lambda page=page: page.role or page.moved, 15, "a partner")  # type: ignore[misc]
    rows = seats(cluster, study)
    assert len(rows) == 60
    assert set(Counter(row["dialog_id"] for row in rows).values()) == {2}
    await asyncio.gather(*(page.close() for page in opened))


@pytest.mark.parametrize("way", ["leaves", "closes", "is_cut_off"])
async def test_who_goes_while_being_paired_strands_nobody(cluster: Cluster, way: str) -> None:
    """Again and again the first one goes just as the second comes, who then waits on or chooses."""
    study = await asyncio.to_thread(lambda: cluster.study(grace_seconds=10, long_grace_seconds=10))
    ends: Counter[str] = Counter()

    async def once(number: int) -> None:
        first = await Page(await pages.join(cluster, study), cluster.webs[0].url).open()
        second = Page(await pages.join(cluster, study), cluster.webs[1].url)
        coming = asyncio.create_task(second.open())
        await asyncio.sleep(number * 0.002)
        if way == "leaves":
            await first.send(Leave())
        elif way == "closes":
            await first.close()
        elif first.socket is not None:
            first.socket.transport.abort()
        await coming
        await asyncio.sleep(1)
        if second.phase == "dialog" and way != "leaves":
            await second.until(lambda: second.phase == "choice", 20, "the choice")
        if way == "leaves" and second.phase == "dialog":
            await second.until(lambda: second.phase == "choice", 15, "the choice")
        ends[second.phase] += 1
        assert second.phase in ("waiting", "choice")
        if second.phase == "choice":
            await second.send(Choose(wait=False))
            await second.until(lambda: second.ended, 15, "the end")
            assert second.ended is not None
            assert second.ended.end.outcome == "partner_left"
        else:
            await second.send(Leave())
        await second.close()
        await first.close()

    for number in range(0, 20, 5):  # one after the other, or they would meet the next ones
        await once(number)

    def nobody_holds_a_place() -> bool:
        return all(row["state"] == "closed" or row["connection"] == "" for row in seats(cluster, study))

    await until("that nobody holds a place", nobody_holds_a_place, 5)
    report(f"The first {way.replace('_', ' ')}: {dict(ends)}")


@pytest.mark.quick
async def test_an_empty_pool_lets_everybody_go_with_a_reason(cluster: Cluster) -> None:
    study = await asyncio.to_thread(lambda: cluster.study(videos=0))
    waiting = [await Page(await pages.join(cluster, study), web.url).open() for web in cluster.webs]
    for page in waiting:
        await page.until(lambda page=page: page.ended, 15, "the end")  # type: ignore[misc]
        assert page.ended is not None
        assert page.ended.end.outcome == "study_ended"
        assert page.ended.end.sentence
        await page.close()


async def test_both_gone_end_the_dialog_and_both_learn_of_it_when_they_come_back(cluster: Cluster) -> None:
    async with pages.pairs(cluster, 1, grace_seconds=10, long_grace_seconds=10) as (pair,):
        await pair.rounds(1)
        for page in pair.pages:
            assert page.socket is not None
            page.socket.transport.abort()
        await asyncio.sleep(18)
        for page in pair.pages:
            await page.reopen()
            await page.until(lambda page=page: page.ended, 15, "the end")  # type: ignore[misc]
            assert page.ended is not None
            assert page.ended.end.outcome == "left"


async def test_a_reload_at_every_stage_lands_where_the_worker_was(cluster: Cluster) -> None:
    study = await asyncio.to_thread(lambda: cluster.study(rounds=2))
    alone = await Page(await pages.join(cluster, study), cluster.url).open()
    again = await Page(alone.token, cluster.url).open()
    assert (again.phase, again.seen and again.seen.seat) == ("waiting", alone.seen and alone.seen.seat)
    await again.send(Leave())
    await again.close(), await alone.close()

    took: list[float] = []
    async with pages.pairs(cluster, 1, rounds=2) as (pair,):
        while not pair.questioner.ended:
            for page in pair.pages:
                if page.ended:
                    continue
                await page.until(lambda: pair.questioner.version == pair.answerer.version or pair.answerer.ended, 15)
                started = time.monotonic()
                fresh = await Page(page.token, cluster.url).open()
                took.append(time.monotonic() - started)
                assert (fresh.role, fresh.move, fresh.lines) == (page.role, page.move, page.lines)
                assert fresh.seen is not None
                assert page.seen is not None
                assert fresh.seen.media == page.seen.media
                if page is pair.questioner:
                    pair.questioner = fresh
                else:
                    pair.answerer = fresh
            if pair.questioner.move == "summarise":
                await pair.questioner.say()
                await pair.questioner.until(lambda: pair.questioner.ended, 15, "the end")
            else:
                await pair.exchange()
        report(f"After a reload a worker is where they were within {max(took):.2f} s ({len(took)} reloads).")
        finished = await Page(pair.questioner.token, cluster.url).open()
        await finished.until(lambda: finished.ended, 15, "the end")
