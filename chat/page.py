"""One worker's page at the server, whatever carries its frames: a socket or polling.

It calls what a frame asks for and answers with frames. It knows no rules; all it keeps is in the database.
"""

import asyncio
import logging
import re
from abc import ABC, abstractmethod

from msgspec import to_builtins

from chat import dialogs, lifespan, pairing, publishing, rules, snapshot, writing
from chat.models import About
from chat.protocol import (
    Ack,
    Answer,
    Ask,
    Choose,
    ClientFrame,
    EndAlone,
    Ended,
    EndWaiting,
    FromServer,
    Have,
    Hello,
    Leave,
    Moved,
    ReportPartner,
    ReportVideo,
    State,
    Summarise,
    Typing,
    Watched,
)
from chat.rules import Code, Refusal
from chat.threads import Together, in_database
from chat.wording import refused
from collector.lib import languages, logs, meters
from collector.lib.rates import Allowances

log = logging.getLogger(__name__)

OPENED_ELSEWHERE, BAD_LINK, OVER, FLOOD, LATER = 4001, 4003, 4004, 4008, 1013
"""Close codes; a page does not connect again after the first three."""
HELLOS = Allowances(burst=30, rate=0.5)
"""How often the pages of one token may say hello: a worker reloads, a script hammers."""
_KEY = re.compile(r"[A-Za-z0-9_-]{8,40}")
_ACTION: dict[type, rules.Action] = {Ask: "ask", Answer: "answer", Summarise: "summarise"}
_snapshots: Together[int, snapshot.Seen] = Together(snapshot.of_all)
_watched: Together[tuple[int, dialogs.Ranges], int | None] = Together(dialogs.watched_all)
_processes: Together[int, list[str]] = Together(dialogs.processes_of_all)
_LATE = 75.0
"""Seconds before the end of a turn from which on typing is worth a query."""


