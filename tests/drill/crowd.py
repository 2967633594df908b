"""Workers of the local marketplace, as programs: each accepts a HIT, talks, and submits, whatever is away meanwhile."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from chat.management.commands.simulate_task import TaskWorker
from chat.simulation import Run, SimulationFailed
from collector.catalogue.scenes import Scene
from tests.drill.load import Load, Talker

PATIENCE = 120.0
"""Seconds for which a worker looks for a HIT, or tries to submit."""


class Visitor(Talker, TaskWorker):
    """A worker in a marketplace's frame who connects again like a browser."""

    async def submitted_fields(self) -> dict[str, str]:
        """Return what the last page submits; reload it while the installation is away."""
        return await again_and_again("the last page", self.submission)


@dataclass
class Crowd(Load):
    """So many workers of the market, who arrive evenly within ``arrive`` seconds.

    ``most`` pairs talked at the same time.
    """

    url: str = ""
    market: str = ""
    workers: list[str] = field(default_factory=list)
    scenes: dict[str, Scene] = field(default_factory=dict)
    think: float = 0.0
    arrive: float = 0.0
    most: int = 0
    submitted: int = 0
    began: float = field(default_factory=time.monotonic)

    def are_back(self) -> bool:
        """Tell whether connections were lost, and all who lost one have another."""
        return 0 < self.codes.total() == len(self.gaps)

    async def work(self) -> None:
        """Let everybody do one HIT; the first who fails ends all."""
        self.began = time.monotonic()
        limits = httpx.Limits(max_connections=50, max_keepalive_connections=50)
        timeout = httpx.Timeout(10, pool=None)
        async with (
            httpx.AsyncClient(limits=limits, timeout=timeout) as http,
            httpx.AsyncClient(base_url=f"{self.market}/worker/api", limits=limits, timeout=60) as market,
            asyncio.TaskGroup() as group,
        ):
            run = Run(self.url, self.study, self.think, self.scenes, http)
            for number, worker_id in enumerate(self.workers):
                group.create_task(self._one(run, market, worker_id, self.arrive * number / len(self.workers)))

    async def _one(self, run: Run, market: httpx.AsyncClient, worker_id: str, after: float) -> None:
        await asyncio.sleep(after)
        headers = {"Authorization": f"Bearer {(await _post(market, 'sign-in', {}, worker_id=worker_id))['token']}"}

        async def accept() -> dict[str, Any]:
            groups = (await market.get("/hits", headers=headers)).json()
            offered = [each["group_id"] for each in groups if each["may_accept"]]
            return await _post(market, "accept", headers, group_id=offered[0]) if offered else {}

        held = await again_and_again("a HIT", accept)
        worker = Visitor(run, held["task_url"])
        worker.load = self
        self.talkers.add(worker)
        record = await worker.take_part()
        self.most = max(self.most, sum(bool(each.record.role) for each in self.talkers) // 2)
        self.talkers.discard(worker)
        record.check()
        self.records.append(record)
        answers = await worker.submitted_fields()
        await _post(market, "submit", headers, assignment_id=held["assignment_id"], answers=answers)
        self.submitted += 1


async def again_and_again(what: str, ask: Callable[[], Any]) -> Any:
    """Return the first answer that is not empty; raises SimulationFailed when none comes for a long time."""
    end, error = time.monotonic() + PATIENCE, ""
    while time.monotonic() < end:
        try:
            if answer := await ask():
                return answer
        except httpx.HTTPError as failed:
            error = repr(failed)
        await asyncio.sleep(1)
    raise SimulationFailed(f"{what} did not come within {PATIENCE:.0f} s. {error}")


async def _post(market: httpx.AsyncClient, name: str, headers: dict[str, str], **body: Any) -> dict[str, Any]:
    """Do something at the market; nothing is returned when somebody else was faster."""
    answer = await market.post(f"/{name}", json=body, headers=headers)
    if answer.status_code == 409 and name == "accept":
        return {}
    answer.raise_for_status()
    found: dict[str, Any] = answer.json()
    return found
