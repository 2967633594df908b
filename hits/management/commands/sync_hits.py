"""Ask the marketplaces for news, offer seats, pay what is due: ``manage.py sync_hits``."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from hits import tasks
from hits.tasks import Trouble


class Command(BaseCommand):
    """The same as the background task, at once."""

    help = "Synchronise all recruiting with its marketplaces, top up what is on offer, pay what is due."

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it and say what came of it; ends with an error where a marketplace did not do its part."""
        done = tasks.look_after_all()
        for name, said in done.items():
            self.stdout.write(f"{name}: {said}")
        if not done:
            self.stdout.write("There is no recruiting to look after.")
        if troubled := [name for name, said in done.items() if isinstance(said, Trouble)]:
            raise CommandError(f"Not done for {', '.join(troubled)}: see above.")
