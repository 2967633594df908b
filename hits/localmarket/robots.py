"""Who works here when nobody is at hand? A bounded number of robots with a seeded plan, over the worker API alone.

Each robot signs in as a worker, accepts what it may, and does with each assignment what its plan draws: submit,
submit twice, return, abandon. What the task itself asks is not known here: a *performer* does it, a coroutine given to
:func:`run`, or a command given with ``--command``, which gets ``TASK_URL``, ``ASSIGNMENT_ID``, ``HIT_ID``,
``WORKER_ID`` and ``TURK_SUBMIT_TO`` in its environment. A command that submits by itself prints nothing; else the JSON
object it prints last is handed in as the answers.

``python -m hits.localmarket.robots --market http://localhost:8010 --workers 4 --assignments 20 --seed 7``
"""

import argparse
import asyncio
import json
import os
import random
import shlex
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

Answers = Mapping[str, str] | None
Performer = Callable[["Task"], Awaitable[Answers]]
"""Does a task and returns the answers to hand in, or None when the task's page has handed them in itself."""

MOST_WORKERS, MOST_ASSIGNMENTS = 200, 20_000
PAUSE_SECONDS = 0.2
ACTS = ("submit", "submit_twice", "return", "abandon")


@dataclass(frozen=True)
class Plan:
    """What robots do, and how often in proportion: a worker who leaves is as ordinary as one who finishes."""

    submit: float = 8
    submit_twice: float = 1
    give_back: float = 1
    abandon: float = 1
    wait_seconds: tuple[float, float] = (0.0, 0.5)
    """Between accepting and acting, drawn evenly; of the real time."""

    def draw(self, dice: random.Random) -> tuple[str, float]:
        """Return the next act and how long to wait before it."""
        weights = (self.submit, self.submit_twice, self.give_back, self.abandon)
        return dice.choices(ACTS, weights)[0], dice.uniform(*self.wait_seconds)


@dataclass(frozen=True)
class Task:
    """An assignment that a robot holds."""

    url: str
    assignment_id: str
    hit_id: str
    worker_id: str

    @property
    def submit_to(self) -> str:
        """The site that takes the submission."""
        return parse_qs(urlsplit(self.url).query).get("turkSubmitTo", [""])[0]


@dataclass
class Report:
    """What a run came to: acts by name, refusals by reason."""

    acts: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)


class TaskFailed(Exception):
    """A task could not be done, for want of a partner say; the text is a sentence."""


class Stopped(Exception):
    """The market said no; the text is its reason."""


class Robot:
    """One worker."""

    def __init__(self, http: httpx.AsyncClient, worker_id: str, dice: random.Random) -> None:
        self.worker_id = worker_id
        self._http = http
        self._dice = dice
        self._headers: dict[str, str] = {}

    async def _call(self, name: str, **body: Any) -> Any:
        if body:
            response = await self._http.post(f"/worker/api/{name}", json=body, headers=self._headers)
        else:
            response = await self._http.get(f"/worker/api/{name}", headers=self._headers)
        if response.status_code in (401, 404, 409):
            raise Stopped(response.json()["error"])
        response.raise_for_status()
        return response.json()

    async def sign_in(self) -> None:
        """Become a worker."""
        token = (await self._call("sign-in", worker_id=self.worker_id))["token"]
        self._headers = {"Authorization": f"Bearer {token}"}

    async def accept(self) -> Task | None:
        """Accept a HIT of a group drawn from those it may do; None when there is none."""
        groups = [each["group_id"] for each in await self._call("hits") if each["may_accept"]]
        if not groups:
            return None
        held = await self._call("accept", group_id=self._dice.choice(groups))
        return Task(held["task_url"], held["assignment_id"], held["hit_id"], self.worker_id)

    async def act(self, task: Task, plan: Plan, perform: Performer, report: Report) -> None:
        """Do with a task what the plan draws; that its time was up meanwhile is a refusal, not an end.

        One that could not be done is given back, as people do with it.
        """
        what, wait = plan.draw(self._dice)
        await asyncio.sleep(wait)
        if what == "return":
            await self._try(report, "return", assignment_id=task.assignment_id)
        elif what != "abandon":
            try:
                answers = await perform(task)
            except TaskFailed as failed:
                print(failed, file=sys.stderr)
                await self._try(report, "return", assignment_id=task.assignment_id)
                report.acts["fail"] += 1
                return
            for _ in range(2 if what == "submit_twice" else 1):
                if answers is not None:
                    await self._try(report, "submit", assignment_id=task.assignment_id, answers=dict(answers))
        report.acts[what] += 1

    async def _try(self, report: Report, name: str, **body: Any) -> None:
        try:
            await self._call(name, **body)
        except Stopped as stopped:
            report.refusals[str(stopped)] += 1


