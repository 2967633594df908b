"""A worker's page as far as its frames go, over a real socket, for drills: it sees, keeps and sends again."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec
import websockets
from websockets.asyncio.client import ClientConnection

from chat.protocol import (
    Ack,
    Answer,
    Ask,
    ClientFrame,
    Ended,
    FromServer,
    Hello,
    Line,
    Moved,
    Refused,
    Snapshot,
    Spoken,
    State,
    Summarise,
    Watched,
)
from tests.drill.cluster import Cluster

TEXTS = {
    "ask": "What happens in the video after that?",
    "answer": "Somebody comes in and sits down 👍🏽 on a chair.",
    "summarise": "Somebody comes in, sits down on a chair and reads a book for a while.",
}
_FRAME: dict[str, type[Ask | Answer | Summarise]] = {"ask": Ask, "answer": Answer, "summarise": Summarise}
_decoder = msgspec.json.Decoder(FromServer)
_encoder = msgspec.json.Encoder()
_keys = itertools.count(1)


def new_key() -> str:
    """Return a key not used before."""
    return f"drill-{next(_keys):06}"


class Page:
    """One page. Everything it is sent is applied as it comes; ``until`` waits for what is wanted."""

    def __init__(self, token: str, url: str) -> None:
        self.token = token
        self.url = url
        self.socket: ClientConnection | None = None
        self.seen: Snapshot | None = None
        self.version = 0
        self.move = "wait"
        self.lines: list[Line] = []
        self.acks: dict[str, float] = {}
        self.heard: dict[int, float] = {}
        """When each position came, by the loop's clock."""
        self.refusals: list[Refused] = []
        self.frames: list[FromServer] = []
        self.ended: Ended | None = None
        self.moved = False
        self.closed: int | None = None
        self.closed_at = 0.0
        self.lost_seen = False
        """Whether the partner was ever shown as lost."""
        self._news = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """The address of the socket."""
        return urlsplit(self.url)._replace(scheme="ws", path="/ws/chat/").geturl()

    @property
    def role(self) -> str:
        """The role, as far as it is known."""
        return (self.seen.role if self.seen else None) or ""

    @property
    def phase(self) -> str:
        """The phase that was last shown."""
        return self.seen.phase if self.seen else ""

    async def open(self, *, answers_pings: bool = True) -> "Page":
        """Connect and say hello; an older connection of this page is left to itself."""
        self.socket = await websockets.connect(
            self.address, compression=None, open_timeout=20, ping_interval=None, max_size=None, close_timeout=1
        )
        if not answers_pings:
            self.socket.protocol.recv_frame = _deaf(self.socket.protocol.recv_frame)  # type: ignore[method-assign]
        self.closed = None
        before = len(self.frames)
        self._reader = asyncio.create_task(self._read(self.socket))
        await self.send(Hello(self.token, self.version))
        await self.until(lambda: len(self.frames) > before or self.closed is not None, 20, "an answer to hello")
        return self

    async def reopen(self, seconds: float = 20) -> float:
        """Connect again as browsers do, until a snapshot is there; return how long it took."""
        started = time.monotonic()
        while time.monotonic() - started < seconds:
            try:
                before = self.states
                await self.open()
                await self.until(lambda before=before: self.states > before or self.ended, 15, "a snapshot")  # type: ignore[misc]
                return time.monotonic() - started
            except (OSError, websockets.InvalidHandshake, websockets.ConnectionClosed, AssertionError):
                await asyncio.sleep(0.2)
        raise AssertionError(f"no snapshot after a reconnect within {seconds:.0f} s.")

    @property
    def states(self) -> int:
        """How many snapshots have come."""
        return sum(isinstance(frame, State) for frame in self.frames)

    async def send(self, frame: ClientFrame) -> None:
        """Send one frame."""
        await self.raw(_encoder.encode(frame).decode())

    async def raw(self, data: str | bytes) -> None:
        """Send anything."""
        assert self.socket is not None
        await self.socket.send(data)

    async def close(self) -> None:
        """Close the socket as a page that goes away does."""
        if self.socket is not None:
            await self.socket.close()
        if self._reader is not None:
            await asyncio.gather(self._reader, return_exceptions=True)

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for data in socket:
                self._take(_decoder.decode(data))
                self._news.set()
        except websockets.ConnectionClosedError:
            pass
        finally:
            if self.socket is socket:
                self.closed, self.closed_at = socket.close_code or 1006, time.monotonic()
            self._news.set()

    def _take(self, frame: FromServer) -> None:
        self.frames.append(frame)
        if isinstance(frame, State) and frame.snapshot.version >= self.version:
            self.seen, self.version, self.move = frame.snapshot, frame.snapshot.version, frame.snapshot.move
            assert frame.snapshot.lines[: len(self.lines)] == self.lines, "a snapshot lacks what was shown"
            self._add(frame.snapshot.lines[len(self.lines) :])
            self.lost_seen |= frame.snapshot.partner_lost is not None
        elif isinstance(frame, Spoken) and frame.version == self.version + 1:
            assert frame.line.position == len(self.lines), "a line came out of order"
            self.version, self.move = frame.version, frame.move
            self._add([frame.line])
        elif isinstance(frame, Ack):
            self.acks.setdefault(frame.key, time.monotonic())
        elif isinstance(frame, Refused):
            self.refusals.append(frame)
        elif isinstance(frame, Ended):
            self.ended = frame
        elif isinstance(frame, Moved):
            self.moved = True

    def _add(self, lines: list[Line]) -> None:
        for line in lines:
            self.heard[line.position] = time.monotonic()
            if line.key:
                self.acks.setdefault(line.key, time.monotonic())
        self.lines = [*self.lines, *lines]

    async def until(self, check: Callable[[], Any], seconds: float = 10, what: str = "it") -> None:
        """Wait until ``check`` is true of what has come."""
        try:
            async with asyncio.timeout(seconds):
                while not check():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            last = type(self.frames[-1]).__name__ if self.frames else "nothing"
            raise AssertionError(
                f"{what} did not come within {seconds:.0f} s; {self.role} in {self.phase}, {self.move}, "
                f"version {self.version}, closed {self.closed}, last {last}"
            ) from None

    async def say(self, text: str = "", *, seconds: float = 10) -> float:
        """Say what is due, again when it is refused as busy, until it is stored. Return the seconds it took."""
        await self.until(lambda: self.move in _FRAME, seconds, "the turn")
        started, key = time.monotonic(), new_key()
        frame = _FRAME[self.move](key, text or TEXTS[self.move])
        await self.send(frame)
        while True:
            before = len(self.refusals)
            left = seconds - (time.monotonic() - started)
            await self.until(lambda: key in self.acks or len(self.refusals) > before or self.closed, left, "the ack")  # noqa: B023
            if key in self.acks:
                return self.acks[key] - started
            assert self.closed is None, f"closed with {self.closed}"
            assert self.refusals[-1].code in ("busy", "too_fast"), self.refusals[-1]
            await asyncio.sleep(0.5)
            await self.send(frame)

    async def watch(self) -> None:
        """Report that the whole video was played, and see it taken."""
        assert self.seen is not None
        assert self.seen.media is not None
        await self.send(Watched([(0.0, self.seen.media.duration)]))
        await self.until(lambda: self.seen and self.seen.partner_watched, 10, "the watching")


