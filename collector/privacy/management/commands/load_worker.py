"""Write all that is stored about one worker into an archive, for that worker."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.accounts import log
from collector.accounts.roles import Deed
from collector.privacy import person
from collector.studies.models import Worker


class Command(BaseCommand):
    """By number, which the desk tells: an id in a command would stand in the shell's history."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the worker's number and where to write."""
        parser.add_argument("worker", type=int, help="the worker's number, as the desk shows it")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the zip to write")

    def handle(self, *args: Any, worker: int, out: Path, **options: Any) -> None:
        """Write it, readable by its owner only, and log that."""
        found = Worker.objects.filter(pk=worker).first()
        if found is None:
            raise CommandError(f"There is no worker {worker}. The desk finds the number: Find a worker.")
        try:
            with os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(person.archive(found))
        except OSError as error:
            raise CommandError(
                f"{out}: cannot be written ({error.strerror}). Nothing that is there is replaced."
            ) from None
        log.write_command("load_worker", Deed.LOAD_PERSON, str(found))
        self.stdout.write(f"{out}: all about {found}. It holds their id.")
