"""Work out what ended participations are owed: ``manage.py settle``."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.studies.models import Participation
from hits import settlement
from hits.models import Settlement


class Command(BaseCommand):
    """The same as the background task, at once."""

    help = "Write down what ended participations are owed by their study's pay rules. Pays nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        """Settle and report."""
        total = 0
        while done := settlement.settle_all():
            total += done
            self.stdout.write(f"Settled {total} ...")
        self.stdout.write(f"Settled {total} participations now, {Settlement.objects.count()} in all.")
        left = Participation.objects.filter(ended_at__isnull=False, settlement__isnull=True).count()
        if left:
            raise CommandError(f"{left} participations could not be settled: the log says which, and why.")
