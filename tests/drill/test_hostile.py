"""A page made by hand sends what no page of ours would; it is refused, and its neighbours notice nothing."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import websockets

from chat.page import BAD_LINK, FLOOD
from chat.protocol import Answer, Ask, Summarise, Typing, Watched
from tests.drill import pages
from tests.drill.cluster import Cluster, memory, report, until
from tests.drill.pages import Page, Pair

pytestmark = pytest.mark.timeout(300)
SANE = 3.0
"""A line is with the partner within so many seconds, whatever a neighbour does; the machine has two cores."""
MORE_MEMORY = 60
"""By so many MiB at most a process grows under a flood."""


@asynccontextmanager
async def bystanders(cluster: Cluster, name: str) -> AsyncIterator[None]:
    """Have two others talk at the attacked process for the length of a block; they, and its memory, stay well."""
    study = await asyncio.to_thread(lambda: cluster.study(rounds=50))
    web = cluster.webs[0]
    pair = await pages.pair(cluster, study, (web.url, web.url))
    took: list[float] = []
    before = most = memory(web.process)

    async def talk() -> None:
        nonlocal most
        while True:
            took.append(await pair.exchange())
            most = max(most, memory(web.process))
            await asyncio.sleep(0.35)  # a hundred lines are to last

    talking = asyncio.create_task(talk())
    try:
        await asyncio.sleep(0.5)
        yield
        await asyncio.sleep(0.5)
    finally:
        talking.cancel()
        done = (await asyncio.gather(talking, return_exceptions=True))[0]
        await pair.close()
    assert isinstance(done, asyncio.CancelledError), done
    report(f"{name}: {len(took)} lines of neighbours, {max(took):.2f} s at most; memory {before} to {most} MiB.")
    assert max(took) < SANE
    assert most - before < MORE_MEMORY
    assert all(page.closed is not None for page in pair.pages)


async def refused(page: Page, frame: pages.ClientFrame | str | bytes) -> str:
    """Send something that is refused; return the code."""
    before = len(page.refusals)
    if isinstance(frame, str | bytes):
        await page.raw(frame)
    else:
        await page.send(frame)
    await page.until(lambda: len(page.refusals) > before, 15, "the refusal")
    assert page.refusals[-1].sentence
    return page.refusals[-1].code


def stored(cluster: Cluster, pair: Pair) -> list[str]:
    rows = cluster.ask("SELECT text FROM chat_utterance WHERE dialog_id = %s ORDER BY position", pair.dialog)
    return [row["text"] for row in rows]


@pytest.mark.quick
async def test_out_of_turn_twice_and_as_the_other_role_nothing_is_stored(cluster: Cluster) -> None:
    async with pages.pairs(cluster, 1, rounds=2) as (pair,):
        questioner, answerer = pair.pages
        assert await refused(answerer, Ask(pages.new_key(), pages.TEXTS["ask"])) == "wrong_role"
        assert await refused(questioner, Answer(pages.new_key(), pages.TEXTS["answer"])) == "wrong_role"
        assert await refused(questioner, Summarise(pages.new_key(), pages.TEXTS["summarise"])) == "rounds_open"
        assert await refused(answerer, Answer(pages.new_key(), pages.TEXTS["answer"])) == "not_your_turn"
        assert await refused(questioner, Watched([(0, 1000)])) == "wrong_role"
        assert stored(cluster, pair) == []
        key = pages.new_key()
        for _ in range(3):
            await questioner.send(Ask(key, pages.TEXTS["ask"]))
        assert await refused(questioner, Ask(key, "Is this another text with the same key?")) == "key_reused"
        assert await refused(questioner, Ask(pages.new_key(), "Is this a second question at once?")) == "not_your_turn"
        assert await refused(answerer, Answer(pages.new_key(), pages.TEXTS["answer"])) == "watch_first"
        assert stored(cluster, pair) == [pages.TEXTS["ask"]]
        assert sum(isinstance(frame, pages.Ack) for frame in questioner.frames) >= 2, "a text sent again got no ack"
        await pair.answerer.until(lambda: len(answerer.lines) == 1, 15, "the line")


@pytest.mark.quick
async def test_after_the_end_nothing_more_is_taken(cluster: Cluster) -> None:
    async with pages.pairs(cluster, 1, rounds=1) as (pair,):
        await pair.finish()
        before = stored(cluster, pair)
        for page, frame in ((pair.questioner, Ask), (pair.answerer, Answer)):
            again = await Page(page.token, page.url).open()
            await again.until(lambda again=again: again.ended, 15, "the end")  # type: ignore[misc]
            with contextlib.suppress(websockets.ConnectionClosed):
                await again.send(frame(pages.new_key(), "One more, after the end of all of it?"))
            await again.until(lambda again=again: again.closed is not None, 15, "the close")  # type: ignore[misc]
            assert again.closed == 4004
        assert stored(cluster, pair) == before


@pytest.mark.quick
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff\xfe\xfa not utf-8", "not_understood"),
        ('{"type": "ask", "key": "key-nul-0001", "text": "nul \\u0000 here?"}', "unstorable"),
        ('{"type": "ask", "key": "key-sur-0001", "text": "lone \\ud83d surrogate?"}', "not_understood"),
        ("[" * 30_000, "not_understood"),
        ("x" * 900_000, "too_big"),
        ('{"type": "hello"', "not_understood"),
        ("", "not_understood"),
    ],
    ids=["bytes_that_are_no_text", "nul", "half_a_character", "deep_nesting", "too_big", "cut_off", "empty"],
)
async def test_a_frame_that_is_none_is_refused_and_the_dialog_goes_on(
    cluster: Cluster, data: str | bytes, code: str
) -> None:
    async with pages.pairs(cluster, 1, rounds=1) as (pair,):
        assert await refused(pair.questioner, data) == code
        await pair.finish()


async def test_text_that_is_no_utf_8_closes_that_socket_and_the_worker_comes_back(cluster: Cluster) -> None:
    async with pages.pairs(cluster, 1, rounds=1) as (pair,):
        socket = pair.questioner.socket
        assert socket is not None
        await socket.send(b"\xff\xfe\xfa", text=True)
        await pair.questioner.until(lambda: pair.questioner.closed is not None, 15, "the close")
        assert pair.questioner.closed == 1007
        await pair.questioner.reopen()
        await pair.finish()


async def test_ten_megabytes_close_that_socket_and_the_worker_comes_back(cluster: Cluster) -> None:
    async with pages.pairs(cluster, 1, rounds=1) as (pair,), bystanders(cluster, "Frames of 10 MB"):
        for _ in range(5):
            with contextlib.suppress(websockets.ConnectionClosed, OSError):
                await pair.questioner.raw("x" * 10_000_000)
            await pair.questioner.until(lambda: pair.questioner.closed is not None, 15, "the close")
            await pair.questioner.reopen()
        await pair.finish()


@pytest.mark.parametrize("kind", ["typing", "hello", "garbage", "ask"])
async def test_ten_thousand_frames_a_second_close_that_socket_and_harm_nobody(cluster: Cluster, kind: str) -> None:
    data = {
        "typing": pages._encoder.encode(Typing()).decode(),
        "hello": '{"type": "hello", "token": "1-1.forged"}',
        "garbage": "x" * 200,
        "ask": '{"type": "ask", "key": "key-0000001", "text": "What happens in the video after that?"}',
    }[kind]
    async with pages.pairs(cluster, 1, rounds=1) as (pair,), bystanders(cluster, f"Flood of {kind}"):
        page = pair.page("questioner" if pair.questioner.url == cluster.webs[0].url else "answerer")
        sent, started = 0, time.monotonic()
        for _ in range(3):  # it comes back and goes on
            with contextlib.suppress(websockets.ConnectionClosed, OSError):
                for _ in range(10_000):
                    await page.raw(data)
                    sent += 1
            await page.until(lambda: page.closed is not None, 10, "the close")
            assert page.closed in (FLOOD, 1006), page.closed
            await page.reopen()
        rate = sent / (time.monotonic() - started)
        report(f"{sent} frames of {kind} sent, {rate:.0f} a second, three sockets closed.")
        await asyncio.sleep(7)  # its allowance is back
        await pair.finish()


async def test_a_thousand_sockets_that_never_say_hello_are_closed_and_harm_nobody(cluster: Cluster) -> None:
    address = Page("", cluster.webs[0].url).address
    codes: list[int | None] = []
    first = asyncio.Semaphore(50)

    async def silent() -> None:
        async with first:
            socket = await websockets.connect(address, compression=None, open_timeout=60, ping_interval=None)
        await socket.wait_closed()
        codes.append(socket.close_code)

    async with bystanders(cluster, "1,000 silent sockets"):
        started = time.monotonic()
        await asyncio.gather(*(silent() for _ in range(1000)))
        report(f"All were closed {time.monotonic() - started:.0f} s after the first came.")
    assert set(codes) == {BAD_LINK}


async def test_a_page_that_reads_nothing_costs_no_memory(cluster: Cluster) -> None:
    async with pages.pairs(cluster, 1, rounds=50) as (pair,), bystanders(cluster, "A page that reads nothing"):
        page = pair.answerer
        assert page.socket is not None
        assert page._reader is not None
        page.socket.transport.pause_reading()
        for _ in range(400):
            await pair.questioner.send(Typing())
            await asyncio.sleep(0.02)
        await until("that it is given up", lambda: _is_away(cluster, pair), 30, 0.5)


def _is_away(cluster: Cluster, pair: Pair) -> bool:
    gone = "SELECT count(*) FROM chat_seat WHERE dialog_id = %s AND role = 'answerer' AND away_since IS NOT NULL"
    return bool(cluster.one(gone, pair.dialog))


@pytest.mark.quick
@pytest.mark.parametrize(
    "text",
    [
        "Was ist das? 👩‍👩‍👧‍👦 日本語 ﷽ \u202eabc\u202c مرحبا 🏳️‍🌈?",
        "Is it " + "😀" * 493 + "?",
        ("é" * 99 + " ") * 4 + "é" * 99 + "?",
        "<script>alert('x')</script> \"quoted\" & 'single' \\ backslash %s {0} ?",
    ],
    ids=["many_scripts", "500_characters_of_four_bytes", "500_characters_of_two_bytes", "markup"],
)
async def test_a_text_comes_out_as_it_went_in(cluster: Cluster, text: str) -> None:
    assert len(text) <= 500
    async with pages.pairs(cluster, 1, rounds=1, language="en") as (pair,):
        await pair.questioner.say(text)
        await pair.answerer.until(lambda: pair.answerer.lines, 15, "the line")
        assert pair.answerer.lines[0].text == text
        assert stored(cluster, pair) == [text]
        again = await Page(pair.questioner.token, cluster.url).open()
        assert again.lines[0].text == text
        await again.close()
        assert await refused(pair.answerer, Answer(pages.new_key(), "x " * 251)) == "watch_first"
