"""Restore a backup into an empty installation: ``manage.py restore /srv/backups/collector-20261130T200000Z``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from collector.operations import backups


class Command(BaseCommand):
    """Whole or not at all; nothing that is there is overwritten."""

    help = __doc__
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take which backup."""
        parser.add_argument("folder", type=Path, metavar="DIR", help="what backup wrote")

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        """Check, restore, migrate to this version."""
        try:
            manifest = backups.restore(folder, self.stdout.write)
        except backups.CannotRestore as failure:
            raise CommandError(str(failure)) from None
        call_command("migrate", interactive=False, verbosity=0, stdout=self.stdout)
        self.stdout.write(f"Restored what was backed up at {manifest['made_at']} by version {manifest['version']}.")
