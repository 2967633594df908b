"""How does a program take part from outside? By HTTP and websocket like a page, checking all that it is sent.

No Django: what needs the installation's key or database is handed in by the command.
"""

import asyncio
import hashlib
import html
import random
import re
import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import httpx
import msgspec
import websockets
from websockets.asyncio.client import ClientConnection

from chat import scripted
from chat.protocol import (
    Answer,
    Ask,
    ClientFrame,
    Ended,
    FromServer,
    Have,
    Hello,
    Limits,
    Line,
    Moved,
    Refused,
    Snapshot,
    Spoken,
    State,
    Summarise,
    Watched,
)
from collector.catalogue.scenes import Scene

PATIENCE = 60.0
"""Seconds without a frame after which a worker gives up, the time to think not counted."""
RECONNECTS = 20
_FINAL_CODES = {4001, 4003, 4004}
_AGAIN = {"busy", "too_fast"}
_decoder = msgspec.json.Decoder(FromServer)
_encoder = msgspec.json.Encoder()


class SimulationFailed(Exception):
    """Something was lost, doubled, out of order, refused or never came; the message is a sentence."""


@dataclass(frozen=True)
class Run:
    """What all workers of a run share. ``scenes`` finds the scene of a sample by the SHA-256 of its file."""

    url: str
    study: str
    think: float
    scenes: Mapping[str, Scene]
    http: httpx.AsyncClient

    @property
    def socket_url(self) -> str:
        """The address of the socket."""
        parts = urlsplit(self.url)
        return parts._replace(scheme="wss" if parts.scheme == "https" else "ws", path="/ws/chat/").geturl()


@dataclass
class Record:
    """What one worker sent and was shown."""

    participant: str
    role: str = ""
    rounds: int = 0
    outcome: str = ""
    sent: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def fail(self, what: str) -> SimulationFailed:
        """Return a failure that names the worker."""
        return SimulationFailed(f"{self.participant} ({self.role or 'waiting'}): {what}")

    def take_all(self, lines: list[Line]) -> None:
        """Take a snapshot's lines, which must go on from those held."""
        if lines[: len(self.lines)] != self.lines:
            raise self.fail("a snapshot differs from the lines that were shown before.")
        if [line.position for line in lines] != [*range(len(lines))]:
            raise self.fail("the lines of a snapshot are not in order.")
        self.lines = lines

    def take(self, line: Line) -> None:
        """Take one line more."""
        if line.position != len(self.lines):
            what = "came twice" if line.position < len(self.lines) else "came before the one that precedes it"
            raise self.fail(f"line {line.position} {what}.")
        self.lines = [*self.lines, line]

    def check(self) -> None:
        """Check at the end that every own text was shown as stored, once and in order."""
        if self.outcome != "complete":
            raise self.fail(f'the dialog ended as "{self.outcome}".')
        parity = 0 if self.role == "questioner" else 1
        own = [line for line in self.lines if line.position % 2 == parity]
        if [line.text for line in own] != self.sent or [line.key for line in own] != self.keys:
            raise self.fail("the own lines are not what was sent.")
        if len(self.lines) != 2 * self.rounds + (parity == 0):
            raise self.fail(f"{len(self.lines)} lines were shown at the end.")


