"""Let programs play a study as it is, before people do: by the public address, to the last page, and told in words.

They are marked as programs: they meet only each other, use up no video, are not counted, paid or exported.
"""

import asyncio
import random
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urljoin

import httpx
import msgspec
from django.conf import settings
from django.urls import reverse
from websockets.asyncio.client import ClientConnection

from chat.models import Dialog
from chat.protocol import Answer, Ask, Snapshot, Summarise
from chat.simulating import first_of, scenes, sign
from chat.simulation import Run, SimulationFailed, Worker, check_pairs
from collector.catalogue.scenes import Scene
from collector.desk.preflight.guests import unnamed
from collector.lib import clock
from collector.lib.jobs import Note
from collector.lib.text import many
from collector.relevance.simulation import Judge
from collector.studies import kinds, promises, versions
from collector.studies.models import Kind, State, Study
from collector.studies.models import Worker as Who
from collector.summaries.models import Viewing
from collector.summaries.simulation import Alone, Watcher
from hits.offers import our_origin

FILE = "rehearsal.json"
ALONE = ("joined", "watched", "sent")
"""What is noted of who works alone."""
PATIENCE = 180.0
"""Seconds for the whole play; programs do not think, so a dialog of 50 rounds takes a few."""
LET_IN = (State.DRAFT, State.OPEN)
"""In these states a study lets programs in."""
_TIMEOUT = 30.0
_UNKNOWING = {
    Kind.DIALOG: "They asked what fits any video, and answered from its script.",
    Kind.SUMMARY: "The summary says that a program wrote it.",
    Kind.RELEVANCE: "Answers were marked by chance.",
}


class Step(msgspec.Struct, frozen=True):
    """One thing that went well, so many seconds after the beginning."""

    seconds: float
    says: str


class Rehearsal(msgspec.Struct, frozen=True):
    """How a play went."""

    at: datetime
    steps: list[Step]
    trouble: str = ""
    """What failed, in a sentence; empty when all went well."""
    notes: list[str] = []
    """What it does not show."""
    replay: str = ""
    """The address of what was played."""


@dataclass
class Script:
    """What is written down while programs play. ``of`` is how many steps there are to note."""

    note: Note
    of: int
    began: float = field(default_factory=time.monotonic)
    steps: list[Step] = field(default_factory=list)
    done: int = 0
    stored: list[float] = field(default_factory=list)
    """Seconds from the sending of each text until it was shown as stored."""
    is_known: bool = False
    """Whether the video was a sample scene, about which programs tell the truth."""

    def says(self, sentence: str) -> None:
        """Write down that something went well."""
        self.steps.append(Step(round(time.monotonic() - self.began, 2), sentence))

    def goes_on(self) -> None:
        """Note that one step more is done."""
        self.done += 1
        self.note(min(self.done, self.of), self.of)


def folder_of(study: int) -> Path:
    """Return where the last rehearsal of a study is kept."""
    return Path(settings.MEDIA_ROOT) / "rehearsals" / str(study)


def rehearse(study: Study, note: Note = lambda done, of: None) -> Rehearsal:
    """Let as many programs as the study's kind takes play it once; return how it went."""
    name = f"rehearsal-{secrets.token_hex(4)}"
    about = kinds.of(study.kind)
    signed = {each: sign(each) for each in (f"{name}-{number}" for number in range(about.workers))}
    script = Script(note, 2 * study.rounds + 1 if study.kind == Kind.DIALOG else len(ALONE))
    known, trouble = scenes(), ""
    if study.state not in LET_IN:
        said = (
            f"The study is {study.get_state_display().lower()}, so it lets not even programs in. Open it again first."
        )
        return Rehearsal(clock.now(), [], said)
    try:
        asyncio.run(_play(study.slug, Kind(study.kind), signed, known, script))
    except SimulationFailed as failed:
        trouble = unnamed(str(failed))
    except TimeoutError:
        trouble = f"It did not come to an end in {PATIENCE:.0f} seconds."
    except (httpx.HTTPError, OSError) as error:
        trouble = f"{our_origin()} does not answer: {error or type(error).__name__}."
    return Rehearsal(clock.now(), script.steps, trouble, _notes(study, script), _replay(study, list(signed)))


async def _play(slug: str, kind: Kind, signed: dict[str, str], known: Mapping[str, Scene], script: Script) -> None:
    async with httpx.AsyncClient(timeout=_TIMEOUT) as http:
        run = Run(our_origin(), slug, 0.0, known, http)
        try:
            async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
                if kind == Kind.DIALOG:
                    players = [Player(run, name, signature, script) for name, signature in signed.items()]
                    for player in players:
                        group.create_task(player.play())
                else:
                    ((name, signature),) = signed.items()
                    group.create_task(PLAYERS_ALONE[kind](run, name, signature, script).play())
        except BaseExceptionGroup as failures:
            raise first_of(failures) from None
    if kind == Kind.DIALOG:
        check_pairs([player.record for player in players])
        script.says(f"{many(len(script.stored), 'text')} were shown as stored after {_times(script.stored)}.")
        script.says("Both were shown the same, and nothing was lost, doubled or out of order.")


