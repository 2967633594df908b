"""How does a program work alone from outside? By HTTP like a page, with what the sample's scene truly shows.

Of any other video it knows nothing, and what it writes says so.

No Django: what needs the installation's key or database is handed in by the command.
"""

import asyncio
import hashlib
import json
import random
import re
import secrets
from abc import ABC, abstractmethod
from typing import Any, ClassVar
from urllib.parse import urljoin, urlsplit

import msgspec

from chat import scene_talk, scripted
from chat.protocol import Limits
from chat.simulation import Run, SimulationFailed, answered
from collector.catalogue.scenes import Scene

_OPENING = re.compile(r'<script id="opening" type="application/json">(.*?)</script>', re.DOTALL)
TRIES = 20
UNSEEN = "A program wrote this summary, and it cannot tell what happens in the video"


class Alone(ABC):
    """One program that takes part by itself; what it does with the video is its kind's."""

    page: ClassVar[str]
    """Where its pages stand, below the token."""

    def __init__(self, run: Run, participant: str, signature: str, rng: random.Random) -> None:
        self.run = run
        self.participant = participant
        self.form = {"participant": participant, "consent": "yes", "simulated": signature}
        self.rng = rng
        self.place = ""

    @abstractmethod
    async def work(self, scene: Scene | None, opening: dict[str, Any]) -> None:
        """Do what is asked once the video is watched, to the end; of a video that is no sample the scene is None."""

    def fail(self, what: str) -> SimulationFailed:
        """Return what is to be raised."""
        return SimulationFailed(f"{self.participant}: {what}")

    async def take_part(self) -> None:
        """Join, watch, and do the work. Raises SimulationFailed."""
        await self._join()
        began = await self.run.http.post(urljoin(self.place, "begin/"))
        page = await self.run.http.get(self.place)
        if began.status_code != 302 or page.status_code != 200:
            raise self.fail("there is no video for this worker.")
        found = _OPENING.search(page.text)
        opening = json.loads(found[1]) if found else {}
        if "duration" not in opening:
            raise self.fail("the page of the video does not say how long it is.")
        scene = await self._load()
        await self.think()
        await self.post({"type": "watched", "ranges": [[0.0, opening["duration"]]]}, "seen")
        await self.work(scene, opening)
        finish = await self.run.http.get(urljoin(self.place, "../finish/"))
        if 'data-outcome="complete"' not in finish.text:
            raise self.fail("the last page does not say that it is complete.")

    async def _join(self) -> None:
        url = urljoin(self.run.url, f"/join/{self.run.study}/")
        joined = await self.run.http.post(url, data=self.form)
        place = joined.headers.get("location", "")
        if joined.status_code != 302 or not urlsplit(place).path.endswith(f"/{self.page}/"):
            said = f"the consent leads to no video. {answered(joined)}"
            raise self.fail(f"{said} Is {self.run.study!r} an open study of this kind?")
        self.place = urljoin(self.run.url, place)

    async def _load(self) -> Scene | None:
        """Load the whole video; what it shows is known by its content, since nothing on the wire names it."""
        got = await self.run.http.get(urljoin(self.place, "../watch/video"), follow_redirects=True)
        if got.status_code != 200 or not got.content:
            raise self.fail(f"the video was answered with {got.status_code}.")
        return self.run.scenes.get(hashlib.sha256(got.content).hexdigest())

    async def post(self, frame: dict[str, Any], expected: str) -> None:
        """Post a frame, again while the server is busy, until it is answered as expected."""
        for _ in range(TRIES):
            answer = await self.run.http.post(urljoin(self.place, "post/"), json=frame)
            said = answer.json() if answer.status_code == 200 else {"code": "busy"}
            if said.get("type") == expected:
                return
            if said.get("code") not in ("busy", "too_fast"):
                raise self.fail(f"{frame['type']} was answered with {said}.")
            await asyncio.sleep(1)
        raise self.fail(f"{frame['type']} was not taken in {TRIES} tries.")

    async def finish(self, frame: dict[str, Any]) -> None:
        """Post the last frame twice, as a page whose first answer was lost."""
        for _ in range(2):
            await self.post(frame, "over")

    async def think(self) -> None:
        """Wait as long as the run says, about."""
        if self.run.think:
            await asyncio.sleep(self.run.think * self.rng.uniform(0.5, 1.5))


class Watcher(Alone):
    """A program that sums up."""

    page = "watch"

    async def work(self, scene: Scene | None, opening: dict[str, Any]) -> None:
        """Write and send one summary."""
        limits = msgspec.convert(opening["limits"], Limits)
        text = scripted.fitted("summarise", self._summary(scene) if scene else UNSEEN, limits)
        await self.post({"type": "draft", "text": text[: len(text) // 2]}, "seen")
        await self.think()
        await self.finish({"type": "summarise", "key": secrets.token_urlsafe(12), "text": text})

    def _summary(self, scene: Scene) -> str:
        """Return what happens, with one or two things that this watcher found worth telling."""
        asked = self.rng.sample(scene_talk.GENERAL, self.rng.choice((1, 2)))
        return " ".join([scene_talk.summary(scene), *(scene_talk.answer(scene, each) for each in asked)])
