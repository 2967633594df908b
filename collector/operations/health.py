"""Could this installation take a worker now? Each thing it stands on is asked, in sentences for whoever runs it."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass

import redis
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor

from collector.lib.text import many
from collector.operations import pulses

LEAST_FREE = 1 << 30
"""Bytes that must be free where data is kept: below, uploads, exports and soon the database fail."""
_SECONDS = 2.0


@dataclass(frozen=True)
class Check:
    """What was asked, whether it is well, and a sentence with what to do if not."""

    name: str
    is_good: bool
    sentence: str


def all_checks() -> list[Check]:
    """Ask everything. Without a database, what stands in it cannot be known and counts as not well."""
    found = [_database()]
    if found[0].is_good:
        found += [_guarded("migrations", _migrations), _guarded(pulses.WORKER, _worker), _guarded(pulses.BEAT, _beat)]
    else:
        found += [Check(name, False, "Not known without the database.") for name in ("migrations", "worker", "beat")]
    return [*found, _redis(), _disk(), *([_bucket()] if settings.MEDIA_STORAGE == "s3" else [])]


def _guarded(name: str, ask: Callable[[], Check]) -> Check:
    try:
        return ask()
    except (DatabaseError, InterfaceError) as error:
        return Check(name, False, f"The database did not tell: {error.__class__.__name__}.")


def _database() -> Check:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, InterfaceError) as error:
        return Check("database", False, f"{error.__class__.__name__}: is it running, and is DATABASE_URL right?")
    return Check("database", True, f"{connection.display_name} answers.")


_no_migrations_left = False


def _migrations() -> Check:
    global _no_migrations_left
    if not _no_migrations_left:
        executor = MigrationExecutor(connection)
        left = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if left:
            return Check("migrations", False, f"{many(len(left), 'migration')} not applied: run manage.py migrate.")
        _no_migrations_left = True  # of this code: no need to look again
    return Check("migrations", True, "All are applied.")


def _worker() -> Check:
    return _heard_of(pulses.WORKER, "no task was done")


def _beat() -> Check:
    return _heard_of(pulses.BEAT, "it did not tick")


def _heard_of(name: str, otherwise: str) -> Check:
    age = pulses.age(name)
    if age is None:
        return Check(name, False, f"The {name} has never been heard of: start it.")
    seconds = int(age.total_seconds())
    if age > pulses.SILENT_AFTER:
        return Check(name, False, f"For {seconds} s {otherwise}: is the {name} running, and is its queue moving?")
    return Check(name, True, f"Heard of {seconds} s ago.")


def _redis() -> Check:
    if not settings.REDIS_URL:
        return Check("redis", True, "Not used: one web process, tasks in a folder.")
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=_SECONDS, socket_timeout=_SECONDS
        ) as client:
            client.ping()
    except (redis.RedisError, OSError) as error:
        return Check("redis", False, f"{error.__class__.__name__}: is it running, and is REDIS_URL right?")
    return Check("redis", True, "Redis answers.")


def free_bytes() -> int:
    """Return how much is free where data is kept; of several disks, on the fullest."""
    return min(shutil.disk_usage(folder).free for folder in (settings.VAR_DIR, settings.MEDIA_ROOT) if folder.exists())


def _disk() -> Check:
    free = free_bytes()
    sentence = f"{free / 2**30:.1f} GiB free where data is kept."
    if free < LEAST_FREE:
        return Check("disk", False, f"{sentence} Make room, or move VAR_DIR or MEDIA_DIR.")
    return Check("disk", True, sentence)


def _bucket() -> Check:
    from collector.catalogue.bucket import BucketAway, bucket

    try:
        bucket().ask()
    except BucketAway as away:
        return Check("bucket", False, str(away))
    return Check("bucket", True, "The bucket of videos and frames answers.")
