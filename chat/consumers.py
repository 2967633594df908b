"""The socket of one worker's page: parse, call, send. It knows no rules; all it keeps is in the database."""

import asyncio
import logging
import re
import time
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from msgspec import to_builtins

from chat import dialogs, lifespan, pairing, presence, publishing, rules, snapshot, writing
from chat.models import Seat
from chat.protocol import (
    Ack,
    Answer,
    Ask,
    BadFrame,
    Ended,
    Have,
    Hello,
    Leave,
    Refused,
    ServerFrame,
    Snapshot,
    State,
    Summarise,
    Typing,
    Watched,
    decode,
    encode,
)
from chat.rules import Code, Refusal
from chat.threads import in_database

log = logging.getLogger(__name__)

OPENED_ELSEWHERE, BAD_LINK, OVER, FLOOD = 4001, 4003, 4004, 4008
"""Close codes; a page does not reconnect after the first three."""
HELLO_SECONDS = 10
BURST, RATE = 30, 5.0
"""How many frames a page may send at once, and a second in the long run."""
_KEY = re.compile(r"[A-Za-z0-9_-]{8,40}")
_ACTION: dict[type, rules.Action] = {Ask: "ask", Answer: "answer", Summarise: "summarise"}


class DialogConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One socket. ``version`` is the dialog's version the page holds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.connection_name = presence.new_connection()
        self.seat_id = 0
        self.study_id = 0
        self.dialog_id: int | None = None
        self.role: rules.Role | None = None
        self.version = -1
        self._partner_process: list[str] = []
        self._allowance, self._last = float(BURST), time.monotonic()
        self._refused_in_a_row = 0
        self._is_closed = False
        self._refreshing = asyncio.Lock()
        self._hello_timer: asyncio.TimerHandle | None = None

    async def connect(self) -> None:
        """Accept anybody; nothing is told before a valid hello."""
        await self.accept()
        self._hello_timer = asyncio.get_running_loop().call_later(HELLO_SECONDS, self._no_hello)

    def _no_hello(self) -> None:
        if not self.seat_id and not self._is_closed:
            self._background = asyncio.get_running_loop().create_task(self.close(BAD_LINK))

    async def disconnect(self, code: int) -> None:
        """Let the seat go, unless a newer socket has it."""
        self._is_closed = True
        if self._hello_timer:
            self._hello_timer.cancel()
        if not self.seat_id:
            return
        publishing.remove(self)
        if await in_database(presence.drop, self.seat_id, self.connection_name) and self.dialog_id:
            processes = await in_database(dialogs.processes_of, self.dialog_id)
            publishing.partner_is(self.dialog_id, self.seat_id, processes, here=False)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Take one frame. What is wrong with it is said; the socket stays."""
        if not self._is_within_rate():
            self._refused_in_a_row += 1
            if self._refused_in_a_row > 200:
                await self.close(FLOOD)
            else:
                await self._refuse(Refusal(Code.TOO_FAST), _key_of(text_data))
            return
        self._refused_in_a_row = 0
        try:
            frame = decode(text_data if text_data is not None else bytes_data or b"")
        except BadFrame as bad:
            await self._refuse(Refusal(Code(bad.code)))
            return
        key = getattr(frame, "key", "")
        try:
            await self._handle(frame)
        except Refusal as refusal:
            await self._refuse(refusal, key)
        except Exception:
            # The page keeps its text and sends it again; a closed socket would only make it start over.
            log.exception("A frame could not be handled.")
            await self._refuse(Refusal(Code.BUSY), key)

    async def _handle(self, frame: Any) -> None:
        if isinstance(frame, Hello):
            await self._hello(frame)
        elif not self.seat_id:
            raise Refusal(Code.BAD_LINK)
        elif isinstance(frame, Ask | Answer | Summarise):
            await self._say(frame)
        elif isinstance(frame, Typing):
            if self.dialog_id:
                publishing.partner_is(self.dialog_id, self.seat_id, self._partner_process, here=True, typing=True)
        elif isinstance(frame, Watched):
            if await in_database(dialogs.watched, self.seat_id, frame.ranges) and self.dialog_id:
                publishing.changed(self.dialog_id, await in_database(dialogs.processes_of, self.dialog_id))
        elif isinstance(frame, Have):
            await self.refresh(always=True)
        elif isinstance(frame, Leave):
            dialog = await in_database(dialogs.leave, self.seat_id)
            if dialog:
                publishing.changed(dialog, await in_database(dialogs.processes_of, dialog))
            await self.refresh(always=True)

    async def _hello(self, frame: Hello) -> None:
        if self.seat_id:
            await self.refresh(always=True)
            return
        try:
            arrival = await in_database(dialogs.arrive, frame.token, self.connection_name)
        except Refusal as refusal:
            await self._refuse(refusal)
            await self.close(BAD_LINK if refusal.code == Code.BAD_LINK else OVER)
            return
        self.seat_id, self.study_id = arrival.seat_id, arrival.study_id
        publishing.add(self)
        await self.refresh(always=True)
        if self.dialog_id:
            processes = await in_database(dialogs.processes_of, self.dialog_id)
            publishing.partner_is(self.dialog_id, self.seat_id, processes, here=True)
        elif arrival.is_waiting:
            await pairing.pair(self.study_id)

    async def _say(self, frame: Ask | Answer | Summarise) -> None:
        if not _KEY.fullmatch(frame.key):
            raise Refusal(Code.BAD_KEY)
        if self.dialog_id is None or self.role is None:
            raise Refusal(Code.NOT_PAIRED)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[writing.Receipt] = loop.create_future()
        evidence = to_builtins(frame.evidence) if frame.evidence else {}
        lifespan.writer().put(
            writing.Job(
                self.dialog_id,
                self.seat_id,
                self.role,
                _ACTION[type(frame)],
                frame.key,
                frame.text,
                writing.typed_at(frame.typed_at),
                evidence,
                future,
            )
        )
        receipt = await future
        await self.push(Ack(receipt.key, receipt.version, receipt.position))

    async def refresh(self, *, always: bool = False) -> None:
        """Send a snapshot when the page's is older, or in any case."""
        async with self._refreshing:
            seen = await in_database(snapshot.of, self.seat_id)
            is_news = seen.version > self.version or self.dialog_id is None or seen.phase == "ended"
            await self._note_dialog(seen)
            if is_news or always:
                self.version = max(self.version, seen.version)
                await self.push(State(seen))
            if seen.phase == "ended":
                await self.push(Ended(seen.outcome, seen.finish))
                await self.close(OVER)

    async def _note_dialog(self, seen: Snapshot) -> None:
        if seen.role is None or self.dialog_id is not None:
            return
        self.dialog_id, self.role = await in_database(_dialog_of, self.seat_id), seen.role
        publishing.placed(self)
        if self.dialog_id:
            self._partner_process = await in_database(dialogs.processes_of, self.dialog_id)

    async def moved(self) -> None:
        """Tell an older page that the seat was opened elsewhere, and stop."""
        publishing.remove(self)
        await self.push(Ended("moved"))
        await self.close(OPENED_ELSEWHERE)

    async def push(self, frame: ServerFrame) -> None:
        """Send a frame, unless the socket is gone."""
        if not self._is_closed:
            await self.send(text_data=encode(frame))  # type: ignore[arg-type]

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        """Close once."""
        if not self._is_closed:
            self._is_closed = True
            await super().close(code, reason)

    async def _refuse(self, refusal: Refusal, key: str = "") -> None:
        await self.push(Refused(refusal.code, refusal.sentence, key))

    def _is_within_rate(self) -> bool:
        now = time.monotonic()
        self._allowance = min(float(BURST), self._allowance + (now - self._last) * RATE)
        self._last = now
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True


def _key_of(data: str | None) -> str:
    """Return the key of a frame that is refused unread, so that its page knows which text to send again."""
    found = re.search(r'"key"\s*:\s*"([A-Za-z0-9_-]{8,40})"', (data or "")[:200])
    return found.group(1) if found else ""


def _dialog_of(seat_id: int) -> int | None:
    return Seat.objects.values_list("dialog", flat=True).get(pk=seat_id)
