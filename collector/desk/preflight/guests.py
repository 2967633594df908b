"""Can somebody come in and see what they are to see? Programs do it, without a cookie, and leave before the task.

They are marked as programs, so they meet only each other, are not counted and use up nothing.
"""

import asyncio
import random
import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

import httpx
import websockets
from websockets.asyncio.client import ClientConnection

from chat.protocol import Choose, Hello, Leave, Media
from chat.simulating import first_of, sign
from chat.simulation import Run, SimulationFailed, Worker
from collector.catalogue.scenes import Scene
from collector.desk.preflight import addresses
from collector.desk.preflight.addresses import Door
from collector.desk.preflight.checks import Check, bad, good, unknown, warn
from collector.studies.models import Kind, Study
from collector.summaries.simulation import Alone
from hits.models import Recruitment

PATIENCE = 40.0
"""Seconds for a whole visit."""
ENTRY, SOCKET, MEETING, MEDIA = "Entry without cookies", "Websocket", "Two who meet", "Media in parts"
_PAGES = {Kind.SUMMARY: "watch", Kind.RELEVANCE: "judge"}
_FIXES = {
    ENTRY: "What the sentence names comes first. If it names nothing: a proxy must pass on posts and the Host header.",
    SOCKET: "Have the proxy pass websockets on: docs/processes.md has nginx's lines. Until then pages ask again and "
    "again, which works and is slower.",
    MEETING: "Look at the videos below, and at who waits on the monitor.",
    MEDIA: "Look at the videos below; a proxy must pass on the Range header.",
}


class Stopped(Exception):
    """A visit that did not come to its end: at which of the checks, and why, in a sentence."""

    def __init__(self, at: str, sentence: str) -> None:
        super().__init__(sentence)
        self.at = at


@dataclass
class Visit:
    """How far a guest has come, and what was seen."""

    at: str = ENTRY
    saw: Check | None = None


def checks(study: Study, recruitments: Iterable[Recruitment]) -> list[Check]:
    """Ask our own public address for all that a worker's browser asks for; return what came of it."""
    recruitments = list(recruitments)
    door = addresses.door_of(study, recruitments)
    name = f"preflight-{secrets.token_hex(4)}"
    names = [f"{name}-{number}" for number in range(1 if study.kind != Kind.DIALOG else 2)]
    signed = {each: sign(each) for each in names}
    first = addresses.address(door.origin, [each.environment for each in recruitments])
    return [first, *asyncio.run(_ask(door, Kind(study.kind), signed))]


async def _ask(door: Door, kind: Kind, signed: dict[str, str]) -> list[Check]:
    async with httpx.AsyncClient(timeout=addresses.TIMEOUT) as http:
        participant = next(iter(signed))
        shown_with = {"participant": participant, "simulated": signed[participant]}
        reached, page = await addresses.reached(http, door, shown_with)
        stages = [ENTRY, SOCKET, MEETING, MEDIA] if kind == Kind.DIALOG else [ENTRY, MEDIA]
        if page is None:
            later = unknown(f"{stages[0]}, and the rest", "It cannot be tried before the pages are reached.")
            return [reached, later]
        found = [reached]
        try:
            found += [*await addresses.framed(http, door, page), await addresses.styled(http, page)]
        except httpx.HTTPError as error:
            found.append(bad("Frames and styles", f"A page was not answered ({type(error).__name__}).", "Try again."))
        if door.is_shut:
            return [*found, _shut(stages[0])]
        run = Run(door.origin, door.slug, 0.0, {}, http)
        return [*found, *await _visited(run, kind, signed, stages)]


def _shut(stage: str) -> Check:
    said = "The study lets nobody in now, so it cannot be tried."
    return unknown(f"{stage}, and the rest", said, "Open it again on its monitor, then check again.")


async def _visited(run: Run, kind: Kind, signed: dict[str, str], stages: Sequence[str]) -> list[Check]:
    """Let programs come in; return a check for each stage of it."""
    visits = [Visit() for _ in signed]
    stopped: Stopped | None = None
    both = asyncio.Barrier(len(visits))
    try:
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            for visit, (name, signature) in zip(visits, signed.items(), strict=True):
                guest: Guest | GuestAlone = (
                    Guest(run, name, signature, visit, both)
                    if kind == Kind.DIALOG
                    else GuestAlone(run, name, signature, visit, _PAGES[kind])
                )
                group.create_task(_told(visit, guest.visit))
    except BaseExceptionGroup as failures:
        stopped = _as_stopped(first_of(failures))
    except TimeoutError:
        at = min((visit.at for visit in visits), key=stages.index)
        stopped = Stopped(at, f"It did not come to an end in {PATIENCE:.0f} seconds.")
    return _by_stage(run, stages, stopped, visits)


def _as_stopped(error: BaseException) -> Stopped:
    if not isinstance(error, Stopped):
        raise error
    return error


def unnamed(sentence: str) -> str:
    """Return what failed, said of a program instead of the name under which it came in."""
    return re.sub(r"^[a-z]+-[0-9a-f]{8}-(\d)", lambda found: f"Program {int(found[1]) + 1}", sentence)


