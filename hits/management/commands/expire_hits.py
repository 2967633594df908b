"""Offer no seat of a study any more: ``manage.py expire_hits SLUG``."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.accounts import log
from collector.accounts.roles import Deed
from hits import lifecycle
from hits.marketplace import environments
from hits.marketplace.base import MarketplaceError
from hits.models import Environment, Recruitment


class Command(BaseCommand):
    """Pause recruiting and expire what is open; people inside may finish."""

    help = "Pause recruiting for a study and expire its open HITs. People inside may finish and are paid."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the study."""
        parser.add_argument("study", metavar="SLUG")
        parser.add_argument("--environment", default="", choices=Environment.values, help="only there (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Expire in every environment; trouble with one does not keep the others open."""
        found = Recruitment.objects.filter(study__slug=options["study"])
        if options["environment"]:
            found = found.filter(environment=options["environment"])
        if not found:
            known = ", ".join(
                Recruitment.objects.values_list("study__slug", flat=True).distinct().order_by("study__slug")
            )
            raise CommandError(
                f"Nothing was launched there for a study {options['study']!r}. Known: {known or 'none'}."
            )
        troubled = [said for said in map(self._expire, found) if said]
        if troubled:
            raise CommandError(" ".join(troubled))

    def _expire(self, recruitment: Recruitment) -> str:
        lifecycle.pause(recruitment, "Paused by expire_hits.")
        log.write_command("expire_hits", Deed.EXPIRE, f"recruiting for {recruitment}", recruitment.study_id)
        try:
            number = lifecycle.expire_all(recruitment, environments.adapter(recruitment.environment))
        except MarketplaceError as error:
            return f"{recruitment.environment}: {error.sentence} It is paused, and open HITs may still be on offer."
        self.stdout.write(f"{recruitment.environment}: {number} HITs expired.")
        return ""
