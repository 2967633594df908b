"""Seal the ids of marketplaces with the first of MARKETPLACE_ID_KEYS, so that the others may be dropped."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.lib import sealed


class Command(BaseCommand):
    """Goes through every table that seals something, a few hundred rows at a time."""

    help = "Seal what is kept sealed with the first of MARKETPLACE_ID_KEYS. Stopped, it goes on where it was."

    def handle(self, *args: Any, **options: Any) -> None:
        """Say of each table how many rows were sealed anew."""
        try:
            for model, _ in sealed.fields():
                number = sealed.reseal(model)
                self.stdout.write(f"{model._meta.verbose_name_plural}: {number} sealed anew.")
        except sealed.CannotOpen as error:
            raise CommandError(str(error)) from None
        self.stdout.write("All is sealed with the first key; the others may be taken away.")
