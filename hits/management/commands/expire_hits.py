"""Offer no seat of a study any more: ``manage.py expire_hits SLUG``."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from hits import lifecycle
from hits.marketplace import environments
from hits.marketplace.base import MarketplaceError
from hits.models import Recruitment


class Command(BaseCommand):
    """Pause recruiting and expire what is open; people inside may finish."""

    help = "Pause recruiting for a study and expire its open HITs. People inside may finish and are paid."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the study."""
        parser.add_argument("study", metavar="SLUG")

    def handle(self, *args: Any, **options: Any) -> None:
        """Expire in every environment."""
        found = Recruitment.objects.filter(study__slug=options["study"])
        if not found:
            raise CommandError(f"Nothing was launched for a study {options['study']!r}.")
        for recruitment in found:
            lifecycle.pause(recruitment, "Paused by expire_hits.")
            try:
                number = lifecycle.expire_all(recruitment, environments.adapter(recruitment.environment))
            except MarketplaceError as error:
                raise CommandError(str(error)) from None
            self.stdout.write(f"{recruitment.environment}: {number} HITs expired.")