@dataclass
class Bound:
    """How many assignments robots may accept together."""

    most: int
    accepted: int = 0
    trying: int = 0

    async def within(self, attempt: Coroutine[Any, Any, Task | None]) -> Task | None:
        """Make an attempt to accept, unless those under way might already reach the bound."""
        if self.accepted + self.trying >= self.most:
            attempt.close()
            return None
        self.trying += 1
        try:
            task = await attempt
        finally:
            self.trying -= 1
        self.accepted += task is not None
        return task


async def answer_at_once(task: Task) -> Answers:
    """Hand in something without looking at the task."""
    return {"robot": task.worker_id}


def run_command(command: str) -> Performer:
    """Return a performer that hands a task over to a command."""
    arguments = shlex.split(command)

    async def perform(task: Task) -> Answers:
        env = {
            **os.environ,
            "TASK_URL": task.url,
            "ASSIGNMENT_ID": task.assignment_id,
            "HIT_ID": task.hit_id,
            "WORKER_ID": task.worker_id,
            "TURK_SUBMIT_TO": task.submit_to,
        }
        process = await asyncio.create_subprocess_exec(*arguments, env=env, stdout=asyncio.subprocess.PIPE)
        output, _ = await process.communicate()
        if process.returncode:
            raise TaskFailed(f"{command}: ended with {process.returncode}; {task.worker_id} gives the HIT back.")
        lines = output.decode().strip().splitlines()
        return {str(name): str(value) for name, value in json.loads(lines[-1]).items()} if lines else None

    return perform


async def run(
    market: str,
    workers: Sequence[str],
    assignments: int,
    *,
    seed: int = 0,
    plan: Plan = Plan(),
    perform: Performer = answer_at_once,
    patience_seconds: float = 2.0,
) -> Report:
    """Let workers do at most that many assignments together; stop when nothing was offered for ``patience_seconds``."""
    if len(workers) > MOST_WORKERS or assignments > MOST_ASSIGNMENTS:
        raise ValueError(f"At most {MOST_WORKERS} robots and {MOST_ASSIGNMENTS} assignments.")
    report, bound = Report(), Bound(assignments)

    async def work(worker_id: str) -> None:
        robot = Robot(http, worker_id, random.Random(f"{seed}:{worker_id}"))
        await robot.sign_in()
        idle = 0.0
        while idle < patience_seconds and bound.accepted < assignments:
            if task := await bound.within(_accepted(robot, report)):
                idle = 0.0
                await robot.act(task, plan, perform, report)
            else:
                idle += PAUSE_SECONDS
                await asyncio.sleep(PAUSE_SECONDS)

    async with httpx.AsyncClient(base_url=market, timeout=60) as http:
        await asyncio.gather(*(work(worker_id) for worker_id in workers))
    return report


async def _accepted(robot: Robot, report: Report) -> Task | None:
    """Accept something; somebody else's being faster is a refusal like any other."""
    try:
        return await robot.accept()
    except Stopped as stopped:
        report.refusals[str(stopped)] += 1
        return None


async def workers_of(market: str, number: int) -> list[str]:
    """Return the first workers of a market."""
    async with httpx.AsyncClient(base_url=market, timeout=60) as http:
        found = (await http.get("/control/api/workers")).json()
    return [each["worker_id"] for each in found][:number]


async def _main(options: argparse.Namespace) -> None:
    workers = options.worker or await workers_of(options.market, options.workers)
    perform = run_command(options.command) if options.command else answer_at_once
    plan = Plan(wait_seconds=(options.wait / 2, options.wait))
    report = await run(options.market, workers, options.assignments, seed=options.seed, plan=plan, perform=perform)
    print(json.dumps({"acts": report.acts, "refusals": report.refusals}, indent=2))


def main() -> None:
    """Run robots from the command line."""
    parser = argparse.ArgumentParser(prog="python -m hits.localmarket.robots", description=__doc__)
    parser.add_argument("--market", default="http://localhost:8010", help="the market's address")
    parser.add_argument("--workers", type=int, default=4, help="how many of the market's workers")
    parser.add_argument("--worker", action="append", help="a worker's id; may be given more than once")
    parser.add_argument("--assignments", type=int, default=20, help="how many they do together at most")
    parser.add_argument("--seed", type=int, default=0, help="the same seed draws the same plan")
    parser.add_argument("--wait", type=float, default=0.5, help="seconds between accepting and acting, at most")
    parser.add_argument("--command", help="what performs a task")
    options = parser.parse_args()
    try:
        asyncio.run(_main(options))
    except httpx.ConnectError:
        sys.exit(f"No local marketplace answers at {options.market}. Start it, or name its address with --market.")
    except (httpx.HTTPError, ValueError, Stopped) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
