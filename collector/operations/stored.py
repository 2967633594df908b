"""What does a backup hold of videos and frames that lie in a bucket? A list of them; or, where asked, copies.

The list is made of the database's rows: names, and of videos bytes and SHA-256. Copies lie where the media folder has
them, so that a backup with copies can be restored into a bucket or onto a disk.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import default_storage

from collector.catalogue.models import Frame, Video

LIST = "media.json"
FOLDERS = ("videos", "frames")
"""Of the media folder: what a bucket takes over."""


class Lost(OSError):
    """Files that rows name are not where they should be; the text says which and what to do."""


def write_list(path: Path) -> None:
    """Write what is in the bucket."""
    path.write_text(json.dumps(list(_listed()), indent=1))


def _listed() -> Iterator[dict[str, Any]]:
    for name, size, checksum in Video.objects.exclude(file="").order_by("pk").values_list("file", "size", "checksum"):
        yield {"name": name, "bytes": size, "sha256": checksum}
    for name in Frame.objects.order_by("pk").values_list("file", flat=True):
        yield {"name": name}


def fetch(folder: Path) -> None:
    """Copy all of it into ``folder``. What was deleted meanwhile is not there."""
    for listed in _listed():
        to = folder / listed["name"]
        to.parent.mkdir(parents=True, exist_ok=True)
        try:
            with default_storage.open(listed["name"]) as source, to.open("wb") as target:
                shutil.copyfileobj(source, target)
        except FileNotFoundError:
            to.unlink(missing_ok=True)


def put(folder: Path) -> None:
    """Store the videos and frames that lie in ``folder`` in the bucket."""
    for path in (each for name in FOLDERS for each in sorted((folder / name).glob("*"))):
        with path.open("rb") as file:
            default_storage.save(path.relative_to(folder).as_posix(), File(file))


def check(path: Path) -> None:
    """See that all that a list names is in the bucket. Raises Lost."""
    listed = json.loads(path.read_text())
    lost = [each["name"] for each in listed if not default_storage.exists(each["name"])]
    if lost:
        raise Lost(
            f"{len(lost)} of {len(listed)} videos and frames are not in the bucket, {lost[0]} first. Bring them back "
            "from the bucket's own backup: this one holds a list of them, no copies."
        )
