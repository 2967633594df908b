"""Erase one worker at their wish; it cannot be taken back."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.accounts import log
from collector.accounts.roles import Deed
from collector.privacy import erasing
from collector.privacy.erasing import CannotErase
from collector.studies.models import Worker


class Command(BaseCommand):
    """By number, which the desk tells: an id in a command would stand in the shell's history."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the worker's number, the choice about texts, and the word that it is meant."""
        parser.add_argument("worker", type=int, help="the worker's number, as the desk shows it")
        parser.add_argument("--keep-texts", action="store_true", help="leave what they wrote in the data")
        parser.add_argument("--yes", action="store_true", help="they have asked for it, and I mean it")

    def handle(self, *args: Any, worker: int, keep_texts: bool, yes: bool, **options: Any) -> None:
        """Say what goes and what stays, and without --yes nothing more."""
        found = Worker.objects.filter(pk=worker).first()
        if found is None:
            raise CommandError(f"There is no worker {worker}. The desk finds the number: Find a worker.")
        for title, lines in (("Goes:", erasing.GOES), ("Stays:", erasing.STAYS)):
            self.stdout.write("\n  - ".join([title, *lines]))
        if not yes:
            raise CommandError("Nothing was erased. Say --yes if they have asked for it: it cannot be taken back.")
        try:
            erasing.erase(found, None, keep_texts=keep_texts, confirmed=True)
        except CannotErase as refused:
            raise CommandError(str(refused)) from None
        log.write_command("erase_worker", Deed.ERASE, str(found), said=f"texts {'keep' if keep_texts else 'remove'}")
        self.stdout.write(f"{found} is erased.")
