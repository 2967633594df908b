"""A new, empty database on the tests' PostgreSQL, and a look at who is connected to it."""

import os
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg2


def _execute(url: str, statement: str) -> list[tuple[Any, ...]]:
    with closing(psycopg2.connect(url)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def fresh_database(like: str = "") -> Iterator[str]:
    """Yield the URL of a new database, empty or a copy of ``like``; drop it afterwards, whoever is connected."""
    server = os.environ["DATABASE_URL"]
    name = f"collector_{uuid.uuid4().hex[:12]}"
    _execute(server, f'CREATE DATABASE "{name}"' + (f' TEMPLATE "{like}"' if like else ""))
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        _execute(server, f'DROP DATABASE "{name}" WITH (FORCE)')


def count_backends(url: str) -> int:
    """Return how many connections there are to a database, ours aside."""
    name = urlsplit(url).path.lstrip("/")
    statement = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    return int(_execute(url, statement)[0][0])


def disconnect_all(name: str) -> None:
    """End every connection to a database of the tests' server."""
    whose = f"datname = '{name}' AND usename = current_user"
    _execute(os.environ["DATABASE_URL"], f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {whose}")
