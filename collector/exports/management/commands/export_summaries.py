"""Write what watchers wrote: ``manage.py export_summaries --study summaries --out summaries.json``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.catalogue.models import Split
from collector.exports import orders, summaries
from collector.exports.orders import Asked, CannotExport


class Command(BaseCommand):
    """Write the file and say what is in it."""

    help = "Write the summaries of those who watched the videos as JSON or CSV, without any worker's id."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="where to; replaced when whole")
        parser.add_argument("--study", default="", metavar="SLUG", help="only this study (default: all)")
        parser.add_argument("--format", choices=list(summaries.FORMATS), help="(default: by the name of the file)")
        parser.add_argument("--split", default="", choices=Split.values, help="only videos of this split")
        parser.add_argument("--simulated", action="store_true", help="also those of simulated workers")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write and report."""
        out: Path = options["out"]
        name = options["format"] or out.suffix.lstrip(".").lower()
        if name not in summaries.FORMATS:
            raise CommandError(f"{out} ends in neither .json nor .csv. Give --format json or --format csv.")
        asked = Asked(name, options["study"], options["split"], simulated=options["simulated"])
        try:
            for sentence in orders.export(asked, out).said:
                self.stdout.write(sentence)
        except CannotExport as error:
            raise CommandError(str(error)) from error
