"""Import videos and their scripts from a Charades CSV or a JSON Lines manifest."""

import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from collector.catalogue.importing import Listener, Refused, Report, import_videos
from collector.catalogue.models import Split
from collector.catalogue.probing import COPY
from collector.catalogue.sources import Problem


class Command(BaseCommand):
    """Import a list of videos; nothing is imported when one of them cannot be used, unless told to leave it out."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the list, the folder, and how strict to be."""
        parser.add_argument("source", type=Path, help="Charades CSV, or JSON Lines with id, file, script, split.")
        parser.add_argument("--videos", type=Path, required=True, metavar="DIR", help="The folder of the video files.")
        parser.add_argument("--split", choices=Split.values, default="", help="The split of rows that name none.")
        parser.add_argument("--dry-run", action="store_true", help="Check and decode everything, write nothing.")
        parser.add_argument(
            "--transcode", action="store_true", help="Make an mp4 (H.264, AAC) of what browsers do not play."
        )
        parser.add_argument("--skip-bad", action="store_true", help="Leave out what cannot be used, and list it.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the import with a progress bar, and say what came of it."""
        console = Console(file=cast(IO[str], self.stderr._out))
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        with _stopped_in_order(), progress:
            try:
                report = import_videos(
                    options["source"],
                    options["videos"],
                    split=options["split"],
                    is_dry_run=options["dry_run"],
                    skips_bad=options["skip_bad"],
                    transcodes=options["transcode"],
                    listener=self._listener(console, progress, options["skip_bad"]),
                )
            except (Refused, Problem) as error:
                raise CommandError(str(error)) from None
            except KeyboardInterrupt:
                raise CommandError("Stopped. Nothing was imported.", returncode=130) from None
            except OSError as error:
                said = str(error)
                raise CommandError(f"{said}{'' if said[-1:] in '.?' else '.'} Nothing was imported.") from None
        self._tell(report, options["dry_run"])

    def _listener(self, console: Console, progress: Progress, skips_bad: bool) -> Listener:
        tasks: dict[str, TaskID] = {}

        def show(phase: str, done: int, total: int | None) -> None:
            if phase not in tasks:
                tasks[phase] = progress.add_task(phase, total=total)
            progress.update(tasks[phase], completed=done)
            if done == total:
                progress.remove_task(tasks.pop(phase))

        def say(kind: str, text: str) -> None:
            console.print(f"{kind}: {text}", markup=False, highlight=False, soft_wrap=True)

        problem = "Left out" if skips_bad else "Error"
        return Listener(partial(say, problem), partial(say, "Warning"), partial(say, "Note"), show)

    def _tell(self, report: Report, is_dry_run: bool) -> None:
        left = f" {report.problems} left out (listed above)." if report.problems else ""
        if is_dry_run:
            self.stdout.write(f"{report.rows} rows checked, nothing was written.{left}")
        else:
            then = " Put them into a study: admin, Studies, Add." if report.added else ""
            self.stdout.write(f"{report.added} videos added, {report.updated} updated.{left}{then}")
        if report.converted:
            done = "would be" if is_dry_run else "were"
            self.stdout.write(f"Files that {done} converted, because browsers do not play them: {report.converted}.")
        if report.late:
            self.stdout.write(f"Files that a player must have to the end before it begins: {report.late}.")
            self.stdout.write(f"Copy them and import them again: {COPY}")


@contextmanager
def _stopped_in_order() -> Iterator[None]:
    """Let SIGTERM end the import as Ctrl-C does: its files are taken back and its processes end."""
    try:
        before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