def _by_stage(run: Run, stages: Sequence[str], stopped: Stopped | None, visits: Iterable[Visit]) -> list[Check]:
    passed = {
        ENTRY: _without_cookies(run.http),
        SOCKET: good(SOCKET, f"{run.socket_url} was opened from here, and the chat answered through all between."),
        MEETING: good(MEETING, "Two programs were paired, and each saw what its role may see."),
    }
    reach = stages.index(stopped.at) if stopped else len(stages)
    found = [passed[stage] for stage in stages[:reach] if stage in passed]
    if stopped:
        found.append(bad(stopped.at, str(stopped), _FIXES[stopped.at]))
        found += [unknown(stage, f"It comes after: {stopped.at}.") for stage in stages[reach + 1 :]]
    else:
        found += [visit.saw for visit in visits if visit.saw]
    return found


def _without_cookies(http: httpx.AsyncClient) -> Check:
    if names := sorted({cookie.name for cookie in http.cookies.jar}):
        said = f"Something between sets a cookie ({', '.join(names)}), which browsers drop in a marketplace's frame."
        return warn(ENTRY, said, "Do without it, if the proxy needs it to find its way: pages may reach any process.")
    return good(ENTRY, "A program agreed and its own page opened; no cookie was set or needed.")


async def _told(visit: Visit, call: Callable[[], Any]) -> None:
    """Make a visit; whatever ends it says at which check it did."""
    try:
        await call()
    except SimulationFailed as failed:
        raise Stopped(visit.at, unnamed(str(failed))) from None
    except (httpx.HTTPError, OSError, websockets.WebSocketException, TimeoutError) as error:
        raise Stopped(visit.at, f"{error or type(error).__name__}.".replace("..", ".")) from None


class Guest(Worker):
    """One of two who meet, look at what their role may see, and leave together."""

    def __init__(self, run: Run, name: str, signature: str, visit: Visit, both: asyncio.Barrier) -> None:
        super().__init__(run, name, signature, random.Random(name))
        self.at, self._both, self._has_looked = visit, both, False

    async def visit(self) -> None:
        """Come in, meet, look, leave."""
        token = await self._join()
        self.at.at = SOCKET
        async with websockets.connect(self.run.socket_url, compression=None, open_timeout=addresses.TIMEOUT) as socket:
            await self._send(socket, Hello(token, 0))
            await self._play(socket)
        if not self._has_looked:
            raise self.record.fail(f'it ended as "{self.record.outcome}" before the two had met.')

    async def _act(self, socket: ClientConnection, *, again: bool = False) -> None:
        self.at.at = max(self.at.at, MEETING, key=(ENTRY, SOCKET, MEETING, MEDIA).index)
        if self._has_looked:
            if self.seen and self.seen.phase == "choice":  # the other left first: there is nothing to wait for
                await self._send(socket, Choose(wait=False))
            return
        media = self.seen.media if self.seen else None
        if media is None:
            return
        self._has_looked, self.at.at = True, MEDIA
        self.at.saw = await self._look(media)
        await self._both.wait()
        await self._send(socket, Leave("other"))

    async def _look(self, media: Media) -> Check:
        if media.video:
            return await in_parts(self.run.http, urljoin(self.run.url, media.video))
        answers = [await self.run.http.get(urljoin(self.run.url, each), follow_redirects=True) for each in media.frames]
        good_ones = [each for each in answers if each.headers.get("content-type") == "image/jpeg"]
        if answers and len(good_ones) == len(answers):
            return good("Frames", f"The Questioner's frames came: {len(answers)} of {len(answers)}.")
        said = f"Of {len(answers)} frames for the Questioner {len(good_ones)} came."
        return bad("Frames", said, "Import the video again, which takes its frames anew.")


class GuestAlone(Alone):
    """One who works alone: comes in, asks for the video, and leaves."""

    def __init__(self, run: Run, name: str, signature: str, visit: Visit, page: str) -> None:
        super().__init__(run, name, signature, random.Random(name))
        self.at, self.page = visit, page  # type: ignore[misc]  # which page it is depends on the study

    async def visit(self) -> None:
        """Come in, look, leave."""
        await self._join()
        opened = await self.run.http.get(self.place)
        if opened.status_code != 200:
            raise self.fail(f"the page was answered with {opened.status_code}.")
        self.at.at = MEDIA
        await self.run.http.post(urljoin(self.place, "begin/"))
        self.at.saw = await in_parts(self.run.http, urljoin(self.place, "../watch/video"))
        await self.run.http.post(urljoin(self.place, "../watch/leave/"))

    async def work(self, scene: Scene | None, opening: dict[str, Any]) -> None:
        """Do nothing: a guest leaves before the task."""


async def in_parts(http: httpx.AsyncClient, address: str) -> Check:
    """Ask for the first bytes of a video, as players do."""
    answer = await http.get(address, headers={"Range": "bytes=0-1023"}, follow_redirects=True)
    kind = answer.headers.get("content-type", "no type")
    if answer.status_code == 403:
        said = "No video was given: none is left for a program in this study."
        return bad(MEDIA, said, "Look at the videos below.")
    if not kind.startswith("video/") or answer.status_code not in (200, 206):
        said = f"The video was answered with {answer.status_code}, {kind}."
        return bad(MEDIA, said, "See that the files are where MEDIA_DIR says, and that the product may read them.")
    if answer.status_code == 200:
        said = (
            "A part of the video was asked for and all of it came: nobody can seek, and some browsers do not play it."
        )
        return bad(MEDIA, said, "A proxy drops the Range header: have it pass on, and let the proxy cache no videos.")
    return good(MEDIA, f"A video came as {kind}, in the part that was asked for: players can begin at once, and seek.")
