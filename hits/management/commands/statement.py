"""Write what is owed and paid as CSV, or read back what was paid by hand: ``manage.py statement --out owed.csv``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from collector.accounts import log
from collector.accounts.roles import Deed
from collector.studies.models import Study
from hits import statement
from hits.models import EntryState, LedgerEntry


class Command(BaseCommand):
    """For marketplaces that do not pay by themselves."""

    help = "Write the ledger as CSV; fill in the column `reference` of what you have paid, and read it back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--out", type=Path, metavar="FILE", help="write the entries to this file")
        what.add_argument("--paid", type=Path, metavar="FILE", help="mark as paid what has a reference in this file")
        parser.add_argument("--study", default="", metavar="SLUG", help="only this study")
        parser.add_argument("--state", default="", choices=EntryState.values, help="only entries in this state")
        parser.add_argument("--who", default="", metavar="NAME", help="with --paid: the account of who has paid")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write or read."""
        if options["paid"]:
            self._record(options["paid"], options["who"])
        else:
            self._write(options["out"], options["study"], options["state"])

    def _write(self, out: Path, study: str, state: str) -> None:
        rows = LedgerEntry.objects.select_related("worker", "study", "participation").order_by("pk")
        if study:
            if not Study.objects.filter(slug=study).exists():
                raise CommandError(f"There is no study {study!r}.")
            rows = rows.filter(study__slug=study)
        if state:
            rows = rows.filter(state=state)
        try:
            with out.open("w", newline="", encoding="utf-8") as file:
                number = statement.write(rows.iterator(), file)
        except OSError as error:
            raise CommandError(f"{out}: {error.strerror}.") from None
        pk = Study.objects.filter(slug=study).values_list("pk", flat=True).first()
        log.write_command("statement", Deed.LOAD_IDS, f"a statement, {number} of the ledger's entries", pk)
        self.stdout.write(f"Wrote {number} entries to {out}. It holds worker ids: keep it to those who pay.")

    def _record(self, path: Path, who: str) -> None:
        account = User.objects.filter(username=who).first()
        if account is None:
            raise CommandError(f"--who: there is no account {who!r}. Name the one of who has paid.")
        try:
            number = statement.record(path, account)
        except statement.BadStatement as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Marked {number} entries as paid.")
