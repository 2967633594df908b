"""Write the dialogs as a dataset: ``manage.py export_avsd --out dialogs.json``."""

from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from collector.catalogue.models import Split
from collector.exports import orders, visdial
from collector.exports.cutting import DRAWN
from collector.exports.formats import FORMATS
from collector.exports.orders import Asked, CannotExport


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
        asked = Asked(**{name: options[name] for name in Asked.__struct_fields__})
        try:
            with ExitStack() as stack:
                told = orders.export(asked, options["out"], partial(self._started, stack))
        except CannotExport as error:
            raise CommandError(str(error)) from error
        for sentence in told.said:
            self.stdout.write(sentence)
        for sentence in told.warnings:
            self.stderr.write(self.style.WARNING(sentence))

    def _started(self, stack: ExitStack, rounds: int) -> Callable[[int], None]:
        console = Console(file=cast(IO[str], self.stderr._out))
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        task = stack.enter_context(progress).add_task("rounds with their 100 answers", total=rounds)
        return lambda done: progress.advance(task, done)


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
    parser.add_argument("--vectors", metavar="FILE", help="visdial: word vectors in GloVe's format")