def _deaf(original: Callable[[Any], None]) -> Callable[[Any], None]:
    """Drop pings before they are answered."""
    from websockets.frames import Opcode

    def receive(frame: Any) -> None:
        if frame.opcode is not Opcode.PING:
            original(frame)

    return receive


@dataclass
class Pair:
    """Two pages in one dialog."""

    questioner: Page
    answerer: Page
    dialog: int
    waits: list[float] = field(default_factory=list)

    @property
    def pages(self) -> tuple[Page, Page]:
        """Both."""
        return self.questioner, self.answerer

    def page(self, role: str) -> Page:
        """The page of a role."""
        return self.questioner if role == "questioner" else self.answerer

    def partner(self, page: Page) -> Page:
        """The other page."""
        return self.answerer if page is self.questioner else self.questioner

    async def exchange(self, seconds: float = 10) -> float:
        """Have whoever's turn it is say something that the other sees; return the seconds until it was seen."""
        speaker = next((page for page in self.pages if page.move in ("ask", "answer")), None)
        if speaker is None:
            speaker = self.answerer if self.answerer.move == "watch" else self.questioner
        hearer = self.partner(speaker)
        if speaker.move == "watch":
            await speaker.watch()
        await speaker.until(lambda: speaker.move in ("ask", "answer"), seconds, "the turn")
        position, started = len(speaker.lines), time.monotonic()
        await speaker.say(seconds=seconds)
        await hearer.until(lambda: position in hearer.heard, seconds, "the partner's line")
        await speaker.until(lambda: position in speaker.heard or speaker.ended, seconds, "the own line")
        return hearer.heard[position] - started

    async def rounds(self, number: int) -> None:
        """Hold whole rounds."""
        if self.answerer.move == "watch":
            await self.answerer.watch()
        for _ in range(2 * number):
            await self.exchange()

    async def finish(self) -> None:
        """Go on to the end, summary included; both complete."""
        while self.questioner.move != "summarise":
            await self.exchange()
        await self.questioner.say()
        for page in self.pages:
            await page.until(lambda page=page: page.ended, 10, "the end")  # type: ignore[misc]
            assert page.ended is not None
            assert page.ended.end.outcome == "complete"

    async def close(self) -> None:
        """Close both."""
        await asyncio.gather(*(page.close() for page in self.pages))


