"""Simulated workers at full load for as long as a drill takes, with every lost connection timed."""

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
import msgspec
import websockets
from django.core import signing
from websockets.asyncio.client import ClientConnection

from chat.protocol import Have, Hello, Leave, Snapshot
from chat.simulation import Record, Run, SimulationFailed, Worker, check_pairs
from collector.catalogue.scenes import Scene, from_json
from tests import services
from tests.drill.cluster import Cluster

LEAVE = msgspec.json.encode(Leave()).decode()
AT_ONCE = 5.0
"""Within so many seconds of a lost connection nearly every worker is at another process."""
_FINAL = {4001, 4003, 4004}


@dataclass
class Load:
    """What happened. ``gaps`` holds, for each lost connection, the seconds until the next snapshot."""

    database: services.Postgres
    study: str
    stopping: bool = False
    records: list[Record] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    codes: Counter[int] = field(default_factory=Counter)
    """The close codes of lost connections; 1006 when there was none."""
    talkers: "set[Talker]" = field(default_factory=set)

    async def stop(self) -> None:
        """Begin nothing more; who has nobody left to meet leaves, once all who can be paired are."""
        self.stopping = True
        await asyncio.sleep(6)
        for talker in self.talkers:
            if not talker.record.role and talker.socket is not None:
                with contextlib.suppress(websockets.ConnectionClosed):
                    await talker.socket.send(LEAVE)

    def check_gaps(self) -> None:
        """Check that a lost connection is soon made good, for nearly all at once, on a busy machine, too."""
        gaps = sorted(self.gaps)
        assert gaps[int(0.9 * len(gaps))] < AT_ONCE, gaps
        assert gaps[-1] < 3 * AT_ONCE, gaps

    def check(self) -> str:
        """Check that all that anybody was shown is stored, once and in order; return the figures."""
        check_pairs(self.records)
        rows = self.database.ask(
            "SELECT u.dialog_id, u.position, u.key, u.text, d.rounds, d.is_complete FROM chat_utterance u"
            " JOIN chat_dialog d ON d.id = u.dialog_id JOIN studies_study s ON s.id = d.study_id"
            " WHERE s.slug = %s ORDER BY u.dialog_id, u.position",
            self.study,
        )
        dialogs: dict[int, dict[int, str]] = {}
        dialog_of: dict[str, int] = {}
        for row in rows:
            assert row["position"] not in dialogs.setdefault(row["dialog_id"], {}), f"doubled: {row}"
            assert row["key"] not in dialog_of, f"a key is stored twice: {row}"
            dialogs[row["dialog_id"]][row["position"]] = row["text"]
            dialog_of[row["key"]] = row["dialog_id"]
        seen = lost = 0
        for record in self.records:
            stored = dialogs[dialog_of[record.keys[0]]]
            for line in record.lines:
                seen += 1
                lost += stored.get(line.position) != line.text
        assert not lost, f"{lost} of {seen} lines that were shown are not stored"
        whole = {row["dialog_id"] for row in rows if row["is_complete"]}
        assert {dialog_of[record.keys[0]] for record in self.records} <= whole
        for dialog in whole:
            assert sorted(dialogs[dialog]) == [*range(len(dialogs[dialog]))], "a dialog has a hole"
        gaps = sorted(self.gaps)
        middle = f"{gaps[len(gaps) // 2]:.2f}" if gaps else "-"
        longest = f"{gaps[-1]:.2f}" if gaps else "-"
        return (
            f"{len(self.records) // 2} dialogs complete, {len(rows)} texts stored, {seen} lines seen, {lost} of them "
            f"not stored; {len(gaps)} lost connections, gap {middle} s in the middle, {longest} s at most."
        )


class Talker(Worker):
    """A simulated worker that connects again like a browser, and notes how long it was cut off."""

    load: Load
    socket: ClientConnection | None = None
    _lost_at: float | None = None

    async def take_part(self) -> Record:
        """Play one dialog to its end, unless nobody is left to meet."""
        token = await self._join_again_and_again()
        lost_at: float | None = None
        tries = 0
        while True:
            try:
                async with websockets.connect(self.run.socket_url, compression=None, open_timeout=10) as socket:
                    await self._send(socket, Hello(token, self.version))
                    if lost_at is not None:
                        # An answer counts, not an open socket.
                        await self._send(socket, Have(self.version))
                    self.socket, self._lost_at, lost_at, tries = socket, lost_at, None, 0
                    await self._play(socket)
                return self.record
            except websockets.ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd is not None else 1006
                if code in _FINAL:
                    raise self.record.fail(f"the server closed the socket with code {code}.") from None
                self.load.codes[code] += 1
                lost_at = self._lost_at or time.monotonic()
            except (OSError, websockets.InvalidHandshake) as error:
                tries += 1
                if tries > 60:
                    raise self.record.fail(f"the server did not come back: {error!r}") from None
            await asyncio.sleep(0.1 + 0.4 * self.rng.random())

    def _state(self, seen: Snapshot) -> None:
        if self._lost_at is not None:
            self.load.gaps.append(time.monotonic() - self._lost_at)
            self._lost_at = None
        super()._state(seen)

    async def _join_again_and_again(self) -> str:
        for _ in range(60):
            try:
                return await self._join()
            except (httpx.TransportError, SimulationFailed):
                await asyncio.sleep(0.5)
        raise self.record.fail("the invitation did not open.")

    async def _watch(self, socket: ClientConnection) -> None:
        for _ in range(60):
            try:
                return await super()._watch(socket)
            except (httpx.TransportError, SimulationFailed):
                await asyncio.sleep(0.5)
        raise self.record.fail("the video did not come.")


@asynccontextmanager
async def load(cluster: Cluster, pairs: int, think: float, url: str = "") -> AsyncIterator[Load]:
    """Keep so many pairs talking through nginx for the length of a block, and let them finish after it."""
    rows = await asyncio.to_thread(cluster.ask, "SELECT checksum, scene FROM catalogue_video WHERE scene IS NOT NULL")
    scenes: dict[str, Scene] = {row["checksum"]: from_json(row["scene"]) for row in rows}
    study = await asyncio.to_thread(cluster.study)
    made = Load(cluster.postgres, study)
    key = (cluster.folder / "var" / "secret_key").read_text()
    signer = signing.Signer(key=key, salt="collector.simulated")
    limits = httpx.Limits(max_connections=50, max_keepalive_connections=50)
    async with httpx.AsyncClient(limits=limits, timeout=httpx.Timeout(10, pool=None)) as http:
        run = Run(url or cluster.url, study, think, scenes, http)

        async def again_and_again(number: int) -> None:
            while not made.stopping:
                participant = f"load-{cluster.number()}"
                worker = Talker(run, participant, signer.sign(participant), random.Random(number))
                worker.load = made
                made.talkers.add(worker)
                record = await worker.take_part()
                made.talkers.discard(worker)
                if record.role:
                    record.check()
                    made.records.append(record)

        async with asyncio.TaskGroup() as group:
            for number in range(2 * pairs):
                group.create_task(again_and_again(number))
            try:
                yield made
            finally:
                await made.stop()
