"""Does the worker process live? It touches a file every half minute, which pages and commands look at."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings

SILENCE = timedelta(minutes=3)
"""A worker process that does a long task is silent for a while."""


def beat() -> None:
    """Say that the worker process lives."""
    path = _file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def heard_at() -> datetime | None:
    """Return when it was last heard of; None when it never was."""
    try:
        return datetime.fromtimestamp(_file().stat().st_mtime, UTC)
    except OSError:
        return None


def _file() -> Path:
    return Path(settings.MEDIA_ROOT) / "pulse"