def _times(seconds: list[float]) -> str:
    """Return some times in words."""
    return f"{median(seconds):.2f} seconds in the middle, {max(seconds):.2f} at most"


async def _last_page(http: httpx.AsyncClient, address: str, fail: Callable[[str], SimulationFailed]) -> None:
    page = await http.get(address)
    if 'data-outcome="complete"' not in page.text:
        raise fail(f"the last page was answered with {page.status_code} and does not say that all is complete.")


class Player(Worker):
    """A worker of a dialog who tells how far it is."""

    def __init__(self, run: Run, name: str, signature: str, script: Script) -> None:
        super().__init__(run, name, signature, random.Random(name))
        self.script = script
        self._token = ""
        self._sent_at = 0.0

    async def play(self) -> None:
        """Take part to the last page."""
        await self.take_part()
        address = urljoin(self.run.url, f"/w/{self._token}/finish/")
        await _last_page(self.run.http, address, self.record.fail)
        self.script.says(f"The {self._name} is complete, and the last page says so.")

    @property
    def _name(self) -> str:
        return (self.record.role or "worker").capitalize()

    async def _join(self) -> str:
        self._token = await super()._join()
        self.script.says("A worker opened the invitation, agreed, and came to the room.")
        return self._token

    def _state(self, seen: Snapshot) -> None:
        was = self.record.role
        super()._state(seen)
        if not was and self.record.role:
            self.script.says(f"The {self._name} has a partner.")

    async def _watch(self, socket: ClientConnection) -> None:
        begun = time.monotonic()
        await super()._watch(socket)
        self.script.is_known = isinstance(self.known, Scene)
        self.script.says(f"The {self._name} loaded the video in {time.monotonic() - begun:.2f} seconds.")

    async def _say(self, socket: ClientConnection, frame: Ask | Answer | Summarise) -> None:
        self._sent_at = time.monotonic()
        await super()._say(socket, frame)

    def _settle(self) -> None:
        was = self.pending
        super()._settle()
        if was is not None and self.pending is None:
            self.script.stored.append(time.monotonic() - self._sent_at)
            self.script.goes_on()


class PlayerAlone(Alone):
    """The same of who works alone."""

    written: str
    """What is written, or marked."""

    def __init__(self, run: Run, name: str, signature: str, script: Script) -> None:
        super().__init__(run, name, signature, random.Random(name))
        self.script = script

    async def play(self) -> None:
        """Take part to the last page."""
        await self.take_part()
        self.script.says("The worker is complete, and the last page says so.")

    async def _join(self) -> None:
        await super()._join()
        self.script.says("A worker opened the invitation, agreed, and came to the task.")
        self.script.goes_on()

    async def _load(self) -> Scene | None:
        begun = time.monotonic()
        scene = await super()._load()
        self.script.is_known = scene is not None
        self.script.says(f"It was given a video, and loaded it in {time.monotonic() - begun:.2f} seconds.")
        self.script.goes_on()
        return scene

    async def finish(self, frame: dict[str, Any]) -> None:
        """Send the work."""
        begun = time.monotonic()
        await super().finish(frame)
        took = time.monotonic() - begun
        self.script.says(f"{self.written} was sent twice and stored once, in {took:.2f} seconds.")
        self.script.goes_on()


class PlayingWatcher(PlayerAlone, Watcher):
    """Sums up."""

    written = "The summary"


class PlayingJudge(PlayerAlone, Judge):
    """Marks answers."""

    written = "What it marked"


PLAYERS_ALONE: dict[Kind, type[PlayerAlone]] = {Kind.SUMMARY: PlayingWatcher, Kind.RELEVANCE: PlayingJudge}


def _notes(study: Study, script: Script) -> list[str]:
    """Say what the play does not show."""
    said = []
    if not script.is_known and script.steps:
        said.append(
            f"The video is no sample scene, so programs do not know what it shows. {_UNKNOWING[Kind(study.kind)]}"
        )
    content = versions.preview(study).content
    if promises.teaches(content):
        said.append("Programs are not taught: device check, practice and quiz were passed over.")
    if study.recruitments.exists():
        said.append(
            "They came by the invitation link. The way through a marketplace's frame is tried on the local marketplace."
        )
    return said


def _replay(study: Study, names: list[str]) -> str:
    """Return the address of what was played; empty when it did not begin."""
    who = Who.objects.filter(is_simulated=True, external_id__in=names)
    if study.kind == Kind.DIALOG:
        dialog = Dialog.objects.filter(study=study, seats__worker__in=who).first()
        return reverse("replay-dialog", args=[dialog.pk]) if dialog else ""
    viewing = Viewing.objects.filter(participation__worker__in=who).first()
    return reverse("replay-viewing", args=[viewing.pk]) if viewing else ""
