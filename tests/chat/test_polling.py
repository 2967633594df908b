"""A page without a socket: the same frames by HTTP, from the first wait to the last word."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.test import AsyncClient

from chat import lifespan, polling, presence, publishing
from chat.models import Dialog, Seat, Utterance
from chat.protocol import Poll
from collector.lib import clock
from collector.lib.rates import Allowances
from collector.studies.models import Outcome
from tests.chat.test_socket import EVIDENCE, Page, prepare

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Any:
    publishing.nobody()
    monkeypatch.setattr(polling, "POLLS", Allowances(1000, 1000))
    monkeypatch.setattr(polling, "HOLD_SECONDS", 1)
    yield
    lifespan.stop_threads()
    publishing.nobody()


class Poller:
    """A page that polls."""

    def __init__(self, token: str, name: str = "page-1") -> None:
        self.token, self.name, self.have = token, name, 0
        self.client = AsyncClient()

    async def post(self, *frames: dict[str, Any]) -> list[dict[str, Any]]:
        body = json.dumps({"page": self.name, "have": self.have, "frames": frames})
        response = await self.client.post(f"/w/{self.token}/frames", body, content_type="application/json")
        assert response.status_code == 200, response.content
        heard: list[dict[str, Any]] = json.loads(response.content)
        for frame in heard:
            if frame["type"] == "state":
                self.have = frame["snapshot"]["version"]
        return heard

    async def hello(self) -> dict[str, Any]:
        return self.last(await self.post({"type": "hello", "token": self.token}))

    async def sees(self) -> dict[str, Any]:
        return self.last(await self.post({"type": "have", "version": self.have}))

    @staticmethod
    def last(heard: list[dict[str, Any]]) -> dict[str, Any]:
        return [frame["snapshot"] for frame in heard if frame["type"] == "state"][-1]


def kinds(heard: list[dict[str, Any]]) -> list[str]:
    return [frame["type"] for frame in heard]


async def a_pair(**fields: Any) -> tuple[Poller, Poller]:
    _, tokens = await sync_to_async(prepare)(**fields)
    pages = [Poller(token) for token in tokens]
    assert (await pages[0].hello())["phase"] == "waiting"
    await pages[1].hello()
    roles = [(await page.sees())["role"] for page in pages]
    return (pages[0], pages[1]) if roles[0] == "questioner" else (pages[1], pages[0])


async def test_two_pages_that_poll_meet_talk_and_finish() -> None:
    questioner, answerer = await a_pair(rounds=1)
    await answerer.post({"type": "watched", "ranges": [[0, 8]]})
    heard = await questioner.post({"type": "ask", "key": "key-00001", "text": "What happens first?"})
    assert "ack" in kinds(heard)
    assert answerer.last(await answerer.post())["lines"][0]["text"] == "What happens first?"
    heard = await answerer.post({"type": "answer", "key": "key-00002", "text": "Somebody comes in and sits down."})
    assert next(f for f in heard if f["type"] == "ended")["end"]["outcome"] == Outcome.COMPLETE
    assert (await questioner.sees())["move"] == "summarise"
    summary = "Somebody comes in and then sits down on a chair."
    heard = await questioner.post({"type": "summarise", "key": "key-00003", "text": summary})
    assert next(f for f in heard if f["type"] == "ended")["end"]["outcome"] == Outcome.COMPLETE
    assert await sync_to_async(Dialog.objects.filter(is_complete=True).count)() == 1


async def test_a_page_that_polls_talks_with_one_that_has_a_socket() -> None:
    _, tokens = await sync_to_async(prepare)()
    socket, poller = Page(tokens[0]), Poller(tokens[1])
    await socket.open()
    await poller.hello()
    seen = await socket.paired()
    if seen["role"] == "questioner":
        await socket.send("ask", key="key-00001", text="What happens first?")
        await socket.stored()
        assert (await poller.sees())["lines"][0]["text"] == "What happens first?"
    else:
        await poller.post({"type": "ask", "key": "key-00001", "text": "What happens first?"})
        assert (await socket.until("said"))["line"]["text"] == "What happens first?"
    await socket.close()


async def test_a_text_posted_again_is_acknowledged_and_not_doubled() -> None:
    questioner, _ = await a_pair()
    for _ in range(2):
        heard = await questioner.post({"type": "ask", "key": "key-00001", "text": "What happens first?"})
        assert "ack" in kinds(heard)
    assert len((await questioner.sees())["lines"]) == 1


async def test_a_post_without_frames_is_held_until_something_is_new_and_no_longer_than_a_while() -> None:
    questioner, answerer = await a_pair()
    assert kinds(await answerer.post()) == ["state"]
    await questioner.post({"type": "ask", "key": "key-00001", "text": "What happens first?"})
    assert len(answerer.last(await answerer.post())["lines"]) == 1


async def test_a_socket_takes_the_seat_back_and_the_polling_page_is_told() -> None:
    questioner, _ = await a_pair()
    socket = Page(questioner.token)
    await socket.open()
    assert kinds(await questioner.post()) == ["moved"]
    await socket.send("ask", key="key-00001", text="What happens first?")
    await socket.stored()
    await socket.close()


async def test_a_page_that_stops_polling_is_away() -> None:
    questioner, answerer = await a_pair()
    with clock.travel(timedelta(seconds=30)):
        assert not (await questioner.sees())["partner_here"]
        await answerer.sees()
        assert (await questioner.sees())["partner_here"]


@pytest.mark.parametrize("seconds", [0.0, 0.2], ids=["as its post comes in", "while its post is held"])
async def test_a_page_that_closes_is_away_at_once(seconds: float) -> None:
    questioner, answerer = await a_pair()
    held = asyncio.create_task(polling.answer(answerer.token, Poll(answerer.name, have=1000)))
    await asyncio.sleep(seconds)
    assert (await questioner.sees())["partner_here"]
    held.cancel()
    with pytest.raises(asyncio.CancelledError):
        await held
    assert not (await questioner.sees())["partner_here"]
    await answerer.sees()
    assert (await questioner.sees())["partner_here"], "and back with the next post"


async def test_a_page_that_was_asleep_goes_on_where_it_was() -> None:
    questioner, answerer = await a_pair()
    with clock.travel(timedelta(seconds=30)):
        await sync_to_async(presence.notice_the_dead)()
        assert not await Seat.objects.exclude(connection="").aexists()
        assert kinds(await answerer.post()) == ["state"]
        assert (await questioner.sees())["partner_here"]


async def test_what_is_wrong_is_refused_with_a_sentence() -> None:
    questioner, _ = await a_pair()
    heard = await questioner.post({"type": "ask", "key": "key-00001", "text": "no question"})
    (refused,) = [frame for frame in heard if frame["type"] == "refused"]
    assert (refused["code"], refused["key"]) == ("no_question_mark", "key-00001")


@pytest.mark.parametrize("body", [b"", b"[]", b'{"page": 1}', b'{"page": "x", "frames": [{"type": "shout"}]}', b"\xff"])
async def test_what_is_no_poll_is_refused(body: bytes) -> None:
    _, tokens = await sync_to_async(prepare)()
    response = await AsyncClient().post(f"/w/{tokens[0]}/frames", body, content_type="application/json")
    assert json.loads(response.content)[0]["code"] == "not_understood"


async def test_too_much_at_once_is_refused() -> None:
    _, tokens = await sync_to_async(prepare)()
    response = await AsyncClient().post(f"/w/{tokens[0]}/frames", b"x" * 100_000, content_type="application/json")
    assert json.loads(response.content)[0]["code"] == "too_big"


async def test_a_forged_link_is_told_nothing() -> None:
    assert (await Poller("1-1.forged").post())[0]["code"] == "bad_link"
    assert (await Poller("1-1.forged").post({"type": "hello", "token": "x"}))[0]["code"] == "bad_link"
    assert not await Seat.objects.aexists()


async def test_a_script_that_polls_too_often_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    questioner, _ = await a_pair()
    monkeypatch.setattr(polling, "POLLS", Allowances(1, 0))
    await questioner.sees()
    assert (await questioner.post())[0]["code"] == "too_fast"


async def test_without_a_database_the_page_is_told_that_its_words_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    questioner, _ = await a_pair()

    def away(*args: object) -> None:
        raise OperationalError("the database is away")

    monkeypatch.setattr(polling, "_seat_of", away)
    (refused,) = await questioner.post()
    assert refused["code"] == "busy"
    assert "kept" in refused["sentence"]


@pytest.mark.parametrize("keeps", [True, False])
async def test_how_a_text_was_written_is_kept_there_too_where_the_study_keeps_it(keeps: bool) -> None:
    questioner, _ = await a_pair(keeps_evidence=keeps)
    ask = {"type": "ask", "key": "key-00001", "text": "What happens first?", "evidence": EVIDENCE}
    assert "ack" in kinds(await questioner.post(ask))
    assert (await sync_to_async(Utterance.objects.get)()).evidence == (EVIDENCE if keeps else {})


async def test_who_is_left_alone_is_told_why_there_too() -> None:
    questioner, answerer = await a_pair()
    await answerer.post({"type": "leave", "reason": "no_time"})
    seen = await questioner.sees()
    assert (seen["phase"], seen["left_alone"]) == ("choice", "partner_left")
