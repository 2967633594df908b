"""Is what the product stands on there? The database, the queue and its worker process, the disk, the mail."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from smtplib import SMTPException

import redis
from django.conf import settings
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from collector.desk.preflight import pulse
from collector.desk.preflight.checks import Check, bad, good, warn
from collector.lib import clock
from collector.lib.text import many

LEAST_FREE = 1 << 30
"""Bytes that should be free."""
_PATIENCE = 5.0


def checks() -> Iterator[Check]:
    """Look at this installation."""
    if settings.DEBUG:
        said = "DEBUG is on: an error shows settings and data to whoever looks."
        yield bad("Debugging", said, "Take DEBUG away and start the product anew.")
    yield _database()
    yield _queue()
    yield _worker()
    yield from _disks()
    yield _mail()


def _database() -> Check:
    about = "Database"
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        return bad(
            about, f"It does not answer ({type(error).__name__}).", "See that it runs and that DATABASE_URL names it."
        )
    if missing:
        said = f"{many(len(missing), 'migration')} not made yet."
        return bad(about, said, "Stop the product, run manage.py migrate, and start it.")
    if connection.vendor == "sqlite":
        return good(about, "SQLite answers; it is enough for one web process on one machine.")
    return good(about, f"{connection.display_name} answers.")


def _queue() -> Check:
    about = "Redis"
    if not settings.REDIS_URL:
        return good(about, "None is named, and none is needed for one web process.")
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE
        ) as client:
            client.ping()
    except redis.RedisError as error:
        said = f"It does not answer ({type(error).__name__}): processes do not hear of each other, and nothing is paid."
        return bad(about, said, "See that it runs and that REDIS_URL names it.")
    return good(about, "It answers.")


def _worker() -> Check:
    about, heard = "Worker process", pulse.heard_at()
    if heard is None or clock.now() - heard > pulse.SILENCE:
        last = f"since {heard:%Y-%m-%d %H:%M} UTC" if heard else "yet"
        said = f"Nothing was heard of it {last}. Without it nothing is offered, paid, mailed or exported."
        fix = (
            "Start it: make run does, docs/processes.md has its command. If a long task holds it up, check again later."
        )
        return bad(about, said, fix)
    ago = max(0, (clock.now() - heard) // timedelta(seconds=1))
    return good(about, f"Its clockwork was heard of {many(ago, 'second')} ago.")


def _disks() -> Iterator[Check]:
    for about, folder in (("Disk for data", Path(settings.VAR_DIR)), ("Disk for videos", Path(settings.MEDIA_ROOT))):
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
        said = f"{free / (1 << 30):.1f} GB are free in {folder}."
        yield good(about, said) if free >= LEAST_FREE else bad(about, said, "Make room, or move the folder.")


def _mail() -> Check:
    about = "Mail"
    if not (settings.EMAIL_HOST and settings.LETTERS_TO):
        said = "No mail is sent: what workers write stands in the admin only."
        return warn(about, said, "Set EMAIL_HOST and LETTERS_TO, or look into the admin's Letters every day.")
    try:
        with get_connection():
            pass
    except (OSError, SMTPException) as error:
        said = f"{settings.EMAIL_HOST} does not let us in: {type(error).__name__}."
        return bad(about, said, "Mend EMAIL_HOST, its port, account or encryption (.env.example).")
    return good(about, f"{settings.EMAIL_HOST} lets us in; letters go to {', '.join(settings.LETTERS_TO)}.")
