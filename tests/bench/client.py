"""The load: many workers in one process, light enough to drive a server that has a core of its own.

``python -m tests.bench.client FILE`` reads a Plan as JSON from standard input and writes a Result to the file. A worker
says hello, is paired, watches, talks its rounds, summarises and is sent away, as a page would; the reference
variant only talks. Every text is unique, so the partner's page knows when it was sent. A text that comes twice, or
never, and any refusal is a failure.

Before a wave's dialogs begin, all its workers are paired and have watched: that time is told apart as pairing, and
``seconds`` runs from the first question to the last delivery.
"""

import asyncio
import gc
import itertools
import random
import ssl
import sys
import time
from pathlib import Path

import msgspec
import uvloop

from chat.protocol import Answer, Ask, Ended, FromServer, Have, Hello, Refused, Spoken, State, Summarise, Watched
from tests.bench.wire import Wire

_decode = msgspec.json.Decoder(FromServer).decode
_encode = msgspec.json.Encoder().encode
_SUMMARY = "Somebody comes in, looks around for a while, sits down at the table and reads a book."


class Seat(msgspec.Struct):
    """One worker: the port of its server, and its token (for the reference, the pair's number)."""

    port: int
    token: str


class Plan(msgspec.Struct):
    """What to do. ``think`` is the mean seconds before a text, within 50 %; ``arrive`` spreads a wave's arrivals.

    With ``idle`` the sockets of the one wave say hello and stay until a line comes on standard input. With an
    ``authority``, the file of its certificate, they speak TLS.
    """

    waves: list[list[Seat]]
    think: float = 0.0
    arrive: float = 0.0
    rounds: int = 10
    is_reference: bool = False
    idle: bool = False
    patience: float = 30.0
    pairing_only: bool = False
    authority: str = ""


class Result(msgspec.Struct):
    """What came of it; times in milliseconds."""

    messages: int = 0
    seconds: float = 0.0
    dialogs: int = 0
    relay: list[float] = []
    acks: list[float] = []
    pairing: list[float] = []
    failures: list[str] = []

    @property
    def rate(self) -> float:
        """Questions and answers delivered a second."""
        return self.messages / self.seconds if self.seconds else 0.0


def percentile(values: list[float], percent: float) -> float:
    """Return a percentile of values, by the nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else float("inf")


_numbers = itertools.count(1)
_sent: dict[str, float] = {}
"""When each text under way was sent."""


class Wave:
    """Workers that are there at the same time. ``ready`` counts those who wait for the start."""

    def __init__(self, plan: Plan, result: Result, size: int) -> None:
        self.plan, self.result = plan, result
        self.tls = ssl.create_default_context(cafile=plan.authority) if plan.authority else None
        self.waiting, self.playing = size, size
        self.has_begun = False
        self.began = self.last = time.perf_counter()
        self.all_ready, self.all_done = asyncio.Event(), asyncio.Event()

    def is_ready(self) -> None:
        """Count one worker who could start."""
        self.last = time.perf_counter()
        self.waiting -= 1
        if not self.waiting:
            self.all_ready.set()

    def is_done(self) -> None:
        """Count one worker whose part has ended."""
        self.playing -= 1
        if not self.playing:
            self.all_done.set()

    def delivered(self, text: str) -> None:
        """Count a partner's text, once."""
        sent = _sent.pop(text, None)
        if sent is None:
            self.failed(f"a text came twice: {text}")
            return
        self.last = time.perf_counter()
        self.result.messages += 1
        self.result.relay.append((self.last - sent) * 1000)

    def failed(self, why: str) -> None:
        """Note a failure."""
        self.result.failures.append(why)


