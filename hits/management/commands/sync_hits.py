"""Ask the marketplaces for news, offer seats, pay what is due: ``manage.py sync_hits``."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from hits import tasks


class Command(BaseCommand):
    """The same as the background task, at once."""

    help = "Synchronise all recruiting with its marketplaces, top up what is on offer, pay what is due."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add nothing."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it and say what came of it."""
        for name, said in tasks.look_after_all().items():
            self.stdout.write(f"{name}: {said}")
