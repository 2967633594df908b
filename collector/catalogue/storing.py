"""How does a video get into the catalogue? The one place that writes Video, Script and Frame rows and their files.

Files are copied under random names that say nothing about the video, and the rows are written in one transaction.
A file that a newer one replaces is deleted once that transaction has been committed.
"""

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import transaction

from collector.catalogue.models import Frame, Script, Video
from collector.catalogue.preparing import Prepared, prepare
from collector.catalogue.probing import Facts
from collector.lib import clock

_SUFFIX = re.compile(r"\.[a-z0-9]{2,4}")


@dataclass(frozen=True)
class Details:
    """What a source says about a video. On an update, None and empty text leave what is there as it is."""

    image_id: str
    script: str
    split: str = ""
    length: float | None = None
    licence: str = ""
    is_publishable: bool | None = None
    metadata: dict[str, Any] | None = None
    scene: dict[str, Any] | None = None


@dataclass(frozen=True)
class PlacedFrame:
    """A still that lies in the media folder under ``name``."""

    name: str
    seconds: float
    width: int
    height: int


@dataclass(frozen=True)
class Placed:
    """A prepared file whose copy and frames lie in the media folder; without names when the file has not changed."""

    checksum: str
    size: int
    facts: Facts | None = None
    name: str = ""
    frames: list[PlacedFrame] = field(default_factory=list)
    original: str = ""
    """The checksum of the file it was converted from, if it was; and how."""
    transcoding: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Every file that was made."""
        return [self.name, *(frame.name for frame in self.frames)] if self.name else []


def store_video(
    image_id: str,
    path: Path | str,
    *,
    script: str,
    split: str = "",
    length: float | None = None,
    licence: str = "",
    is_publishable: bool = False,
    metadata: dict[str, Any] | None = None,
    scene: dict[str, Any] | None = None,
) -> Video:
    """Store the video file at ``path`` with its script and frames, or update the video with this id.

    ``length`` is in seconds. Frames are made anew only when the file has changed. Raises Unreadable when the file is
    no usable video and ValidationError when the id or split is not allowed.
    """
    details = Details(image_id, script, split, length, licence, is_publishable, metadata, scene)
    path = Path(path)
    placed = place(path, prepare(path, known_checksum(image_id)))
    try:
        with transaction.atomic():
            return record(details, placed)
    except BaseException:
        remove(placed.names)
        raise


def known_checksum(image_id: str) -> str:
    """Return the checksum of the file that this id was imported from, or nothing when it has to be stored (again)."""
    video = Video.objects.filter(image_id=image_id).prefetch_related("frames").first()
    if video is None or not video.is_playable or video.frames.count() != 3:
        return ""
    files = [video.file, *(frame.file for frame in video.frames.all())]
    imported = video.original_checksum or video.checksum
    return imported if all(file.name and default_storage.exists(file.name) for file in files) else ""


def place(path: Path, prepared: Prepared, original: str = "", transcoding: dict[str, Any] | None = None) -> Placed:
    """Copy the file and write its frames into the media folder; nothing is made for one that has not changed.

    ``original`` is the checksum of the file that it was converted from, ``transcoding`` how.
    """
    if prepared.facts is None:
        return Placed(prepared.checksum, prepared.size)
    suffix = path.suffix.lower()
    name = _new_name("videos", suffix if _SUFFIX.fullmatch(suffix) else ".mp4")
    made = [name]
    frames = []
    try:
        with path.open("rb") as file:
            default_storage.save(name, File(file))
        for still in prepared.stills:
            made.append(_new_name("frames", ".jpg"))
            default_storage.save(made[-1], ContentFile(still.jpeg))
            frames.append(PlacedFrame(made[-1], still.seconds, still.width, still.height))
    except BaseException:
        remove(made)
        raise
    return Placed(prepared.checksum, prepared.size, prepared.facts, name, frames, original, transcoding or {})


def record(details: Details, placed: Placed) -> Video:
    """Write the rows of one video; call it in a transaction. Raises ValidationError for an id or split not allowed."""
    now = clock.now()
    video = Video.objects.filter(image_id=details.image_id).first() or Video(image_id=details.image_id, created_at=now)
    video.updated_at = now
    for name, value in asdict(details).items():
        if name not in ("image_id", "script") and value not in (None, ""):
            setattr(video, name, value)
    replaced = _take_over(video, placed) if placed.facts else []
    video.clean_fields()
    video.save()
    Script.objects.update_or_create(video=video, defaults={"text": details.script})
    if placed.frames:
        video.frames.all().delete()
        Frame.objects.bulk_create(
            Frame(
                video=video, slot=slot, file=still.name, seconds=still.seconds, width=still.width, height=still.height
            )
            for slot, still in enumerate(placed.frames, start=1)
        )
    if replaced:
        transaction.on_commit(partial(remove, replaced), robust=True)  # the rows stand, whatever a bucket says now
    return video


def remove(names: Iterable[str]) -> None:
    """Delete files of the media folder; one that is not there is no error."""
    for name in names:
        default_storage.delete(name)


@contextmanager
def on_disk(name: str) -> Iterator[Path]:
    """Give a path where a stored file can be read: its own, or that of a copy. Raises FileNotFoundError, BucketAway."""
    if settings.MEDIA_STORAGE == "disk":
        yield Path(default_storage.path(name))
        return
    with (
        tempfile.NamedTemporaryFile(suffix=Path(name).suffix) as copy,
        default_storage.open(name) as file,
    ):
        shutil.copyfileobj(file, copy)
        copy.flush()
        yield Path(copy.name)


def _take_over(video: Video, placed: Placed) -> list[str]:
    """Let ``video`` say what was measured in its new file; return the names of the files this replaces."""
    old = [video.file.name, *(frame.file.name for frame in video.frames.all())] if video.pk else []
    video.file.name, video.checksum, video.size = placed.name, placed.checksum, placed.size
    video.original_checksum, video.transcoding = placed.original, placed.transcoding
    for name, value in asdict(placed.facts).items() if placed.facts else ():
        if name != "start":
            setattr(video, name, value)
    return [name for name in old if name]


def _new_name(folder: str, suffix: str) -> str:
    return f"{folder}/{token_urlsafe(24)}{suffix}"
