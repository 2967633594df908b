"""The network between a worker and us fails: for a moment, for a while, for too long; with and without a reset.

The study's times are scaled down: a grace of 10 s up to the third round, then of 20 s, stands for 60 s and 180 s. All
scenes of a length of time are played at once, each in a study of its own.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

import pytest

from chat.protocol import Have
from tests.drill import pages
from tests.drill.cluster import Cluster, report, until
from tests.drill.pages import Page, Pair
from tests.drill.proxy import Network

pytestmark = pytest.mark.timeout(300)

GRACE = {"grace_seconds": 10, "grace_rounds": 3, "long_grace_seconds": 20, "rounds": 5}
NOTICED = 13.0
"""Within so many seconds the server notices that a page is gone without a word: ping 5 s, patience 8 s."""
SLACK = 10.0
"""For two busy cores, and for looking."""


async def first_question(pair: Pair) -> None:
    """Just paired."""


async def watching(pair: Pair) -> None:
    await pair.exchange()
    assert pair.answerer.move == "watch"


async def early(pair: Pair) -> None:
    await pair.rounds(1)
    await pair.exchange()


async def late(pair: Pair) -> None:
    await pair.rounds(4)


async def summary(pair: Pair) -> None:
    await pair.rounds(5)
    await pair.answerer.until(lambda: pair.answerer.ended, 10, "the Answerer's end")


STAGES: dict[str, Callable[[Pair], Awaitable[None]]] = {
    "first_question": first_question,
    "watching": watching,
    "early": early,
    "late": late,
    "summary": summary,
}
SCENES = [(stage, role) for stage in STAGES for role in ("questioner", "answerer")]
SCENES.remove(("summary", "answerer"))  # who is done by then


@dataclass
class Scene:
    """A pair at a stage, one of whom is behind a network that the test breaks."""

    stage: str
    pair: Pair
    lost: Page
    network: Network

    @property
    def stays(self) -> Page:
        return self.pair.partner(self.lost)

    def __str__(self) -> str:
        return f"{self.lost.role} at {self.stage}"


async def scene(cluster: Cluster, stage: str, role: str, network: Network) -> Scene:
    """Play up to a stage; ``role`` is behind the network, on a process of their own."""
    study = await asyncio.to_thread(lambda: cluster.study(**GRACE))
    while True:
        pair = await pages.pair(cluster, study, (network.url, cluster.webs[1].url))
        behind = next(page for page in pair.pages if page.url == network.url)
        if behind.role == role:
            break
        await pair.close()  # roles are drawn
    await STAGES[stage](pair)
    return Scene(stage, pair, behind, network)


async def play(
    cluster: Cluster, drill: Callable[[Scene], Awaitable[None]], scenes: Iterable[tuple[str, str]] = SCENES
) -> None:
    """Play scenes at once and name those that fail."""

    async def one(stage: str, role: str) -> None:
        async with Network(cluster.webs[0].port) as network:
            played = await scene(cluster, stage, role, network)
            try:
                await drill(played)
            finally:
                await played.pair.close()

    chosen = list(scenes)
    done = await asyncio.gather(*(one(*each) for each in chosen), return_exceptions=True)
    failed = [f"{role} at {stage}: {error}" for (stage, role), error in zip(chosen, done, strict=True) if error]
    assert not failed, "\n".join(failed)


def events(cluster: Cluster, pair: Pair) -> list[str]:
    rows = cluster.ask("SELECT kind FROM chat_dialogevent WHERE dialog_id = %s ORDER BY version", pair.dialog)
    return [row["kind"] for row in rows]


async def goes_on(played: Scene) -> None:
    """Both go on to a complete end."""
    if played.stage == "summary":
        await played.lost.say()
        await played.lost.until(lambda: played.lost.ended, 10, "the end")
    else:
        await played.pair.finish()


async def lost_for(played: Scene, seconds: float) -> None:
    """Reset the connection, and let no new one through for a while; then the page comes back by itself."""
    before = list(played.lost.lines)
    played.network.cut()
    await asyncio.sleep(seconds)
    played.network.mend()
    await played.lost.reopen()
    assert played.lost.lines[: len(before)] == before


async def test_a_cut_of_half_a_second_is_not_shown_to_the_partner_at_any_stage(cluster: Cluster) -> None:
    async def drill(played: Scene) -> None:
        await lost_for(played, 0.5)
        await asyncio.sleep(5)
        assert "lost" not in events(cluster, played.pair)
        assert not played.stays.lost_seen
        await goes_on(played)

    await play(cluster, drill)


async def test_after_a_cut_of_five_seconds_both_go_on_at_any_stage(cluster: Cluster) -> None:
    async def drill(played: Scene) -> None:
        await lost_for(played, 5)
        if played.stays.lost_seen:
            await played.stays.until(lambda: played.stays.seen.partner_lost is None, 15, "that the partner is back")
        await goes_on(played)
        assert not played.stays.seen.partner_lost

    await play(cluster, drill)


@pytest.mark.parametrize("long", [False, True], ids=["longer_than_the_short_grace", "longer_than_the_long_grace"])
async def test_after_a_longer_cut_the_grace_of_the_round_decides(cluster: Cluster, long: bool) -> None:
    async def drill(played: Scene) -> None:
        played.network.cut()
        cut = time.monotonic()
        given_up = played.stage != "summary" and (played.stage != "late" or long)
        if given_up:
            grace = 20 if played.stage == "late" else 10
            await played.stays.until(
                lambda: played.stays.phase == "choice", grace + 3 + 2 * 2 + SLACK, "the choice after the grace"
            )
            assert time.monotonic() - cut >= grace + 2.9
            assert played.stays.lost_seen
        else:
            await asyncio.sleep(35 if long else 15)
        played.network.mend()
        await played.lost.reopen()
        if given_up:
            await played.lost.until(lambda: played.lost.ended, 15, "the end")
            assert played.lost.ended is not None
            assert played.lost.ended.end.outcome == "left"
        else:
            await goes_on(played)

    await play(cluster, drill)


async def test_who_is_cut_off_while_waiting_keeps_the_place_and_is_not_paired_with_anybody(cluster: Cluster) -> None:
    study = await asyncio.to_thread(lambda: cluster.study(**GRACE))
    async with Network(cluster.webs[0].port) as network:
        lost = await Page(await pages.join(cluster, study), network.url).open()
        network.cut()
        await asyncio.sleep(1)
        second = await Page(await pages.join(cluster, study), cluster.webs[1].url).open()
        await asyncio.sleep(5)
        assert second.phase == "waiting", "they were paired with somebody who is not there"
        network.mend()
        await lost.reopen()
        assert lost.seen is not None
        assert lost.seen.wait is not None
        assert lost.seen.wait.so_far > 5, "the wait began anew"
        for page in (lost, second):
            await page.until(lambda page=page: page.phase == "dialog", 15, "a partner")  # type: ignore[misc]
            await page.close()


async def test_a_short_loss_without_a_reset_costs_nobody_the_connection(cluster: Cluster) -> None:
    async def drill(played: Scene) -> None:
        opened = played.lost.socket
        played.network.hold()
        await asyncio.sleep(5)
        played.network.mend()
        await goes_on(played)
        assert played.lost.socket is opened
        assert not played.stays.lost_seen

    await play(cluster, drill)


async def test_a_page_that_is_gone_without_a_word_is_noticed_within_13_seconds(cluster: Cluster) -> None:
    took: list[float] = []

    async def drill(played: Scene) -> None:
        played.network.swallows = True
        # From the moment of the last sign of life, which may lie up to a ping before the hole.
        gone = "SELECT count(*) FROM chat_seat WHERE dialog_id = %s AND role = %s AND away_since IS NOT NULL"
        took.append(
            await until(
                "the loss", lambda: cluster.one(gone, played.pair.dialog, played.lost.role), NOTICED + SLACK, 0.2
            )
        )
        if played.stage != "summary":
            await played.stays.until(lambda: played.stays.lost_seen, 3 + 2 * 2 + SLACK, "that the partner is lost")
        played.network.mend()
        await played.lost.reopen()
        await goes_on(played)

    await play(cluster, drill)
    report(f"Black holes noticed after {min(took):.1f} to {max(took):.1f} s ({len(took)} pages).")


async def test_a_page_that_answers_no_ping_but_sends_frames_stays(cluster: Cluster) -> None:
    async with pages.pairs(cluster, 1) as (pair,):
        deaf = await Page(pair.questioner.token, cluster.webs[0].url).open(answers_pings=False)
        for _ in range(10):
            await deaf.send(Have(0))
            await asyncio.sleep(2)
        assert deaf.closed is None
        await until("the loss of a silent one", lambda: deaf.closed is not None, NOTICED + SLACK)


@pytest.mark.quick
async def test_a_text_on_its_way_when_the_network_is_cut_is_stored_once(cluster: Cluster) -> None:
    async with Network(cluster.webs[0].port) as network:
        for swallowed in (True, False):  # lost on the way there, or its ack on the way back
            played = await scene(cluster, "first_question", "questioner", network)
            key = pages.new_key()
            network.swallows = swallowed
            await played.lost.send(pages.Ask(key, pages.TEXTS["ask"]))
            await asyncio.sleep(0 if not swallowed else 0.2)
            network.cut()
            network.mend()
            await played.lost.reopen()
            await played.lost.send(pages.Ask(key, pages.TEXTS["ask"]))
            await played.lost.until(lambda: key in played.lost.acks, 10, "the ack")  # noqa: B023
            assert cluster.one("SELECT count(*) FROM chat_utterance WHERE dialog_id = %s", played.pair.dialog) == 1
            await played.lost.until(lambda: played.lost.move == "wait", 15, "the own line")  # noqa: B023
            await played.pair.finish()
            await played.pair.close()


async def test_a_slow_network_delays_one_dialog_and_no_other(cluster: Cluster) -> None:
    async with Network(cluster.webs[0].port) as network, pages.pairs(cluster, 1) as (other,):
        slow = await scene(cluster, "first_question", "questioner", network)
        network.delay = 1.0
        talking = asyncio.create_task(slow.pair.exchange())
        others = [await other.exchange() for _ in range(5)]
        assert await talking >= 1
        assert sorted(others)[2] < 1, others
        network.delay = 0
        await slow.pair.close()
