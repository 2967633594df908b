"""Remove what was kept long enough, as the worker process does each night; or say what would go."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from collector.privacy import removing
from collector.studies import kept


class Command(BaseCommand):
    """A line a rule."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take whether to only say it."""
        parser.add_argument("--dry-run", action="store_true", help="remove nothing, and say what would go")

    def handle(self, *args: Any, dry_run: bool, **options: Any) -> None:
        """Say how many rows went by each rule."""
        numbers = removing.run(dry_run=dry_run).numbers
        for rule in kept.rules():
            if rule.key in numbers:
                what, _, until = rule.in_words()
                self.stdout.write(f"{numbers[rule.key]:>8}  {rule.key}: {what} Kept: {until}")
        self.stdout.write("These would go; nothing was removed." if dry_run else "These are removed.")
