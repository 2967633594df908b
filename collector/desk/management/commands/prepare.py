"""Bring database, static files and sample scenes to this version: once before its processes start."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from collector.catalogue.models import Video


class Command(BaseCommand):
    """What an installation runs before the processes of a new version; may be repeated."""

    help = __doc__
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what a server without samples wants."""
        parser.add_argument("--no-samples", action="store_true", help="do not render the scenes that practice needs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, collect, render."""
        call_command("migrate", interactive=False, verbosity=options["verbosity"], stdout=self.stdout)
        if settings.HASHED_STATIC:
            call_command("collectstatic", interactive=False, verbosity=0, stdout=self.stdout)
        if not options["no_samples"] and not Video.objects.filter(scene__isnull=False).exists():
            self.stdout.write("Rendering the sample scenes ...")
            call_command("load_samples", stdout=self.stdout)
