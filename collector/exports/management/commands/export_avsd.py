"""Write the dialogs as a dataset: ``manage.py export_avsd --out dialogs.json``."""

from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from chat import transcripts
from collector.catalogue.models import Split
from collector.exports import vectors, visdial, writing
from collector.exports.avsd import Tally
from collector.exports.candidates import Report
from collector.exports.cutting import DRAWN, Cut
from collector.exports.formats import FORMATS, Format, Order
from collector.exports.selection import Selection
from collector.lib.text import many
from collector.studies.models import Study

NAMED = 50
"""How many odd ids a warning names before it counts the rest."""
_SOME_FORMATS = ("undisclosed_last", "truncate", "test", "seed", "pool", "vectors")


class Command(BaseCommand):
    """Say what is written, and what is left out and why."""

    help = "Write the complete dialogs as a dataset, and say how many were left out and why."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--out", required=True, type=Path, metavar="PATH", help="where to; replaced when whole")
        parser.add_argument("--study", default="", metavar="SLUG", help="only this study (default: all)")
        about = "; ".join(f"{name}: {form.about}" for name, form in FORMATS.items())
        parser.add_argument("--format", default="dstc7", choices=list(FORMATS), help=about)
        parser.add_argument(
            "--split", default="", choices=Split.values, help="only videos of this split (default: all)"
        )
        parser.add_argument(
            "--without-summary", action="store_true", help="also dialogs with all rounds and no summary"
        )
        parser.add_argument("--simulated", action="store_true", help="also dialogs of simulated workers")
        _add_test_files(parser.add_argument_group("test files and options to rank"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file and report."""
        form = FORMATS[options["format"]]
        _check(options, form)
        selection = Selection(options["study"], options["split"], options["without_summary"], options["simulated"])
        tally = Tally()
        with ExitStack() as stack:
            order = Order(options["out"], _cut(options), self._wish(options, stack), selection.licences())
            try:
                (writing.check_folder if form.is_folder else writing.check)(order.out)
                report = form.write(order, transcripts.read(selection.dialogs()), tally)
            except (writing.CannotWrite, visdial.CannotChoose, vectors.CannotRead) as error:
                raise CommandError(str(error)) from error
        self._report(order.out, form, tally, selection.left_out())
        if report:
            self._say_candidates(report)
        self._warn(tally)

    def _wish(self, options: dict[str, Any], stack: ExitStack) -> visdial.Wish:
        def started(rounds: int) -> Callable[[int], None]:
            console = Console(file=cast(IO[str], self.stderr._out))
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
            task = stack.enter_context(progress).add_task("rounds with their 100 answers", total=rounds)
            return lambda done: progress.advance(task, done)

        return visdial.Wish(
            test=options["test"] or "",
            seed=options["seed"] or 0,
            pool=options["pool"] or visdial.SPLIT,
            vectors=options["vectors"],
            started=started,
        )

    def _report(self, out: Path, form: Format, tally: Tally, left_out: dict[str, int]) -> None:
        rows = f", {many(tally.rows, 'round')}," if tally.rows else ""
        what = f"{many(tally.dialogs, 'dialog')}{rows} about {many(tally.videos, 'video')}"
        self.stdout.write(f"Wrote {what} to {out}.")
        reasons = left_out | {
            "second dialog of a video (--format raw takes them)": tally.further_dialogs,
        }
        total = sum(reasons.values())
        self.stdout.write(f"Left out: {many(total, 'dialog')}{':' if total else '.'}")
        for reason, number in reasons.items():
            if number:
                self.stdout.write(f"  {number:>7}  {reason}")
        if tally.further_summaries:
            number = tally.further_summaries
            self.stdout.write(f"The format holds one summary a video: {number} of further dialogs left out.")
        if tally.references:
            self.stdout.write(f"Further dialogs gave {many(tally.references, 'further reference')}.")

    def _say_candidates(self, report: Report) -> None:
        self.stdout.write(
            f"Zeros stand in the vectors of {many(report.short, 'question')} of three words or fewer, and for "
            f"{many(report.unknown, 'word')} without a vector."
        )
        if report.few_hard:
            self.stdout.write(
                f"{many(report.few_hard, 'round')} had fewer than 50 answers from other videos; more were drawn."
            )

    def _warn(self, tally: Tally) -> None:
        if not tally.dialogs:
            self._warning("Warning: there was no dialog to write; the file is empty but well formed.")
        if tally.odd_ids:
            more = len(tally.odd_ids) - NAMED
            names = ", ".join(tally.odd_ids[:NAMED]) + (f" and {more} more" if more > 0 else "")
            self._warning(f"Warning: some readers take only ids of five characters 0-9 and A-Z, unlike: {names}")

    def _warning(self, sentence: str) -> None:
        self.stderr.write(self.style.WARNING(sentence))


def _add_test_files(parser: Any) -> None:
    parser.add_argument("--undisclosed-last", action="store_true", help="dstc7: write the last answer as undisclosed")
    parser.add_argument(
        "--truncate", nargs="?", type=int, const=DRAWN, metavar="ROUNDS",
        help="dstc7, dstc10: end each dialog after so many rounds; without a number after a drawn one",
    )  # fmt: skip
    parser.add_argument(
        "--test", nargs="?", const=Split.TEST.value, choices=Split.values,
        help="visdial: write this split (default: test) as a test file and a key",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, help="for all that is drawn (default 0)")
    parser.add_argument(
        "--pool", choices=[visdial.SPLIT, visdial.ALL], help="visdial: options of the same split (default), or of all"
    )
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="visdial: word vectors in GloVe's format")


def _check(options: dict[str, Any], form: Format) -> None:
    """Refuse what the format does not take, and a study that is not there."""
    for name in _SOME_FORMATS:
        is_given = options[name] is not None and options[name] is not False  # a seed of 0 is given
        if is_given and name not in form.takes:
            takers = ", ".join(other for other in FORMATS if name in FORMATS[other].takes)
            raise CommandError(f"--{name.replace('_', '-')} goes with --format {takers}, not {options['format']}.")
    if (options["truncate"] or 0) < 0:
        raise CommandError("--truncate takes a number of rounds from 1, or none to draw one for each dialog.")
    slug = options["study"]
    if slug and not Study.objects.filter(slug=slug).exists():
        known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no study {slug!r}. The studies are: {known}.")


def _cut(options: dict[str, Any]) -> Cut:
    return Cut(options["truncate"], options["undisclosed_last"], options["seed"] or 0)
