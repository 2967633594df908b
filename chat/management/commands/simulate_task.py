"""Do one task of a marketplace in its frame, from consent to the form that submits it, for the robots of a marketplace.

Expects the task's address in the environment as TASK_URL, and prints the form's fields as a JSON object.
"""

import asyncio
import json
import os
import random
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from asgiref.sync import sync_to_async
from django.core.management.base import BaseCommand, CommandError

from chat.simulating import excuse, scenes
from chat.simulation import Run, SimulationFailed, Worker
from collector.catalogue.scenes import Scene


class TaskWorker(Worker):
    """A simulated worker who comes through a marketplace's frame; not marked as simulated: the marketplace is."""

    def __init__(self, run: Run, address: str) -> None:
        parts = urlsplit(address)
        self.ids = dict(parse_qsl(parts.query))
        self.address = parts._replace(query="").geturl()
        participant = self.ids.get("workerId", "nobody")
        super().__init__(run, participant, "", random.Random(self.ids.get("assignmentId")))
        self.token = ""

    async def _join(self) -> str:
        self.token = await self.agree(self.address, self.ids, self.ids | {"consent": "yes"})
        return self.token

    async def excused(self, token: str) -> None:
        """Have the lesson over: the command runs where the database is, and a robot has nothing to learn."""
        await sync_to_async(excuse)(token)

    async def submission(self) -> dict[str, str]:
        """Return what the form on the last page submits, without the assignment's id; nothing where there is none."""
        page = await self.run.http.get(f"{self.run.url}/w/{self.token}/finish/")
        fields = _Form(page.text).fields if page.status_code == 200 else {}
        fields.pop("assignmentId", None)
        return fields


class _Form(HTMLParser):
    """The hidden fields of a page's form."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a hidden field."""
        found = dict(attrs)
        if tag == "input" and found.get("type") == "hidden":
            self.fields[found.get("name") or ""] = found.get("value") or ""


class Command(BaseCommand):
    """For ``python -m hits.localmarket.robots --command "python manage.py simulate_task"``."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """Take part, and print what the last page would submit; a failure is a sentence and a non-zero exit."""
        address = os.environ.get("TASK_URL", "")
        if not address:
            raise CommandError("TASK_URL is not set: robots of the local marketplace set it, see docs/localmarket.md.")
        try:
            self.stdout.write(json.dumps(asyncio.run(_do(address, scenes()))))
        except SimulationFailed as failure:
            raise CommandError(str(failure)) from None
        except httpx.TransportError as error:
            raise CommandError(f"{address} does not answer ({type(error).__name__}).") from None


async def _do(address: str, known: Mapping[str, Scene]) -> dict[str, str]:
    async with httpx.AsyncClient(timeout=60) as http:
        parts = urlsplit(address)
        run = Run(f"{parts.scheme}://{parts.netloc}", "", 0.0, known, http)
        worker = TaskWorker(run, address)
        await worker.take_part()
        return await worker.submission()
