"""Keep what a release wrote, for the drill of upgrades: its database with a few dialogs, and their export.

Run it from a checkout of the release: ``VAR_DIR=$(mktemp -d) python -m tests.drill.keep_release .``
It writes ``<version>.sql.gz`` and ``<version>.raw``; they go into ``tests/drill/releases`` and are never made anew.
"""

import gzip
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")
os.environ["SECRET_KEY"] = "k" * 50  # pseudonyms in the export are made from it
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402


def keep(folder: Path) -> None:
    """Fill the empty installation and write both files."""
    from tests import factories

    call_command("migrate", verbosity=0)
    study = factories.study(name="Before the upgrade", slug="before")
    for _ in range(3):
        factories.finished_dialog(study=study)
    call_command("export_avsd", format="raw", out=folder / f"{settings.VERSION}.raw")
    with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as database:
        dumped = "\n".join(database.iterdump())
    (folder / f"{settings.VERSION}.sql.gz").write_bytes(gzip.compress(dumped.encode(), mtime=0))


if __name__ == "__main__":
    keep(Path(sys.argv[1]))