class Worker:
    """What both kinds share: thinking, sending, the end."""

    def __init__(self, wave: Wave, seat: Seat) -> None:
        self.wave, self.seat = wave, seat
        self.opened = 0.0
        self.is_ready = self.is_done = False
        self.loop = asyncio.get_running_loop()
        self.wire: Wire | None = None

    path = "/ws/chat/"

    async def open(self) -> None:
        """Connect."""
        self.opened = time.perf_counter()
        self.wire = Wire(self.path, self.on_open, self.on_text, self.on_close)
        tls = self.wave.tls
        name = "localhost" if tls else None
        await self.loop.create_connection(lambda: self.wire, "127.0.0.1", self.seat.port, ssl=tls, server_hostname=name)

    def on_open(self) -> None: ...
    def on_text(self, data: bytes) -> None: ...
    def begin(self) -> None: ...

    def on_close(self, code: int) -> None:
        """Take the connection's end; before the part has ended it is a failure."""
        if not self.is_done and not self.wave.plan.idle and not self.wave.plan.pairing_only:
            self.wave.failed(f"closed with code {code} before the end")
            self.done()

    def ready(self) -> None:
        """Say once that this worker could start."""
        if not self.is_ready:
            self.is_ready = True
            self.wave.is_ready()

    def done(self) -> None:
        """Say once that this worker's part has ended."""
        if not self.is_done:
            self.is_done = True
            self.wave.is_done()

    def later(self, work, spread: bool = False) -> None:  # type: ignore[no-untyped-def]
        """Do something after a time to think; at once when there is none."""
        think = self.wave.plan.think
        if think:
            self.loop.call_later(think * (random.uniform(0, 2) if spread else random.uniform(0.5, 1.5)), work)
        else:
            work()

    def send(self, frame: object) -> None:
        """Send a frame."""
        assert self.wire
        self.wire.send(_encode(frame))


class ProductWorker(Worker):
    """A worker of the product."""

    def __init__(self, wave: Wave, seat: Seat) -> None:
        super().__init__(wave, seat)
        self.version, self.lines, self.move, self.role = -1, 0, "wait", None
        self.duration, self.has_watched, self.is_paired = 0.0, False, False
        self.key, self.said_at = "", 0.0

    def on_open(self) -> None:
        self.send(Hello(self.seat.token))

    def on_text(self, data: bytes) -> None:
        frame = _decode(data)
        if isinstance(frame, Spoken):
            if frame.version == self.version + 1:
                self.version, self.move = frame.version, frame.move
                self._line(frame.line)
                self._act()
            elif frame.version > self.version:
                self.send(Have(self.version))
        elif isinstance(frame, State):
            self._state(frame.snapshot)
        elif isinstance(frame, Ended):
            if frame.end.outcome != "complete" and not self.wave.plan.pairing_only:
                self.wave.failed(f"ended as {frame.end.outcome}")
            self.done()
        elif isinstance(frame, Refused):
            self.wave.failed(f"refused: {frame.code}")

    def _state(self, seen) -> None:  # type: ignore[no-untyped-def]
        if seen.version < self.version:
            return
        if self.wave.plan.idle:
            self.ready()
        if seen.phase == "dialog" and not self.is_paired:
            self.is_paired = True
            self.wave.result.pairing.append((time.perf_counter() - self.opened) * 1000)
            self.role = seen.role
            if self.wave.plan.pairing_only:
                self.ready()
                return
        self.version, self.move = seen.version, seen.move
        for line in seen.lines[self.lines :]:
            self._line(line)
        if self.move == "watch" and not self.has_watched:
            self.has_watched = True
            assert seen.media
            self.send(Watched([(0.0, seen.media.duration)]))
        elif seen.phase == "dialog" and seen.partner_watched:
            self.ready()
        self._act()

    def _line(self, line) -> None:  # type: ignore[no-untyped-def]
        if line.position != self.lines:
            self.wave.failed(f"line {line.position} came where {self.lines} was due")
        self.lines = line.position + 1
        if line.key:
            self.key = ""
            self.wave.result.acks.append((time.perf_counter() - self.said_at) * 1000)
        elif line.kind != "summary":
            self.wave.delivered(line.text)

    def begin(self) -> None:
        if self.role == "questioner":
            self._act(spread=True)

    def _act(self, spread: bool = False) -> None:
        if self.wave.has_begun and not self.key and self.move in ("ask", "answer", "summarise"):
            self.key = f"key-{next(_numbers)}-{id(self):x}"
            self.later(self._say, spread)

    def _say(self) -> None:
        number = next(_numbers)
        self.said_at = time.perf_counter()
        frame: object
        if self.move == "ask":
            text = f"What does the person do then, after moment {number} of the video?"
            frame = Ask(self.key, text, time.time())
        elif self.move == "answer":
            text = f"They look around, take up a cup and drink from it at moment {number}."
            frame = Answer(self.key, text, time.time())
        else:
            self.send(Summarise(self.key, _SUMMARY, time.time()))
            return
        _sent[text] = self.said_at
        self.send(frame)


