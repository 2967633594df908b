"""Describe collections as the AVSD paper does: ``manage.py dialog_statistics --study pilot --out statistics``."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.analysis import reports
from collector.analysis.measures import Described, describe
from collector.analysis.probes import read_lists
from collector.analysis.published import BadFile
from collector.analysis.tables import estimates, measures, written
from collector.analysis.tally import Tally
from collector.catalogue.models import Split
from collector.exports import writing
from collector.exports.selection import NoStudy, Selection, study_named
from collector.lib.words import BadWords, WordLists


class Command(BaseCommand):
    """Count, print and write."""

    help = "Counts, lengths, first words, and what is asked: of a study, of published files, of two side by side."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument(
            "--study", action="append", default=[], metavar="SLUG",
            help="complete dialogs of this study; give it again for another one beside it (default: all studies)",
        )  # fmt: skip
        parser.add_argument(
            "--json", action="append", default=[], nargs="+", type=Path, metavar="FILE",
            help="published files (dstc7, raw, visdial) as one collection; give it again for another one beside it",
        )  # fmt: skip
        parser.add_argument("--out", type=Path, metavar="DIR", help="write tables (CSV), a page and pictures there")
        parser.add_argument(
            "--words", type=Path, metavar="FILE", help="word lists (TOML; default: those of the first study named)"
        )
        parser.add_argument("--split", default="", choices=Split.values, help="only videos of this split (studies)")
        parser.add_argument(
            "--without-summary", action="store_true", help="also dialogs with all rounds and no summary (studies)"
        )
        parser.add_argument("--simulated", action="store_true", help="also dialogs of simulated workers (studies)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read every collection, then print its figures and write the files."""
        try:
            studies = [study_named(slug) for slug in options["study"]]
            lists = reports.lists_of(studies[0]) if studies and not options["words"] else read_lists(options["words"])
            if options["out"]:
                _make_folder(options["out"])
            tallies = list(self._tallies(lists, options))
            described = [describe(tally) for tally in tallies]
            self._print(described)
            self.stdout.write(f"\n{lists.in_words}")
            if options["out"]:
                self.stdout.write(f"\n{reports.write(options['out'], tallies, described)}")
        except (BadWords, BadFile, reports.NothingToCount, NoStudy, writing.CannotWrite) as error:
            raise CommandError(str(error)) from error

    def _tallies(self, lists: WordLists, options: dict[str, Any]) -> Iterator[Tally]:
        for slug in options["study"] or ([] if options["json"] else [""]):
            selection = Selection(slug, options["split"], options["without_summary"], options["simulated"])
            yield reports.of_study(selection, lists)
        for files in options["json"]:
            yield reports.of_files(files, lists)

    def _print(self, described: Sequence[Described]) -> None:
        names = [each.name for each in described] + (["difference"] if len(described) == 2 else [])
        self.stdout.write(f"{'':<38}{''.join(f'{name:<34}' for name in names).rstrip()}")
        group = ""
        for measure in measures(described):
            if measure.group != group:
                group = measure.group
                self.stdout.write(f"\n{group.upper()}")
            cells = "".join(f"{written(each, measure):<34}" for each in estimates(described, measure))
            self.stdout.write(f"{measure.name:<38}{cells}".rstrip())
            known = f" Published: {measure.published}." if measure.published else ""
            self.stdout.write(f"    {measure.definition}.{known}")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"The folder {folder} cannot be made: {error.strerror}. Give another --out.") from error
    writing.check(folder / reports.PAGE)
