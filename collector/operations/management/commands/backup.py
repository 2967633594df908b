"""Back up database and media while everything runs: ``manage.py backup --out /srv/backups``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from collector.operations import backups


class Command(BaseCommand):
    """A folder with everything but the keys, or nothing."""

    help = __doc__
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take where to."""
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a folder for backups, one each")
        parser.add_argument(
            "--with-bucket", action="store_true", help="copy videos and frames from the bucket, not only their names"
        )

    def handle(self, *args: Any, out: Path, with_bucket: bool, **options: Any) -> None:
        """Write it, and say where."""
        try:
            place = backups.back_up(out, self.stdout.write, with_bucket=with_bucket)
        except backups.CannotBackUp as failure:
            raise CommandError(str(failure)) from None
        size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
        self.stdout.write(f"{place}: {size / 2**20:.1f} MiB. It names workers: keep it where only you can read it.")
        if settings.MEDIA_STORAGE == "s3" and not with_bucket:
            self.stdout.write("Videos and frames stay in the bucket, for whose backup you see: media.json lists them.")
        self.stdout.write("SECRET_KEY is not in it: without it restored links of workers are not valid.")
        self.stdout.write("MARKETPLACE_ID_KEYS is not in it: without it nobody can be recognised, written to or paid.")
