"""Whole scenes through real consumers: hello, pairing, talking, reloading, leaving."""

import asyncio
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from chat import consumers, dialogs, lifespan, presence, publishing
from chat.consumers import DialogConsumer
from chat.models import Dialog, Role, Seat, Utterance
from chat.page import BAD_LINK, OVER
from collector.studies.admission import token_of
from collector.studies.models import Outcome, Participation, Study, StudyVideo
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh() -> Any:
    publishing.nobody()
    yield
    lifespan.stop_threads()
    publishing.nobody()


class Page:
    """A worker's page, as far as its socket goes."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.socket = WebsocketCommunicator(DialogConsumer.as_asgi(), "/ws/chat/")

    async def open(self, have: int = 0) -> dict[str, Any]:
        await self.socket.connect()
        await self.send("hello", token=self.token, have=have)
        return await self.until("state")

    async def send(self, kind: str, **fields: Any) -> None:
        await self.socket.send_to(text_data=json.dumps({"type": kind, **fields}))

    async def receive(self) -> dict[str, Any]:
        return dict(json.loads(await self.socket.receive_from(timeout=10)))

    async def until(self, kind: str) -> dict[str, Any]:
        while (frame := await self.receive())["type"] != kind:
            pass
        return frame

    async def stored(self) -> int:
        """Wait for what says that the own text is stored: its line, or an ack; return its position."""
        while True:
            frame = await self.receive()
            if frame["type"] == "ack":
                return int(frame["position"])
            if frame["type"] == "said" and frame["line"]["key"]:
                return int(frame["line"]["position"])

    async def paired(self) -> dict[str, Any]:
        while (frame := await self.until("state"))["snapshot"]["role"] is None:
            pass
        return dict(frame["snapshot"])

    async def close(self) -> None:
        await self.socket.disconnect()


def prepare(**fields: Any) -> tuple[Study, list[str]]:
    study = factories.study(**fields)
    StudyVideo.objects.create(study=study, video=factories.video())
    presence.renew_lease()
    return study, [token_of(factories.participation(study)) for _ in range(2)]


async def a_pair(**fields: Any) -> tuple[Page, Page]:
    _, tokens = await sync_to_async(prepare)(**fields)
    pages = [Page(token) for token in tokens]
    assert (await pages[0].open())["snapshot"]["phase"] == "waiting"
    await pages[1].open()
    seen = [await page.paired() for page in pages]
    questioner, answerer = sorted(pages, key=lambda p: seen[pages.index(p)]["role"], reverse=True)
    await calm()
    return questioner, answerer


async def calm() -> None:
    """Wait until nobody is being told anything: a page that is gets a snapshot instead of the next line."""
    while publishing._tasks:
        await asyncio.sleep(0.001)


async def watch(answerer: Page) -> None:
    await answerer.send("watched", ranges=[[0, 8]])
    await answerer.until("state")
    await calm()


async def test_two_workers_meet_talk_and_finish() -> None:
    questioner, answerer = await a_pair(rounds=1)
    await watch(answerer)
    await questioner.send("ask", key="key-00001", text="What happens first?")
    assert await questioner.stored() == 0
    said = await answerer.until("said")
    assert said["line"] == {"position": 0, "kind": "question", "text": "What happens first?", "key": ""}
    assert said["move"] == "answer"
    await answerer.send("answer", key="key-00002", text="Somebody comes in and sits down.")
    assert (await answerer.until("ended"))["end"]["outcome"] == Outcome.COMPLETE
    while (state := (await questioner.until("state"))["snapshot"])["move"] != "summarise":
        pass
    assert [line["text"] for line in state["lines"]] == ["What happens first?", "Somebody comes in and sits down."]
    await questioner.send("summarise", key="key-00003", text="Somebody comes in and then sits down on a chair.")
    assert (await questioner.until("ended"))["end"]["outcome"] == Outcome.COMPLETE
    assert await sync_to_async(Dialog.objects.filter(is_complete=True).count)() == 1


async def test_the_ack_comes_only_after_the_text_is_stored() -> None:
    questioner, answerer = await a_pair()
    await questioner.send("ask", key="key-00001", text="What happens first?")
    await questioner.stored()
    stored = await sync_to_async(list)(Dialog.objects.values_list("utterances__text", flat=True))
    assert stored == ["What happens first?"]
    await questioner.close(), await answerer.close()


async def test_a_reload_lands_where_the_worker_was() -> None:
    questioner, answerer = await a_pair()
    await questioner.send("ask", key="key-00001", text="What happens first?")
    await questioner.stored()
    await questioner.close()
    again = Page(questioner.token)
    seen = (await again.open())["snapshot"]
    assert seen["role"] == "questioner"
    assert seen["move"] == "wait"
    assert seen["lines"][0]["key"] == "key-00001"
    await again.close(), await answerer.close()


async def test_a_text_sent_again_after_a_reload_is_acknowledged_and_not_doubled() -> None:
    questioner, answerer = await a_pair()
    for _ in range(2):
        await questioner.send("ask", key="key-00001", text="What happens first?")
        assert await questioner.stored() == 0
    await answerer.until("said")
    assert await answerer.socket.receive_nothing(0.2)
    await questioner.close(), await answerer.close()


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"type": "answer", "key": "key-00009", "text": "I am not the one who answers here."}, "wrong_role"),
        ({"type": "summarise", "key": "key-00009", "text": "x " * 20}, "rounds_open"),
        ({"type": "ask", "key": "key-00009", "text": "What happens next"}, "no_question_mark"),
        ({"type": "ask", "key": "key-00009", "text": ""}, "empty"),
        ({"type": "ask", "key": "key-00009", "text": "x" * 600}, "too_long"),
        ({"type": "ask", "key": "key-00009", "text": "nul \x00 here?"}, "unstorable"),
        ({"type": "ask", "key": "'; DROP", "text": "What happens next?"}, "bad_key"),
        ({"type": "shout"}, "not_understood"),
        ({"type": "watched", "ranges": [[0, 8]]}, "wrong_role"),
    ],
)
async def test_what_is_wrong_is_refused_with_a_sentence_and_the_socket_stays(frame: dict[str, str], code: str) -> None:
    questioner, answerer = await a_pair()
    await questioner.socket.send_to(text_data=json.dumps(frame))
    refused = await questioner.until("refused")
    assert refused["code"] == code
    assert refused["sentence"]
    await questioner.send("ask", key="key-00001", text="What happens first?")
    await questioner.stored()
    await questioner.close(), await answerer.close()


async def test_a_page_that_sends_too_fast_is_told_which_text_to_keep() -> None:
    questioner, answerer = await a_pair()
    for n in range(60):
        await questioner.send("ask", key=f"key-{n:05}", text="What happens first?")
    codes = set()
    while "too_fast" not in codes:
        refused = await questioner.until("refused")
        codes.add(refused["code"])
    assert refused["key"].startswith("key-")
    await questioner.close(), await answerer.close()


async def test_ranges_that_do_not_cover_the_video_are_not_watching() -> None:
    questioner, answerer = await a_pair()
    await answerer.send("watched", ranges=[[0, 1], [7, 8]])
    assert (await answerer.until("refused"))["code"] == "watch_first"
    await questioner.close(), await answerer.close()


EVIDENCE = {"to_first_key": 1.5, "to_send": 9.0, "pastes": [240], "focus_losses": 3, "corrections": 14}


@pytest.mark.parametrize("keeps", [True, False])
async def test_how_a_text_was_written_is_kept_where_the_study_keeps_it_and_refuses_nothing(keeps: bool) -> None:
    questioner, _ = await a_pair(keeps_evidence=keeps)
    await questioner.send("ask", key="key-00001", text="What happens first?", evidence=EVIDENCE)
    assert await questioner.stored() == 0
    said = await sync_to_async(Utterance.objects.get)()
    assert said.evidence == (EVIDENCE if keeps else {})
    assert said.stored_at is not None


async def test_a_wrong_token_is_told_nothing() -> None:
    page = Page("1-1.forged")
    await page.socket.connect()
    await page.send("hello", token=page.token)
    assert (await page.receive())["code"] == "bad_link"
    assert (await page.socket.receive_output(5))["code"] == BAD_LINK


async def test_the_newest_tab_takes_over_and_the_older_says_so() -> None:
    questioner, answerer = await a_pair()
    newer = Page(questioner.token)
    await newer.open()
    assert (await questioner.until("moved"))["type"] == "moved"
    await newer.send("ask", key="key-00001", text="What happens first?")
    await newer.stored()
    await newer.close(), await answerer.close()


async def test_who_comes_back_after_the_end_learns_of_it_and_not_of_another_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    questioner, answerer = await a_pair()
    await questioner.send("leave")
    await questioner.until("ended")
    # A process killed just before it could say so leaves its socket's name behind; and the poll comes just now.
    await sync_to_async(Seat.objects.filter(role=Role.QUESTIONER).update)(process="killed", connection="of-the-killed")
    refresh = DialogConsumer.refresh

    async def late(self: DialogConsumer, *, always: bool = False) -> None:
        await publishing.catch_up()
        await asyncio.sleep(0)
        await refresh(self, always=always)

    monkeypatch.setattr(DialogConsumer, "refresh", late)
    again = Page(questioner.token)
    await again.socket.connect()
    await again.send("hello", token=again.token)
    kinds = []
    while "ended" not in kinds:
        kinds.append((await again.receive())["type"])
    assert "moved" not in kinds
    await answerer.close()


async def test_who_leaves_ends_the_dialog_and_the_video_is_given_back() -> None:
    questioner, answerer = await a_pair(dialogs_per_video=1)
    assert (await sync_to_async(StudyVideo.objects.get)()).started == 1
    await questioner.send("leave")
    assert (await questioner.until("ended"))["end"]["outcome"] == Outcome.LEFT
    while (await answerer.until("state"))["snapshot"]["phase"] != "choice":
        pass
    assert (await sync_to_async(StudyVideo.objects.get)()).started == 0
    await answerer.send("choose", wait=False)
    assert (await answerer.until("ended"))["end"]["outcome"] == Outcome.PARTNER_LEFT
    assert (await answerer.socket.receive_output(5))["code"] == OVER


@pytest.mark.parametrize("collect_again", [True, False])
async def test_who_leaves_before_the_summary_leaves_a_dialog_without_one(collect_again: bool) -> None:
    questioner, answerer = await a_pair(rounds=1, recollect_without_summary=collect_again)
    await watch(answerer)
    await questioner.send("ask", key="key-00001", text="What happens first?")
    await answerer.until("said")
    await answerer.send("answer", key="key-00002", text="Somebody comes in and sits down.")
    assert (await answerer.until("ended"))["end"]["outcome"] == Outcome.COMPLETE
    await questioner.send("leave")
    assert (await questioner.until("ended"))["end"]["outcome"] == Outcome.LEFT
    assert (await sync_to_async(StudyVideo.objects.get)()).started == (0 if collect_again else 1)
    assert not (await sync_to_async(Dialog.objects.get)()).is_complete


async def test_a_worker_who_leaves_while_waiting_is_let_go() -> None:
    _, tokens = await sync_to_async(prepare)()
    page = Page(tokens[0])
    await page.open()
    await page.send("leave")
    assert (await page.until("ended"))["end"]["outcome"] == Outcome.LEFT
    assert (await sync_to_async(Participation.objects.order_by("pk").first)()).outcome == Outcome.LEFT


async def test_a_lost_doorbell_costs_a_second_not_a_word() -> None:
    questioner, answerer = await a_pair()
    publishing._by_dialog.clear()  # as if another process had stored it and its doorbell was lost
    await questioner.send("ask", key="key-00001", text="What happens first?")
    await questioner.stored()
    await publishing.catch_up()
    while not (state := (await answerer.until("state"))["snapshot"])["lines"]:
        pass
    assert state["lines"][0]["text"] == "What happens first?"
    await questioner.close(), await answerer.close()


async def test_a_failing_doorbell_fails_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    questioner, answerer = await a_pair()
    await sync_to_async(Seat.objects.filter(role=Role.ANSWERER).update)(process="another")

    def broken() -> None:
        raise ConnectionError("the layer is away")

    monkeypatch.setattr(publishing, "get_channel_layer", broken)
    await questioner.send("ask", key="key-00001", text="What happens first?")
    await questioner.stored()
    await asyncio.sleep(0)
    await questioner.close(), await answerer.close()


async def test_a_hello_that_waits_long_for_its_seat_is_no_bad_link(monkeypatch: pytest.MonkeyPatch) -> None:
    arrivals = consumers._arrivals

    async def slow(page: tuple[str, str]) -> dialogs.Arrival:
        await asyncio.sleep(0.3)
        return await arrivals(page)

    monkeypatch.setattr(consumers, "HELLO_SECONDS", 0.05)
    monkeypatch.setattr(consumers, "_arrivals", slow)
    _, tokens = await sync_to_async(prepare)()
    page = Page(tokens[0])
    assert (await page.open())["snapshot"]["phase"] == "waiting"
    await page.close()
