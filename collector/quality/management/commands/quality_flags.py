"""Say what should be looked at in a study: ``manage.py quality_flags --study pilot --out flags.csv``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.exports import writing
from collector.exports.selection import NoStudy, study_named
from collector.lib.text import many
from collector.quality import reports
from collector.quality.counting import Counted, count
from collector.quality.flags import FLAGS, look
from collector.quality.models import rules_of
from collector.quality.writings import rows_of
from collector.studies import kinds
from collector.studies.models import Kind, Study


class Command(BaseCommand):
    """Count, print and write."""

    help = "What to look at in the texts of a study: how many have each flag, which, and every figure as CSV."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--study", required=True, metavar="SLUG", help="the study")
        parser.add_argument("--out", type=Path, metavar="FILE", help="write every figure with its evidence as CSV")
        parser.add_argument("--workers", type=Path, metavar="FILE", help="write the flags of workers as CSV")
        parser.add_argument("--simulated", action="store_true", help="also what simulated workers wrote")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look at the whole study, print how many have each flag, and write the files."""
        try:
            study = study_named(options["study"])
            if study.kind == Kind.RELEVANCE:
                raise CommandError(f"In {study.slug} people mark answers and write nothing: there is nothing to flag.")
            for path in (options["out"], options["workers"]):
                if path:
                    writing.check(path)
            counted = self._count(study, options)
            self._print(study, counted)
            if options["workers"]:
                reports.write_workers(study, counted, options["workers"])
        except (NoStudy, writing.CannotWrite) as error:
            raise CommandError(str(error)) from error
        for path in (options["out"], options["workers"]):
            if path:
                self.stdout.write(f"Wrote {path}.")

    def _count(self, study: Study, options: dict[str, Any]) -> Counted:
        if options["out"]:
            return reports.write_flags(study, options["out"], simulated=options["simulated"])
        rules = rules_of(study)
        return count(look(rows_of(study, simulated=options["simulated"]), rules), rules)

    def _print(self, study: Study, counted: Counted) -> None:
        about = kinds.of(study.kind)
        total = len(counted.numbers)
        self.stdout.write(f"{len(counted.any)} of {total} {about.unit if total == 1 else about.units} have a flag.")
        for flag in FLAGS:
            numbers = counted.flagged.get(flag.key, {})
            of_workers = sum(1 for each in counted.workers.values() if flag in dict(each.set(counted.rules)))
            self.stdout.write(f"{flag.name:<26}{len(numbers):>6}   {many(of_workers, 'worker')}")
            self.stdout.write(f"    {flag.definition(counted.rules)}")