class Worker:
    """One program that takes part."""

    def __init__(self, run: Run, participant: str, signature: str, rng: random.Random) -> None:
        self.run = run
        self.form = {"participant": participant, "consent": "yes", "simulated": signature}
        self.rng = rng
        self.record = Record(participant)
        self.seen: Snapshot | None = None
        self.version = 0
        self.move = "wait"
        self.known: Scene | str | None = None
        self.pending: ClientFrame | None = None
        self.watched: Watched | None = None

    async def take_part(self) -> Record:
        """Join, wait, play one dialog to its end; return what was sent and shown. Raises SimulationFailed."""
        token, why = await self._join(), f"the connection broke {RECONNECTS} times."
        for _ in range(RECONNECTS):
            try:
                async with websockets.connect(self.run.socket_url, compression=None, open_timeout=30) as socket:
                    await self._send(socket, Hello(token, self.version))
                    await self._play(socket)
                self.record.check()
                return self.record
            except websockets.ConnectionClosed as closed:
                if closed.rcvd is not None and closed.rcvd.code in _FINAL_CODES:
                    raise self.record.fail(f"the server closed the socket with code {closed.rcvd.code}.") from None
                await asyncio.sleep(0.5 + self.rng.random())
            except (OSError, websockets.InvalidHandshake) as error:
                why = f"the connection broke {RECONNECTS} times, at last: {error or type(error).__name__}."
                await asyncio.sleep(0.5 + self.rng.random())
        raise self.record.fail(why)

    async def _join(self) -> str:
        url = urljoin(self.run.url, f"/join/{self.run.study}/")
        return await self.agree(url, {name: self.form[name] for name in ("participant", "simulated")}, self.form)

    async def agree(self, url: str, shown_with: Mapping[str, str], form: Mapping[str, str]) -> str:
        """Open an invitation, confirm consent, open the room; return the token of the worker's pages."""
        shown = await self.run.http.get(url, params=shown_with)
        if shown.status_code != 200:
            raise self.record.fail(f"the invitation is not shown. {answered(shown)}")
        joined = await self.run.http.post(url, data=form)
        place = urlsplit(joined.headers.get("location", "")).path.strip("/").split("/")
        if joined.status_code not in (302, 303) or len(place) < 2 or place[0] != "w":
            raise self.record.fail(f"the consent leads to no room. {answered(joined)}")
        if place[2:] == ["learn"]:
            await self.excused(place[1])
        page = await self.run.http.get(urljoin(self.run.url, f"/w/{place[1]}/"))
        if page.status_code != 200:
            raise self.record.fail(
                f"the room was answered with {page.status_code}. Is {self.run.study!r} a study of dialogs?"
            )
        return str(place[1])

    async def excused(self, token: str) -> None:
        """Go past what a worker learns before the task. Programs that are marked as such are not taught."""
        raise self.record.fail("the study teaches before the task, and this is not marked as a program.")

    async def _send(self, socket: ClientConnection, frame: ClientFrame) -> None:
        await socket.send(_encoder.encode(frame).decode())

    async def _play(self, socket: ClientConnection) -> None:
        """Take frames until the end."""
        fresh = True  # what was under way when a connection broke is sent again on the next
        while True:
            try:
                async with asyncio.timeout(PATIENCE + 2 * self.run.think):
                    data = await socket.recv()
            except TimeoutError:
                raise self.record.fail(f"nothing came for {PATIENCE:.0f} seconds.") from None
            frame = _decoder.decode(data)
            if isinstance(frame, Ended):
                self.record.outcome = frame.end.outcome
                return
            if isinstance(frame, Moved):
                raise self.record.fail("the seat was taken by another page.")
            if isinstance(frame, Refused):
                await self._refused(socket, frame)
            elif isinstance(frame, State):
                self._state(frame.snapshot)
                await self._act(socket, again=fresh)
                fresh = False
            elif isinstance(frame, Spoken):
                if frame.version == self.version + 1:
                    self.record.take(frame.line)
                    self.version, self.move = frame.version, frame.move
                    self._settle()
                    await self._act(socket)
                elif frame.version <= self.version:
                    raise self.record.fail(f"line {frame.line.position} came twice.")
                else:
                    await self._send(socket, Have(self.version))

    def _state(self, seen: Snapshot) -> None:
        if seen.version < self.version:
            return
        self.seen, self.version, self.move = seen, seen.version, seen.move
        self.record.role, self.record.rounds = seen.role or "", seen.rounds
        self.record.take_all(seen.lines)
        self._settle()

    def _settle(self) -> None:
        """Forget the text under way when it is among the lines, the report of watching when it was taken."""
        if isinstance(self.pending, Ask | Answer | Summarise) and any(
            line.key == self.pending.key for line in self.record.lines
        ):
            self.pending = None
        if self.move != "watch":
            self.watched = None

    async def _refused(self, socket: ClientConnection, frame: Refused) -> None:
        if frame.code not in _AGAIN:
            raise self.record.fail(f'refused as "{frame.code}": {frame.sentence}')
        await asyncio.sleep(1)
        if isinstance(self.pending, Ask | Answer | Summarise) and frame.key == self.pending.key:
            await self._say(socket, self.pending)
        elif self.watched is not None:
            await self._send(socket, self.watched)

    async def _act(self, socket: ClientConnection, *, again: bool = False) -> None:
        """Do what is to be done now, unless it is under way."""
        if isinstance(self.pending, Ask | Answer | Summarise):
            if again:
                await self._say(socket, self.pending)
        elif self.move == "watch" and (again or self.watched is None):
            await self._watch(socket)
        elif self.move in ("ask", "answer", "summarise"):
            await self._think()
            self.pending = self._next()
            self.record.sent.append(self.pending.text)
            self.record.keys.append(self.pending.key)
            await self._say(socket, self.pending)

    async def _say(self, socket: ClientConnection, frame: Ask | Answer | Summarise) -> None:
        await self._send(socket, frame)

    async def _think(self) -> None:
        if self.run.think:
            await asyncio.sleep(self.run.think * self.rng.uniform(0.5, 1.5))

    async def _watch(self, socket: ClientConnection) -> None:
        """Load the whole video; what it shows is known by its content, since nothing on the wire names it."""
        media = self.seen.media if self.seen else None
        if media is None:
            raise self.record.fail("there is no video to watch.")
        got = await self.run.http.get(urljoin(self.run.url, media.video), follow_redirects=True)
        if got.status_code != 200 or not got.content:
            raise self.record.fail(f"the video was answered with {got.status_code}.")
        self.known = self.run.scenes.get(hashlib.sha256(got.content).hexdigest(), media.script)
        await self._think()
        self.watched = Watched([(0.0, media.duration)])
        await self._send(socket, self.watched)

    def _next(self) -> Ask | Answer | Summarise:
        texts = [line.text for line in self.record.lines]
        history = list(zip(texts[::2], texts[1::2], strict=False))
        key, limits = secrets.token_urlsafe(12), self.seen.limits if self.seen else Limits()
        if self.move == "ask":
            return Ask(key, scripted.fitted("ask", scripted.next_question(history, self.rng), limits))
        if self.move == "answer":
            return Answer(key, scripted.fitted("answer", scripted.answer(texts[-1], history, self.known or ""), limits))
        return Summarise(key, scripted.fitted("summarise", scripted.summarise(history), limits))


def answered(page: httpx.Response) -> str:
    """Return what a page that is not the one that was expected said, as sentences."""
    said = re.search(r"</h1>\s*<p[^>]*>(.*?)</p>", page.text, re.DOTALL)
    told = f": {html.unescape(said[1]).strip()}" if said else "."
    return f"It was answered with {page.status_code}{told}"


def check_pairs(records: list[Record]) -> None:
    """Check that Questioners and Answerers were shown the same, dialog by dialog, or raise SimulationFailed."""

    def transcripts(role: str) -> Counter[tuple[str, ...]]:
        theirs = [record for record in records if record.role == role]
        return Counter(tuple(line.text for line in record.lines[: 2 * record.rounds]) for record in theirs)

    questioners, answerers = transcripts("questioner"), transcripts("answerer")
    if questioners != answerers:
        count = (questioners - answerers).total() + (answerers - questioners).total()
        raise SimulationFailed(f"Partners were not shown the same: {count} transcripts have no counterpart.")