class ReferenceWorker(Worker):
    """A page on the reference server: the first of a pair asks, the other answers; an own text back is the ack."""

    def __init__(self, wave: Wave, seat: Seat, asks: bool) -> None:
        super().__init__(wave, seat)
        self.asks, self.path = asks, f"/pair/{seat.token}/"
        self.heard = 0

    def on_open(self) -> None:
        self.wave.result.pairing.append((time.perf_counter() - self.opened) * 1000)
        self.ready()

    def begin(self) -> None:
        if self.asks:
            self.later(self._say, spread=True)

    def _say(self) -> None:
        number = next(_numbers)
        if self.asks:
            text = f"What does the person do then, after moment {number} of the video?"
        else:
            text = f"They look around, take up a cup and drink from it at moment {number}."
        _sent[text] = time.perf_counter()
        self.send({"type": "ask" if self.asks else "answer", "key": f"key-{number}", "text": text})

    def on_text(self, data: bytes) -> None:
        frame = msgspec.json.decode(data)
        if (frame["type"] == "ask") == self.asks:
            if not self.asks and self.heard == self.wave.plan.rounds:
                self.done()
            return
        self.wave.delivered(frame["text"])
        self.heard += 1
        if self.asks and self.heard == self.wave.plan.rounds:
            self.done()
        else:
            self.later(self._say)


async def _wave(plan: Plan, result: Result, seats: list[Seat]) -> None:
    wave = Wave(plan, result, len(seats))
    workers: list[Worker]
    if plan.is_reference:
        workers = [ReferenceWorker(wave, seat, asks=index % 2 == 0) for index, seat in enumerate(seats)]
    else:
        workers = [ProductWorker(wave, seat) for seat in seats]
    if plan.arrive:
        began = time.perf_counter()
        tasks = []
        for index, worker in enumerate(workers):
            await asyncio.sleep(max(0.0, began + plan.arrive * index / len(workers) - time.perf_counter()))
            tasks.append(asyncio.create_task(worker.open()))
        await asyncio.gather(*tasks)
    else:
        for start in range(0, len(workers), 50):  # an accept queue takes only so many at once
            await asyncio.gather(*(worker.open() for worker in workers[start : start + 50]))
    if not await _until(wave.all_ready, wave, plan.patience):
        result.failures.append(f"{wave.waiting} workers were not ready")
    elif plan.idle:
        print("ready", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    elif not plan.pairing_only:
        await asyncio.sleep(0.3)  # what pairing left behind is over
        wave.has_begun, wave.began = True, time.perf_counter()
        for worker in workers:
            worker.begin()
        if not await _until(wave.all_done, wave, plan.patience):
            result.failures.append(f"{wave.playing} workers did not come to the end")
        result.seconds += wave.last - wave.began
        result.dialogs += len(seats) // 2
    for worker in workers:
        worker.is_done = True
        if worker.wire:
            worker.wire.leave()
    await asyncio.sleep(0.2)


async def _until(event: asyncio.Event, wave: Wave, patience: float) -> bool:
    """Wait for an event; give up when nothing has happened for ``patience`` seconds."""
    while not event.is_set():
        try:
            await asyncio.wait_for(event.wait(), 5)
        except TimeoutError:
            if time.perf_counter() - wave.last > patience:
                return False
    return True


async def run(plan: Plan) -> Result:
    """Carry out a plan."""
    result = Result()
    for seats in plan.waves:
        await _wave(plan, result, seats)
    if _sent:
        result.failures.append(f"{len(_sent)} texts never came")
    return result


def main() -> None:
    """Read a plan, carry it out, write the result."""
    plan = msgspec.json.decode(sys.stdin.readline(), type=Plan)
    gc.disable()  # the client's own pauses would be measured as the server's
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        result = runner.run(run(plan))
    Path(sys.argv[1]).write_bytes(msgspec.json.encode(result))


if __name__ == "__main__":
    main()