class Page(ABC):
    """A page; ``version`` is the dialog's version it holds. Subclasses carry frames: ``push``, ``shut``, ``arrive``."""

    def __init__(self, connection_name: str) -> None:
        self.connection_name = connection_name
        self.token = ""
        self.seat_id = 0
        self.study_id = 0
        self.language = languages.active()
        """That of the study, once a snapshot has told it."""
        self.dialog_id: int | None = None
        self.role: rules.Role | None = None
        self.version = -1
        self.keeps_evidence = True
        self._partner_process: list[str] = []
        self._turn_over_at: float | None = None
        self._refreshing = asyncio.Lock()

    @abstractmethod
    async def push(self, frame: FromServer) -> None:
        """Send a frame, unless the page is gone."""

    @abstractmethod
    async def shut(self, code: int) -> None:
        """End the connection, if there is one, with a close code."""

    @abstractmethod
    async def arrive(self, token: str) -> dialogs.Arrival:
        """Take the token's seat for this page."""

    async def take(self, frame: ClientFrame) -> None:
        """Do what a frame asks for. What is wrong with it is said; nothing a page sends is an error of ours."""
        key = getattr(frame, "key", "")
        self._log_about()
        try:
            await self._handle(frame)
        except Refusal as refusal:
            await self.refuse(refusal, key)
        except Exception:
            # The page keeps its text and sends it again; a closed socket would only make it start over.
            log.exception("A frame could not be handled.")
            await self.refuse(Refusal(Code.BUSY), key)
            if not self.seat_id:
                await self.shut(LATER)

    def _log_about(self) -> None:
        """Have the lines that follow carry this page's ids; its connection stands for the request."""
        logs.about(
            request=self.connection_name,
            study=self.study_id or None,
            dialog=self.dialog_id,
            seat=self.seat_id or None,
        )

    async def refuse(self, refusal: Refusal, key: str = "") -> None:
        """Say that something was not taken."""
        meters.refused.labels(refusal.code).inc()
        with languages.speaking(self.language):
            frame = refused(refusal, key)
        await self.push(frame)

    async def _handle(self, frame: ClientFrame) -> None:
        if isinstance(frame, Hello):
            await self._hello(frame)
        elif not self.seat_id:
            raise Refusal(Code.BAD_LINK)
        elif isinstance(frame, Ask | Answer | Summarise):
            await self._say(frame)
        elif isinstance(frame, Typing):
            await self._typing()
        elif isinstance(frame, Have):
            await self.refresh(always=True)
        else:
            await self._act(frame)

    async def _act(self, frame: ClientFrame) -> None:
        """Do what changes more than a text; both pages look again."""
        changed: int | None = None
        if isinstance(frame, Watched):
            changed = await _watched((self.seat_id, frame.ranges))
        elif isinstance(frame, Leave):
            changed = await in_database(dialogs.leave, self.seat_id, frame.reason)
        elif isinstance(frame, EndWaiting):
            await in_database(dialogs.end_waiting, self.seat_id)
        elif isinstance(frame, EndAlone):
            changed = await in_database(dialogs.end_alone, self.seat_id)
        elif isinstance(frame, Choose):
            await in_database(dialogs.choose, self.seat_id, wait=frame.wait)
        elif isinstance(frame, ReportPartner):
            changed = await in_database(dialogs.report, self.seat_id, About.PARTNER, frame.reason)
        elif isinstance(frame, ReportVideo):
            changed = await in_database(dialogs.report, self.seat_id, About.VIDEO, frame.reason)
        if changed:
            publishing.changed(changed, await _processes(changed))
        await self.refresh(always=True)

    async def _hello(self, frame: Hello) -> None:
        if self.seat_id:
            await self.refresh(always=True)
            return
        if not HELLOS.take(frame.token):
            await self.refuse(Refusal(Code.TOO_FAST))
            await self.shut(LATER)
            return
        self.token = frame.token
        try:
            await self._sit()
        except Refusal as refusal:
            await self.refuse(refusal)
            await self.shut({Code.BAD_LINK: BAD_LINK, Code.OVER: OVER}.get(refusal.code, LATER))

    async def _sit(self) -> None:
        """Take the token's seat, which after a choice is another than before, and show what there is."""
        arrival = await self.arrive(self.token)
        self.seat_id, self.study_id = arrival.seat_id, arrival.study_id
        self.dialog_id, self.role, self.version = None, None, -1
        self._log_about()
        self.seated()
        await self.refresh(always=True)
        if arrival.is_waiting:
            await pairing.pair(self.study_id)
        elif arrival.dialog_id:
            publishing.changed(arrival.dialog_id, await _processes(arrival.dialog_id))

    def seated(self) -> None:  # noqa: B027 - a page that polls is not looked for
        """Note, where pages are found by seat, that this page has one."""

    async def _say(self, frame: Ask | Answer | Summarise) -> None:
        if not _KEY.fullmatch(frame.key):
            raise Refusal(Code.BAD_KEY)
        if self.dialog_id is None or self.role is None:
            raise Refusal(Code.NOT_PAIRED)
        future: asyncio.Future[writing.Receipt] = asyncio.get_running_loop().create_future()
        evidence = to_builtins(frame.evidence) if frame.evidence and self.keeps_evidence else {}
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
        # The own line, with its key, says that it is stored; who was not told of it, or asked again, gets an ack.
        if self.version < receipt.version or not receipt.is_new:
            await self.push(Ack(receipt.key, receipt.version, receipt.position))

    async def _typing(self) -> None:
        if self.dialog_id is None or self.role is None:
            return
        publishing.partner_types(self.dialog_id, self.seat_id, self._partner_process)
        if self._is_late() and await in_database(dialogs.typing, self.dialog_id, self.role):
            processes = await _processes(self.dialog_id)
            publishing.changed(self.dialog_id, processes, always=True)

    def _is_late(self) -> bool:
        """Tell whether the turn may need more time, without asking the database while there is plenty."""
        return self._turn_over_at is not None and asyncio.get_running_loop().time() > self._turn_over_at - _LATE

    def note_turn(self, seconds_left: float | None) -> None:
        """Remember, by the loop's clock, when the turn is over."""
        loop = asyncio.get_running_loop()
        self._turn_over_at = None if seconds_left is None else loop.time() + seconds_left

    async def refresh(self, *, always: bool = False) -> None:
        """Send a snapshot when the page's is older, or in any case."""
        async with self._refreshing:
            found = await _snapshots(self.seat_id)
            seen = found.snapshot
            is_news = seen.version > self.version or self.dialog_id is None or seen.phase == "ended"
            self.language = found.language
            self._note_dialog(found)
            self.note_turn(seen.turn_left)
            if seen.phase != "ended" or seen.end is not None:
                if is_news or always:
                    self.version = max(self.version, seen.version)
                    await self.push(State(seen))
                if seen.end is not None:
                    await self.push(Ended(seen.end))
                    await self.shut(OVER)
                return
        await self._sit()  # this seat is closed and the worker goes on: there is another

    def _note_dialog(self, found: snapshot.Seen) -> None:
        if found.dialog_id is None or self.dialog_id is not None:
            return
        self.dialog_id, self.role = found.dialog_id, found.snapshot.role
        self.keeps_evidence = found.snapshot.evidence
        self._partner_process = found.partner_processes
        self.placed()

    def placed(self) -> None:  # noqa: B027 - a page that polls is not looked for
        """Note, where pages are found by dialog, that this page has one."""

    async def moved(self) -> None:
        """Tell an older page that the seat was opened elsewhere, and stop."""
        await self.push(Moved())
        await self.shut(OPENED_ELSEWHERE)


def key_of(data: str | None) -> str:
    """Return the key of a frame that is refused unread, so that its page knows which text to send again."""
    found = re.search(r'"key"\s*:\s*"([A-Za-z0-9_-]{8,40})"', (data or "")[:200])
    return found.group(1) if found else ""
