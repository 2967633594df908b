"""Print Table 2 of the AVSD paper for a summary study: ``manage.py summary_study --study summaries``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.progress import Progress

from collector.analysis import bootstrap
from collector.analysis.bootstrap import Estimate
from collector.analysis.meteor import MeteorFailed
from collector.analysis.summary_reports import as_table
from collector.analysis.summary_table import NOTES, WATCHERS, SummaryTable, TooFew, summary_table
from collector.analysis.watchers import summarised
from collector.exports import writing
from collector.exports.selection import NoStudy, study_named
from collector.studies.models import Kind, Study


class Command(BaseCommand):
    """Compare the summaries and print what comes of it."""

    help = "One watcher's summary of each video against the others', and the Questioner's against the same."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--study", required=True, metavar="SLUG", help="the summary study")
        parser.add_argument(
            "--dialogs", default="", metavar="SLUG",
            help="take the Questioners' summaries from this study (default: the one whose videos it takes)",
        )  # fmt: skip
        parser.add_argument("--out", type=Path, metavar="FILE", help="write the table as CSV, too")
        parser.add_argument("--watchers", type=int, default=WATCHERS, help=f"summaries a video ({WATCHERS})")
        parser.add_argument("--seed", type=int, default=0, help="of the choice of watchers and of the intervals (0)")
        parser.add_argument("--resamples", type=int, default=bootstrap.RESAMPLES, help="for the intervals; 0: none")
        parser.add_argument("--simulated", action="store_true", help="also summaries of simulated workers")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, compute, print and write."""
        try:
            study = study_named(options["study"], Kind.SUMMARY)
            dialogs = study_named(options["dialogs"], Kind.DIALOG) if options["dialogs"] else None
            if options["out"]:
                writing.check(options["out"])
            table = self._compute(study, dialogs, options)
            self._print(table)
            if options["out"]:
                writing.write(options["out"], as_table(table.rows).as_csv())
                self.stdout.write(f"Wrote {options['out']}.")
        except (NoStudy, TooFew, MeteorFailed, writing.CannotWrite) as error:
            raise CommandError(str(error)) from error

    def _compute(self, study: Study, dialogs: Study | None, options: dict[str, Any]) -> SummaryTable:
        videos = summarised(study, dialogs, simulated=options["simulated"])
        with Progress(transient=True) as progress:
            bar = progress.add_task("Summaries compared", total=None)

            def on_progress(done: int, steps: int) -> None:
                progress.update(bar, completed=done, total=steps)

            return summary_table(
                videos,
                watchers=options["watchers"],
                seed=options["seed"],
                resamples=options["resamples"],
                on_progress=on_progress,
            )

    def _print(self, table: SummaryTable) -> None:
        names = list(next(iter(table.rows.values())))
        self.stdout.write(f"{'':<38}" + "".join(f"{name:<22}" for name in names).rstrip())
        for row, cells in table.rows.items():
            self.stdout.write(f"{row:<38}" + "".join(f"{_written(cells[name]):<22}" for name in names).rstrip())
        left_out = f", {table.left_out} left out for want of summaries" if table.left_out else ""
        self.stdout.write(f"\nVideos: {len(table.videos)}{left_out}. In brackets: 95 % of the tables of drawn videos.")
        if table.meteor_missing:
            self.stdout.write(f"METEOR: {table.meteor_missing}")
        for note in NOTES:
            self.stdout.write(note)


def _written(estimate: Estimate) -> str:
    said = f"{estimate.value:.3f}"
    return f"{said} ({estimate.interval[0]:.3f}, {estimate.interval[1]:.3f})" if estimate.interval else said
