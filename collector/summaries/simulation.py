"""How does a program watch and sum up from outside? By HTTP like a page, with what the sample's scene truly shows.

No Django: what needs the installation's key or database is handed in by the command.
"""

import asyncio
import hashlib
import random
import re
import secrets
from typing import Any
from urllib.parse import urljoin, urlsplit

from chat import scene_talk
from chat.simulation import Run, SimulationFailed
from collector.catalogue.scenes import Scene

_OPENING = re.compile(r'<script id="opening" type="application/json">(.*?)</script>', re.DOTALL)
_DURATION = re.compile(r'"duration": ([0-9.]+)')
TRIES = 20


class Watcher:
    """One program that takes part."""

    def __init__(self, run: Run, participant: str, signature: str, rng: random.Random) -> None:
        self.run = run
        self.participant = participant
        self.form = {"participant": participant, "consent": "yes", "simulated": signature}
        self.rng = rng
        self.place = ""

    def _fail(self, what: str) -> SimulationFailed:
        return SimulationFailed(f"{self.participant}: {what}")

    async def take_part(self) -> str:
        """Join, watch, write and send one summary; return it. Raises SimulationFailed."""
        await self._join()
        began = await self.run.http.post(urljoin(self.place, "begin/"))
        page = await self.run.http.get(self.place)
        if began.status_code != 302 or page.status_code != 200:
            raise self._fail("there is no video for this worker.")
        found = _OPENING.search(page.text)
        duration = _DURATION.search(found[1]) if found else None
        if duration is None:
            raise self._fail("the page of the video does not say how long it is.")
        scene = await self._load()
        await self._think()
        await self._post({"type": "watched", "ranges": [[0.0, float(duration[1])]]}, "seen")
        text = self._summary(scene)
        await self._post({"type": "draft", "text": text[: len(text) // 2]}, "seen")
        await self._think()
        summary = {"type": "summarise", "key": secrets.token_urlsafe(12), "text": text}
        await self._post(summary, "over")
        await self._post(summary, "over")  # as a page whose first answer was lost
        finish = await self.run.http.get(urljoin(self.place, "../finish/"))
        if 'data-outcome="complete"' not in finish.text:
            raise self._fail("the last page does not say that it is complete.")
        return text

    async def _join(self) -> None:
        url = urljoin(self.run.url, f"/join/{self.run.study}/")
        joined = await self.run.http.post(url, data=self.form)
        place = joined.headers.get("location", "")
        if joined.status_code != 302 or not urlsplit(place).path.endswith("/watch/"):
            raise self._fail(f"the consent was answered with {joined.status_code} and leads to no video.")
        self.place = urljoin(self.run.url, place)

    async def _load(self) -> Scene:
        """Load the whole video; what it shows is known by its content, since nothing on the wire names it."""
        got = await self.run.http.get(urljoin(self.place, "video"))
        if got.status_code != 200 or not got.content:
            raise self._fail(f"the video was answered with {got.status_code}.")
        scene = self.run.scenes.get(hashlib.sha256(got.content).hexdigest())
        if scene is None:
            raise self._fail("the video is no sample scene, so a program cannot tell what happens in it.")
        return scene

    async def _post(self, frame: dict[str, Any], expected: str) -> None:
        """Post a frame, again while the server is busy, until it is answered as expected."""
        for _ in range(TRIES):
            answer = await self.run.http.post(urljoin(self.place, "post/"), json=frame)
            said = answer.json() if answer.status_code == 200 else {"code": "busy"}
            if said.get("type") == expected:
                return
            if said.get("code") not in ("busy", "too_fast"):
                raise self._fail(f"{frame['type']} was answered with {said}.")
            await asyncio.sleep(1)
        raise self._fail(f"{frame['type']} was not taken in {TRIES} tries.")

    async def _think(self) -> None:
        if self.run.think:
            await asyncio.sleep(self.run.think * self.rng.uniform(0.5, 1.5))

    def _summary(self, scene: Scene) -> str:
        """Return what happens, with one or two things that this watcher found worth telling."""
        asked = self.rng.sample(scene_talk.GENERAL, self.rng.choice((1, 2)))
        return " ".join([scene_talk.summary(scene), *(scene_talk.answer(scene, each) for each in asked)])
