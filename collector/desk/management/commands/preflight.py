"""Make the checks of a study, or of all that are drafts or open, and print them with what to do."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.desk import rehearsing
from collector.desk.preflight import looking
from collector.desk.preflight.checks import State
from collector.lib import jobs
from collector.studies import models
from collector.studies.models import Study

_WORDS = {State.GOOD: "good", State.WARN: "look", State.BAD: "MEND", State.UNKNOWN: "open"}


class Command(BaseCommand):
    """Ends with an error where something is to be mended, so that a script can wait for it."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the study, and whether to rehearse it."""
        parser.add_argument("--study", help="the study's short name; without it all drafts and open studies")
        parser.add_argument("--rehearse", action="store_true", help="let programs play it, too")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check, print, and keep what was found for the page."""
        failed = []
        for study in _studies(options["study"]):
            self.stdout.write(f"{study.name}\n{'=' * len(study.name)}")
            if self._check(study) + (options["rehearse"] and self._rehearse(study)):
                failed.append(study.slug)
        if failed:
            raise CommandError(f"Something is to be mended: {', '.join(failed)}.")

    def _check(self, study: Study) -> int:
        """Print the checks; return how many are bad."""
        report = looking.look(study)
        jobs.keep(looking.folder_of(study.pk), looking.FILE, report)
        for part in report.parts:
            self.stdout.write(f"\n{part.name}")
            for check in part.checks:
                self.stdout.write(f"  {_WORDS[check.state]}  {check.about}: {check.says}")
                if check.fix:
                    self.stdout.write(f"        {check.fix}")
        self.stdout.write(f"\n{report.in_words}")
        return report.count(State.BAD)

    def _rehearse(self, study: Study) -> bool:
        """Print how the rehearsal went; return whether it failed."""
        went = rehearsing.rehearse(study)
        jobs.keep(rehearsing.folder_of(study.pk), rehearsing.FILE, went)
        self.stdout.write("\nRehearsal")
        for step in went.steps:
            self.stdout.write(f"  {step.seconds:6.2f} s  {step.says}")
        for note in went.notes:
            self.stdout.write(f"  {note}")
        self.stdout.write(f"It failed: {went.trouble}" if went.trouble else "All went well.")
        return bool(went.trouble)


def _studies(slug: str | None) -> list[Study]:
    if slug is None:
        return list(Study.objects.filter(state__in=[models.State.DRAFT, models.State.OPEN]))
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study with the short name {slug!r}.")
    return [study]
