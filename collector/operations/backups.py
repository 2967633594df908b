"""A backup is a folder: the database, the media folder, and a manifest with their checksums.

Of videos and frames in a bucket it holds a list, or copies where asked (``stored``).

The database is dumped first, in one snapshot, while everything runs; files are copied afterwards, so that every file a
row names is there. A backup is written beside its place and renamed when it is whole. It holds personal data (what
workers wrote) and is readable by its owner only. It does not hold the secret key and the key of workers' ids: keep them
elsewhere, or links of workers die with the machine, and nobody can be paid.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from collector.lib import clock
from collector.operations import stored

MANIFEST = "manifest.json"
DATABASE = "database"
MEDIA = "media"
Note = Callable[[str], None]


class CannotBackUp(Exception):
    """Why, in a sentence."""


class CannotRestore(Exception):
    """Why, in a sentence."""


def back_up(out: Path, note: Note, *, with_bucket: bool = False) -> Path:
    """Write a backup into a new folder in ``out``, named by the time; return it. Raises CannotBackUp.

    ``with_bucket`` copies videos and frames that lie in a bucket; else it holds a list of them.
    """
    place = out / f"collector-{clock.now():%Y%m%dT%H%M%SZ}"
    part = out / f".{place.name}.part"
    if place.exists():
        raise CannotBackUp(f"{place} is there already: two backups within a second?")
    try:
        out.mkdir(parents=True, exist_ok=True)
        part.mkdir(mode=0o700)
        note("The database ...")
        _dump(part / DATABASE)
        note("Videos and frames ...")
        _copy(settings.MEDIA_ROOT, part / MEDIA)
        if settings.MEDIA_STORAGE == "s3":
            stored.fetch(part / MEDIA) if with_bucket else stored.write_list(part / stored.LIST)
        note("Checksums ...")
        manifest = {
            "version": settings.VERSION,
            "made_at": clock.now().isoformat(),
            "engine": connection.vendor,
            "migrations": sorted(".".join(each) for each in MigrationRecorder(connection).applied_migrations()),
            "files": checksums(part),
        }
        (part / MANIFEST).write_text(json.dumps(manifest, indent=1))
        os.replace(part, place)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise CannotBackUp(
            f"{error.strerror or error}: {error.filename or out}. Nothing was kept of this backup."
        ) from error
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return place


def restore(folder: Path, note: Note) -> dict[str, Any]:
    """Bring a backup into an installation whose database and media folder are empty; return its manifest.

    Raises CannotRestore before anything is changed when the backup is not whole, or something is there already.
    """
    manifest = check(folder, note)
    if connection.introspection.table_names():
        raise CannotRestore("The database is not empty. Name a new one in DATABASE_URL: nothing is overwritten.")
    if settings.MEDIA_ROOT.exists() and any(settings.MEDIA_ROOT.iterdir()):
        raise CannotRestore(f"The media folder {settings.MEDIA_ROOT} is not empty. Name a new one in MEDIA_DIR.")
    note("Videos and frames ...")
    try:
        _restore_media(folder)
    except OSError as error:
        raise CannotRestore(str(error)) from error
    note("The database ...")
    connection.close()
    _load(folder / DATABASE)
    return manifest


def _restore_media(folder: Path) -> None:
    if (folder / stored.LIST).exists():
        if settings.MEDIA_STORAGE == "disk":
            raise CannotRestore("Its videos are in a bucket: name it by MEDIA_STORAGE=s3 and what belongs to that.")
        stored.check(folder / stored.LIST)
    in_bucket = stored.FOLDERS if settings.MEDIA_STORAGE == "s3" else ()
    _copy(folder / MEDIA, settings.MEDIA_ROOT, without=in_bucket)
    if in_bucket:
        stored.put(folder / MEDIA)


def check(folder: Path, note: Note) -> dict[str, Any]:
    """Return the manifest of a whole backup for this kind of database. Raises CannotRestore."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
        wanted = dict(manifest["files"])
        engine = str(manifest["engine"])
    except (OSError, ValueError, KeyError, TypeError):
        raise CannotRestore(f"{folder} is no backup: it has no {MANIFEST} that can be read.") from None
    if engine != connection.vendor:
        raise CannotRestore(f"This is a backup of {engine}, and DATABASE_URL names {connection.vendor}.")
    note("Checksums ...")
    found = checksums(folder)
    if changed := sorted(name for name in wanted if found.get(name) != wanted[name]):
        raise CannotRestore(f"{changed[0]} and {len(changed) - 1} more files are missing or changed: not whole.")
    return manifest


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below ``folder`` but the manifest, by its path."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != MANIFEST:
            with path.open("rb") as file:
                found[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _copy(source: Path, target: Path, without: Iterable[str] = ()) -> None:
    """Copy a folder ``without`` some in it; what is deleted meanwhile is not in a row any more either."""
    target.mkdir(parents=True, exist_ok=True)
    leave = (lambda place, names: set(without) if Path(place) == source else set()) if without else None
    if source.exists():
        shutil.copytree(source, target, dirs_exist_ok=True, ignore_dangling_symlinks=True, ignore=leave)


def _dump(path: Path) -> None:
    if connection.vendor == "sqlite":
        _copy_sqlite(settings.DATABASES["default"]["NAME"], path)
        return
    _run(CannotBackUp, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={path}")


def _load(path: Path) -> None:
    if connection.vendor == "sqlite":
        _copy_sqlite(path, settings.DATABASES["default"]["NAME"])
        return
    name = settings.DATABASES["default"]["NAME"]
    options = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", f"--dbname={name}"]
    _run(CannotRestore, "pg_restore", *options, str(path))


def _copy_sqlite(source: Path | str, target: Path | str) -> None:
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)


def _run(failure: type[Exception], program: str, *options: str) -> None:
    """Run a program of PostgreSQL against our database; what it needs to know stands in its environment."""
    of = settings.DATABASES["default"]
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    env = os.environ | {name: str(of[key]) for name, key in names.items() if of.get(key)}
    path = shutil.which(program)
    if path is None:
        raise failure(f"{program} is not here. Install PostgreSQL's client (apt install postgresql-client).")
    done = subprocess.run([path, *options], env=env, capture_output=True, text=True)
    if done.returncode:
        raise failure(
            f"{program} failed: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no word why'}"
        )
