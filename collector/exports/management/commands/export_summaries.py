"""Write what watchers wrote: ``manage.py export_summaries --study summaries --out summaries.json``."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.catalogue.models import Split
from collector.exports import summaries, writing
from collector.exports.summaries import WatcherSummary
from collector.studies.models import Kind, Study


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
        check_study(options["study"])
        out: Path = options["out"]
        name = options["format"] or out.suffix.lstrip(".").lower()
        if name not in summaries.FORMATS:
            raise CommandError(f"{out} ends in neither .json nor .csv. Give --format json or --format csv.")
        found = summaries.read(options["study"], options["split"], simulated=options["simulated"])
        counts = {"summaries": 0}
        videos: set[str] = set()
        try:
            writing.write(out, summaries.FORMATS[name](_counted(found, counts, videos)))
        except writing.CannotWrite as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Wrote {counts['summaries']} summaries of {len(videos)} videos to {out}.")


def _counted(found: Iterable[WatcherSummary], counts: dict[str, int], videos: set[str]) -> Iterator[WatcherSummary]:
    for each in found:
        counts["summaries"] += 1
        videos.add(each.image_id)
        yield each


def check_study(slug: str) -> None:
    """Raise CommandError unless the short name is empty or that of a summary study."""
    studies = Study.objects.filter(kind=Kind.SUMMARY)
    if slug and not studies.filter(slug=slug).exists():
        known = ", ".join(studies.order_by("slug").values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no summary study {slug!r}. The summary studies are: {known}.")
