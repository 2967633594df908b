"""Let pairs of programs talk through the running server, as pages would, and check all that they are sent."""

import asyncio
import random
import secrets
import time
from argparse import ArgumentParser
from typing import Any

import httpx
from django.core.management.base import BaseCommand, CommandError
from rich.progress import Progress

from chat.simulating import first_of, here, scenes, sign, silent
from chat.simulation import Record, Run, SimulationFailed, Worker, check_pairs
from collector.catalogue.scenes import Scene


class Command(BaseCommand):
    """Simulated workers: marked as such, paired only among themselves, left out of exports."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the number of pairs and where to send them."""
        parser.add_argument("--pairs", type=int, required=True, help="how many dialogs to hold")
        parser.add_argument("--study", default="demo", help="the study's short name (demo)")
        parser.add_argument("--url", default=here(), help="where the server listens (%(default)s)")
        parser.add_argument("--think", type=float, default=0.0, help="seconds before each text, about (0)")
        parser.add_argument("--seed", type=int, default=None, help="the same seed makes the same choices of questions")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run, check, print the rate; a failure is a sentence and a non-zero exit."""
        if options["pairs"] < 1:
            raise CommandError("--pairs must be at least 1.")
        started = time.monotonic()
        try:
            records = asyncio.run(_run_all(options, scenes()))
            check_pairs(records)
        except SimulationFailed as failure:
            raise CommandError(str(failure)) from None
        except httpx.TransportError as error:
            raise silent(options["url"], error) from None
        seconds = time.monotonic() - started
        texts = sum(len(record.sent) for record in records)
        self.stdout.write(
            f"{options['pairs']} dialogs with {texts} texts in {seconds:.1f} s, all complete: "
            f"{options['pairs'] / seconds:.2f} dialogs/s, {texts / seconds:.1f} texts/s. "
            "Nothing was lost, doubled or out of order."
        )


async def _run_all(options: dict[str, Any], known: dict[str, Scene]) -> list[Record]:
    # New names each time: a worker never gets a video twice.
    name = f"sim-{secrets.token_hex(4)}"
    seed = options["seed"] if options["seed"] is not None else secrets.randbits(32)
    limits = httpx.Limits(max_connections=50, max_keepalive_connections=50)
    records: list[Record] = []
    async with httpx.AsyncClient(limits=limits, timeout=httpx.Timeout(60.0, pool=None)) as http:
        run = Run(options["url"], options["study"], options["think"], known, http)
        with Progress() as progress:
            bar = progress.add_task("Workers done", total=2 * options["pairs"])

            async def take_part(number: int) -> None:
                participant = f"{name}-{number}"
                worker = Worker(run, participant, sign(participant), random.Random(f"{seed}-{number}"))
                records.append(await worker.take_part())
                progress.advance(bar)

            try:
                async with asyncio.TaskGroup() as group:
                    for number in range(2 * options["pairs"]):
                        group.create_task(take_part(number))
            except BaseExceptionGroup as failures:
                raise first_of(failures) from None
    return records
