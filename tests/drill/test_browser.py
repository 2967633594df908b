"""Real browsers behind a network that fails: what was written is kept, sent once, and both go on."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.drill.cluster import Cluster, report
from tests.drill.proxy import Network
from tests.e2e import workers

pytestmark = pytest.mark.timeout(300)


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


def lines(page: Page) -> list[str]:
    return page.locator(".line-text").all_inner_texts()


@pytest.mark.parametrize("seconds", [0.5, 5.0])
@pytest.mark.parametrize("way", ["cut", "hold"])
def test_what_is_written_while_the_network_is_away_arrives_once(
    browser: Browser, cluster: Cluster, seconds: float, way: str
) -> None:
    study = cluster.study()
    with broken(cluster.webs[0].port) as network:
        contexts = [browser.new_context(viewport=workers.size("wide")) for _ in range(2)]
        urls = (network.network.url, cluster.webs[1].url)
        pages = [
            workers.join(context, url, f"browser-{cluster.number()}", study=study)
            for context, url in zip(contexts, urls, strict=True)
        ]
        pair = workers.roles(*pages)
        workers.watch(pair.answerer)
        for number in (1, 2):
            workers.a_round(pair, number)
        behind = pages[0]
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
        other = next(page for page in pages if page is not behind)
        workers.say(other, workers.answer(31) if behind is pair.questioner else workers.question(31))
        expect(behind.locator(".line-text")).to_have_count(len(before) + 2, timeout=15_000)
        for context in contexts:
            context.close()
    stored = cluster.ask(
        "SELECT text FROM chat_utterance u JOIN chat_dialog d ON d.id = u.dialog_id JOIN studies_study s"
        " ON s.id = d.study_id WHERE s.slug = %s ORDER BY position",
        study,
    )
    assert [row["text"] for row in stored][: len(before) + 1] == [*before, text]


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