async def join(cluster: Cluster, study: str) -> str:
    """Come in through the invitation; return the token."""
    participant = f"worker-{cluster.number()}"
    async with httpx.AsyncClient(timeout=30) as http:
        form = {"participant": participant, "consent": "yes"}
        answer = await http.post(f"{cluster.url}/join/{study}/", data=form)
    assert answer.status_code == 302, answer.text
    return str(urlsplit(answer.headers["location"]).path.strip("/").split("/")[1])


async def pair(cluster: Cluster, study: str, urls: tuple[str, str] | None = None) -> Pair:
    """Bring two new workers of a study together, their sockets at different processes unless told where."""
    ways = urls or (cluster.webs[0].url, cluster.webs[1].url)
    pages = [Page(await join(cluster, study), url) for url in ways]
    for page in pages:
        await page.open()
    for page in pages:
        await page.until(lambda page=page: page.role, 15, "a partner")  # type: ignore[misc]
    tokens = [int(page.token.split("-")[0]) for page in pages]
    rows = await asyncio.to_thread(
        cluster.ask, "SELECT dialog_id, process FROM chat_seat WHERE participation_id = ANY(%s)", tokens
    )
    assert len({row["dialog_id"] for row in rows}) == 1, "they were not paired with each other"
    if urls is None:
        assert len({row["process"] for row in rows}) == 2, "both are at one process"
    questioner, answerer = sorted(pages, key=lambda page: page.role, reverse=True)
    return Pair(questioner, answerer, rows[0]["dialog_id"])


@asynccontextmanager
async def pairs(cluster: Cluster, number: int, **fields: Any) -> AsyncIterator[list[Pair]]:
    """Bring some pairs together, each in a study of its own, and close what is left of them afterwards."""
    made = []
    try:
        for _ in range(number):
            made.append(await pair(cluster, await asyncio.to_thread(lambda: cluster.study(**fields))))
        yield made
    finally:
        await asyncio.gather(*(each.close() for each in made), return_exceptions=True)
