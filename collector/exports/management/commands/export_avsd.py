"""Write the dialogs as an AVSD file: ``manage.py export_avsd --out dialogs.json``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chat import transcripts
from collector.catalogue.models import Split
from collector.exports import avsd, writing
from collector.exports.selection import Selection
from collector.studies.models import Study

NAMED = 50
"""How many odd ids a warning names before it counts the rest."""


class Command(BaseCommand):
    """Say what is written, and what is left out and why."""

    help = "Write the complete dialogs as an AVSD file, and say how many were left out and why."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="where to; replaced when whole")
        parser.add_argument("--study", default="", metavar="SLUG", help="only this study (default: all)")
        parser.add_argument(
            "--format", default="dstc7", choices=sorted(avsd.FORMATS),
            help="dstc7: normalised text, one dialog a video (default); raw: text as typed, all dialogs",
        )  # fmt: skip
        parser.add_argument(
            "--split", default="", choices=Split.values, help="only videos of this split (default: all)"
        )
        parser.add_argument(
            "--without-summary", action="store_true", help="also dialogs with all rounds and no summary"
        )
        parser.add_argument("--simulated", action="store_true", help="also dialogs of simulated workers")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file and report."""
        _check_study(options["study"])
        selection = Selection(options["study"], options["split"], options["without_summary"], options["simulated"])
        tally = avsd.Tally()
        pieces = avsd.FORMATS[options["format"]](transcripts.read(selection.dialogs()), tally)
        try:
            writing.write(options["out"], pieces)
        except writing.CannotWrite as error:
            raise CommandError(str(error)) from error
        self._report(options["out"], tally, selection.left_out())

    def _report(self, out: Path, tally: avsd.Tally, left_out: dict[str, int]) -> None:
        self.stdout.write(f"Wrote {_dialogs(tally.dialogs)} about {tally.videos} video{_s(tally.videos)} to {out}.")
        reasons = left_out | {
            "second dialog of a video (--format raw takes them)": tally.further_dialogs,
        }
        total = sum(reasons.values())
        self.stdout.write(f"Left out: {_dialogs(total)}{':' if total else '.'}")
        for reason, number in reasons.items():
            if number:
                self.stdout.write(f"  {number:>7}  {reason}")
        if tally.further_summaries:
            number = tally.further_summaries
            self.stdout.write(f"The format holds one summary a video: {number} of further dialogs left out.")
        self._warn(tally)

    def _warn(self, tally: avsd.Tally) -> None:
        if not tally.dialogs:
            self._warning("Warning: there was no dialog to write; the file is empty but well formed.")
        if tally.odd_ids:
            more = len(tally.odd_ids) - NAMED
            names = ", ".join(tally.odd_ids[:NAMED]) + (f" and {more} more" if more > 0 else "")
            self._warning(f"Warning: some readers take only ids of five characters 0-9 and A-Z, unlike: {names}")

    def _warning(self, sentence: str) -> None:
        self.stderr.write(self.style.WARNING(sentence))


def _check_study(slug: str) -> None:
    if slug and not Study.objects.filter(slug=slug).exists():
        known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no study {slug!r}. The studies are: {known}.")


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def _dialogs(number: int) -> str:
    return f"{number} dialog{_s(number)}"
