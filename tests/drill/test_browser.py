"""Real browsers behind a network that fails: what was written is kept, sent once, and both go on."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.drill.cluster import Cluster, report
from tests.drill.proxy import Network
from tests.e2e import workers

pytestmark = pytest.mark.timeout(300)

PATIENCE = 90_000
"""Milliseconds to wait for what must come: the server's notice, the scaled grace, a page's pauses, a busy machine."""


class Broken:
    """A network on a loop of its own: browser tests are synchronous."""

    def __init__(self, network: Network, loop: asyncio.AbstractEventLoop) -> None:
        self.network = network
        self._loop = loop

    def do(self, work: Any) -> None:
        """Call a method of the network on its loop."""
        done = threading.Event()
        self._loop.call_soon_threadsafe(lambda: (work(), done.set()))
        assert done.wait(5)


@contextmanager
def broken(target: int) -> Iterator[Broken]:
    """Give a network that can be broken."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    network = Network(target)
    asyncio.run_coroutine_threadsafe(network.__aenter__(), loop).result(10)
    try:
        yield Broken(network, loop)
    finally:
        asyncio.run_coroutine_threadsafe(network.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


@dataclass
class Scene:
    """Two browsers in one dialog; ``behind`` is the one whose network the test breaks."""

    pair: workers.Pair
    behind: Page
    stays: Page
    contexts: list[BrowserContext]


def scene(browser: Browser, cluster: Cluster, study: str, network: Network) -> Scene:
    """Bring two browsers together, each at another process, and have the Answerer watch."""
    contexts = [browser.new_context(viewport=workers.size("wide")) for _ in range(2)]
    behind, stays = (
        workers.join(context, url, f"browser-{cluster.number()}", study=study)
        for context, url in zip(contexts, (network.url, cluster.webs[1].url), strict=True)
    )
    pair = workers.roles(behind, stays)
    workers.watch(pair.answerer)
    return Scene(pair, behind, stays, contexts)


def ends(cluster: Cluster, study: str) -> list[tuple[str, str]]:
    """Return how the participations of a study ended and why, in the order of joining."""
    rows = cluster.ask(
        "SELECT outcome, why FROM studies_participation p JOIN studies_study s ON s.id = p.study_id"
        " WHERE s.slug = %s ORDER BY p.id",
        study,
    )
    return [(row["outcome"], row["why"]) for row in rows]


def lines(page: Page) -> list[str]:
    return page.locator(".line-text").all_inner_texts()


@pytest.mark.parametrize("seconds", [0.5, 5.0])
@pytest.mark.parametrize("way", ["cut", "hold"])
def test_what_is_written_while_the_network_is_away_arrives_once(
    browser: Browser, cluster: Cluster, seconds: float, way: str
) -> None:
    study = cluster.study()
    with broken(cluster.webs[0].port) as network:
        played = scene(browser, cluster, study, network.network)
        pair, behind, pages = played.pair, played.behind, [played.behind, played.stays]
        for number in (1, 2):
            workers.a_round(pair, number)
        if behind is pair.answerer:  # so that it is the turn of whoever is behind the network
            workers.expect_move(pair.questioner, "ask")
            workers.say(pair.questioner, workers.question(3))
            workers.expect_move(behind, "answer")
        else:
            workers.expect_move(behind, "ask")
        before = lines(behind)
        text = workers.question(30) if behind is pair.questioner else workers.answer(30)
        network.do(network.network.cut if way == "cut" else network.network.hold)
        workers.say(behind, text)
        time.sleep(seconds)
        network.do(network.network.mend)
        started = time.monotonic()
        for page in pages:
            expect(page.locator(".line-text")).to_have_text([*before, text], timeout=20_000)
        took = time.monotonic() - started
        expect(behind.locator(".line--pending")).to_have_count(0)
        report(f"Browser, {way} for {seconds} s: both had the line {took:.1f} s after the network was back.")
        workers.say(played.stays, workers.answer(31) if behind is pair.questioner else workers.question(31))
        expect(behind.locator(".line-text")).to_have_count(len(before) + 2, timeout=15_000)
        for context in played.contexts:
            context.close()
    stored = cluster.ask(
        "SELECT text FROM chat_utterance u JOIN chat_dialog d ON d.id = u.dialog_id JOIN studies_study s"
        " ON s.id = d.study_id WHERE s.slug = %s ORDER BY position",
        study,
    )
    assert [row["text"] for row in stored][: len(before) + 1] == [*before, text]


def test_after_a_cut_longer_than_the_grace_one_chooses_and_the_other_learns_how_it_ended(
    browser: Browser, cluster: Cluster
) -> None:
    study = cluster.study(grace_seconds=10, grace_rounds=3, long_grace_seconds=20, rounds=5)
    with broken(cluster.webs[0].port) as network:
        played = scene(browser, cluster, study, network.network)
        workers.a_round(played.pair, 1)
        workers.expect_move(played.pair.questioner, "ask")
        network.do(network.network.cut)
        expect(played.stays.locator("#lost")).to_be_visible(timeout=PATIENCE)
        expect(played.behind.locator("#banner")).to_contain_text("Reconnecting", timeout=PATIENCE)
        expect(played.stays.get_by_role("heading", name="Your partner is gone")).to_be_visible(timeout=PATIENCE)
        why = played.stays.locator("#choice-why")
        expect(why).to_have_text("They lost the connection and did not come back in time.")
        network.do(network.network.mend)
        told = played.behind.get_by_role("heading", name="Your connection was lost for too long")
        expect(told).to_be_visible(timeout=PATIENCE)
        if played.behind.locator("#end-go").is_visible():
            played.behind.locator("#end-go").click()
        played.behind.wait_for_url("**/finish/")
        expect(told).to_be_visible()
        expect(played.behind.locator("#code")).not_to_be_empty()
        played.stays.get_by_role("button", name="End and be paid").click()
        expect(played.stays.locator("#end-heading")).to_have_text("Your partner did not come back")
        for context in played.contexts:
            context.close()
    assert sorted(ends(cluster, study)) == [("left", "connection_lost"), ("partner_left", "partner_lost")]


def test_after_a_late_cut_longer_than_the_short_grace_both_finish(browser: Browser, cluster: Cluster) -> None:
    """The long grace leaves the page time for its longest pause between two attempts, 15 s."""
    study = cluster.study(grace_seconds=10, grace_rounds=3, long_grace_seconds=90, rounds=5)
    with broken(cluster.webs[0].port) as network:
        played = scene(browser, cluster, study, network.network)
        for number in range(1, 5):
            workers.a_round(played.pair, number)
        workers.expect_move(played.pair.questioner, "ask")
        network.do(network.network.cut)
        expect(played.stays.locator("#end-alone")).to_be_visible(timeout=PATIENCE)  # the short grace is over
        network.do(network.network.mend)
        expect(played.stays.locator("#lost")).to_be_hidden(timeout=PATIENCE)
        expect(played.behind.locator("#banner")).to_be_hidden(timeout=PATIENCE)
        workers.a_round(played.pair, 5)
        workers.expect_move(played.pair.questioner, "summarise")
        workers.say(played.pair.questioner, workers.SUMMARY)
        for page in (played.behind, played.stays):
            page.wait_for_url("**/finish/", timeout=PATIENCE)
        for context in played.contexts:
            context.close()
    assert ends(cluster, study) == [("complete", ""), ("complete", "")]


def test_two_browsers_go_on_while_the_process_under_each_is_killed_in_turn(browser: Browser, cluster: Cluster) -> None:
    study = cluster.study()
    contexts = [browser.new_context(viewport=workers.size("wide")) for _ in range(2)]
    pages = [workers.join(each, cluster.url, f"browser-{cluster.number()}", study=study) for each in contexts]
    pair = workers.roles(*pages)
    workers.watch(pair.answerer)
    for number in range(1, 7):
        if number % 2 == 0:
            cluster.webs[number // 2 % 2].kill()
        workers.a_round(pair, number)
        for web in cluster.webs:
            if web.process is None:
                web.start()
    for page in pages:
        expect(page.locator(".line-text")).to_have_count(12, timeout=15_000)
    for context in contexts:
        context.close()
