"""Say whether the installation could take a worker now; ends with 1 where something is not well."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.operations import health


class Command(BaseCommand):
    """The readiness page for a terminal, and for container and service managers."""

    help = __doc__
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take names of checks; without any, all."""
        parser.add_argument(
            "names", nargs="*", help="database, migrations, worker, beat, redis, disk, bucket; else all"
        )

    def handle(self, *args: Any, names: list[str], **options: Any) -> None:
        """Print a line a check."""
        checks = health.all_checks()
        if unknown := sorted(set(names) - {each.name for each in checks}):
            raise CommandError(
                f"There is no check {', '.join(unknown)}. There are: {', '.join(c.name for c in checks)}."
            )
        wanted = [each for each in checks if not names or each.name in names]
        for each in wanted:
            self.stdout.write(f"{'good' if each.is_good else 'BAD '}  {each.name}: {each.sentence}")
        if not all(each.is_good for each in wanted):
            sys.exit(1)
