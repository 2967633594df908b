"""Write what people find correct: ``manage.py export_relevances --study relevance --out dense.json``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.exports import relevances, writing
from collector.exports.submissions import Refused
from collector.lib.text import many
from collector.relevance import agreement


class Command(BaseCommand):
    """Write the file, and say how people agree."""

    help = "Write what people find correct in the Visual Dialog Challenge's format, for score_rankings --dense."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--study", required=True, metavar="SLUG", help="the relevance study")
        parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="where to; replaced when whole")
        parser.add_argument(
            "--check", type=Path, metavar="FILE", help="refuse unless this VisDial-style file offers the same answers"
        )
        parser.add_argument(
            "--least", type=int, metavar="PEOPLE", help="only items that so many judged (default: all that are wanted)"
        )
        parser.add_argument("--simulated", action="store_true", help="what simulated workers marked, and only that")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write and report."""
        out: Path = options["out"]
        try:
            study = relevances.study_of(options["study"])
            least = (study.dialogs_per_video or 1) if options["least"] is None else options["least"]
            if least < 1:
                raise Refused("--least takes a number of people from 1.")
            every = list(agreement.judged(study.pk, simulated=options["simulated"]))
            whole = [each for each in every if each.people >= least]
            if options["check"]:
                relevances.check(whole, options["check"])
            writing.write(out, relevances.as_json(whole))
        except (Refused, writing.CannotWrite) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Wrote {many(len(whole), 'item')} to {out}.")
        if left := len(every) - len(whole):
            people = "1 person" if least == 1 else f"{least} people"
            self.stdout.write(f"Left out: {many(left, 'item')} judged by fewer than {people}.")
        self.stdout.write(agreement.in_words(whole))
