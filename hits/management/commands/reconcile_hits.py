"""Compare our books with the marketplaces', now: ``manage.py reconcile_hits``."""

from typing import Any

from django.core.management.base import BaseCommand

from hits import reconcile


class Command(BaseCommand):
    """What is otherwise done every night."""

    help = "Repair who holds our qualifications, and compare the ledger with what the marketplaces have paid."

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare each recruitment that was launched."""
        for recruitment, said in reconcile.reconcile_all().items():
            self.stdout.write(f"{recruitment}: {said}")
