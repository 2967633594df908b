"""What do the commands share that let programs work alone through the running server?"""

import asyncio
import random
import secrets
import time
from argparse import ArgumentParser
from typing import Any, ClassVar

import httpx
from django.core.management.base import BaseCommand, CommandError
from rich.progress import Progress

from chat.simulating import first_of, here, scenes, sign, silent
from chat.simulation import Run, SimulationFailed
from collector.catalogue.scenes import Scene
from collector.summaries.simulation import Alone


class SimulateAlone(BaseCommand):
    """Simulated workers: marked as such, using up no video, left out of exports."""

    worker: ClassVar[type[Alone]]
    units: ClassVar[str]
    """What they make."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the number of watchers and where to send them."""
        parser.add_argument("--watchers", type=int, required=True, help=f"how many {self.units} to make")
        parser.add_argument("--study", required=True, help="the study's short name")
        parser.add_argument("--url", default=here(), help="where the server listens (%(default)s)")
        parser.add_argument("--think", type=float, default=0.0, help="seconds before each step, about (0)")
        parser.add_argument("--seed", type=int, default=None, help="the same seed does the same with the same videos")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run and print the rate; a failure is a sentence and a non-zero exit."""
        if options["watchers"] < 1:
            raise CommandError("--watchers must be at least 1.")
        started = time.monotonic()
        try:
            asyncio.run(self._run_all(options, scenes()))
        except SimulationFailed as failure:
            raise CommandError(str(failure)) from None
        except httpx.TransportError as error:
            raise silent(options["url"], error) from None
        seconds = time.monotonic() - started
        self.stdout.write(f"{options['watchers']} {self.units} in {seconds:.1f} s, all complete.")

    async def _run_all(self, options: dict[str, Any], known: dict[str, Scene]) -> None:
        name = f"sim-{secrets.token_hex(4)}"
        seed = options["seed"] if options["seed"] is not None else secrets.randbits(32)
        limits = httpx.Limits(max_connections=20, max_keepalive_connections=20)
        async with httpx.AsyncClient(limits=limits, timeout=httpx.Timeout(60.0, pool=None)) as http:
            run = Run(options["url"], options["study"], options["think"], known, http)
            with Progress() as progress:
                bar = progress.add_task("Watchers done", total=options["watchers"])

                async def take_part(number: int) -> None:
                    participant = f"{name}-{number}"
                    rng = random.Random(f"{seed}-{number}")
                    await self.worker(run, participant, sign(participant), rng).take_part()
                    progress.advance(bar)

                try:
                    async with asyncio.TaskGroup() as group:
                        for number in range(options["watchers"]):
                            group.create_task(take_part(number))
                except BaseExceptionGroup as failures:
                    raise first_of(failures) from None
