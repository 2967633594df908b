"""List what looks personal in the texts of studies: ``manage.py scan_texts --study demo``."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from collector.exports import personal
from collector.exports.selection import NoStudy, study_named
from collector.lib.text import many


class Command(BaseCommand):
    """List the finds that nobody has decided about, with their places."""

    help = (
        "List what in the texts of studies looks like an e-mail or web address, an account, a phone or another long "
        "number, and is not decided about. What it prints is personal data: do not keep it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--study", required=True, action="append", metavar="SLUG", help="may be given again")
        parser.add_argument("--simulated", action="store_true", help="also the texts of simulated workers")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look through the texts."""
        try:
            studies = [study_named(slug) for slug in dict.fromkeys(options["study"])]
        except NoStudy as error:
            raise CommandError(str(error)) from error
        number = 0
        for find in personal.undecided(studies, simulated=options["simulated"]):
            number += 1
            self.stdout.write(f"{find.place}: {find.kind}: {find.part}")
        if not number:
            self.stdout.write("Nothing is left to decide.")
            return
        pages = ", ".join(reverse("personal", args=[study.pk]) for study in studies)
        self.stdout.write(f"{many(number, 'find')} to decide about, at {pages}")
