"""Take dialogs from a file into an archive: ``manage.py import_dialogs dialogs.json --study avsd-valid``."""

import re
from argparse import ArgumentParser
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from collector.exports.archives import FORMATS, CannotImport
from collector.exports.archiving import Imported, archive
from collector.lib.text import many

_SLUG = re.compile(r"[a-z0-9-]{1,50}")


class Command(BaseCommand):
    """Import all of a file, or nothing."""

    help = f"Store the dialogs of a file as a closed study. Formats, found by themselves: {', '.join(FORMATS)}."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--study", required=True, metavar="SLUG", help="short name of the new study")
        parser.add_argument("--language", default="en", help="of the texts, where the file does not say (default: en)")
        parser.add_argument("--licence", default="not stated", help="of the texts (default: not stated)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import, and say what came of it."""
        if not _SLUG.fullmatch(options["study"]):
            raise CommandError(f"{options['study']!r} is no short name: use lower-case letters, digits and hyphens.")
        console = Console(file=cast(IO[str], self.stderr._out))
        columns = (SpinnerColumn(), TextColumn("dialogs stored"), MofNCompleteColumn())
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
            task = progress.add_task("", total=None)
            try:
                imported = archive(
                    options["file"], options["study"], options["language"], options["licence"],
                    lambda done: progress.advance(task, done),
                )  # fmt: skip
            except CannotImport as error:
                raise CommandError(f"{error} Nothing was imported.") from error
        self._tell(imported, options["study"])

    def _tell(self, imported: Imported, slug: str) -> None:
        self.stdout.write(f"Imported {many(imported.dialogs, 'dialog')} ({imported.form}) into the study {slug!r}.")
        if imported.new_videos:
            self.stdout.write(f"{many(imported.new_videos, 'video')} without a file came into the catalogue.")
        again = f"export_avsd --study {slug} --format {imported.form}"
        if imported.is_identical:
            self.stdout.write(f"{again} writes the same file, byte for byte.")
        else:
            self.stdout.write(
                f"{again} writes a file that differs from it: in its layout, in the order of its videos, or because "
                f"the file holds what the format does not."
            )
