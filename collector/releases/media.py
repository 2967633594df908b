"""Which scripts, frames and videos go with a release? Those of videos that may be passed on; the others are listed."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db.models.fields.files import FieldFile

from collector.catalogue.models import Video
from collector.lib.spreadsheets import csv_line
from collector.releases.holding import CannotRelease, videos_of
from collector.releases.models import Release

LIST = "left_out.csv"
NOT_PUBLISHABLE = "may not be published"
NO_FILE = "there is no file, only dialogs about it"
NOT_ASKED = "left out of this release"


@dataclass(frozen=True)
class LeftOut:
    """What of a video a bundle does not hold, and why."""

    image_id: str
    what: str
    why: str


def write_media(folder: Path, release: Release) -> None:
    """Copy frames and videos that may be passed on. Raises CannotRelease when one is not where it should be."""
    for video in videos_of(release).filter(is_publishable=True).prefetch_related("frames").iterator(chunk_size=500):
        if video.file:
            _copy(
                video.file, folder / "media" / "videos" / f"{video.image_id}{Path(str(video.file.name)).suffix}", video
            )
        for frame in video.frames.all():
            _copy(frame.file, folder / "media" / "frames" / f"{video.image_id}_{frame.slot}.jpg", video)


def _copy(file: FieldFile, to: Path, video: Video) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    try:
        with file.open("rb") as source, to.open("xb") as target:
            shutil.copyfileobj(source, target)
    except FileNotFoundError as error:
        where = "media folder" if settings.MEDIA_STORAGE == "disk" else "bucket"
        raise CannotRelease(
            f"A file of the video {video.image_id} is gone from the {where}: {file.name}. Import the video again, "
            f"or release with --without-media."
        ) from error
    except OSError as error:
        raise CannotRelease(f"The video {video.image_id} cannot be copied: {error} Nothing was released.") from error


def left_out(release: Release, *, with_media: bool) -> list[LeftOut]:
    """Return what the bundle does not hold of its videos, by video."""
    videos = videos_of(release).order_by("image_id").values_list("image_id", "is_publishable", "file", "script__text")
    return [each for row in videos.iterator() for each in _of_video(*row, with_media=with_media)]


def _of_video(
    image_id: str, is_publishable: bool, file: str, script: str | None, *, with_media: bool
) -> Iterator[LeftOut]:
    if script and not is_publishable:
        yield LeftOut(image_id, "script", NOT_PUBLISHABLE)
    if not is_publishable or not with_media or not file:
        why = NO_FILE if not file else NOT_ASKED if is_publishable else NOT_PUBLISHABLE
        yield LeftOut(image_id, "video and frames", why)


def write_list(folder: Path, found: list[LeftOut]) -> None:
    """Write the list of what is not there."""
    with (folder / LIST).open("x", encoding="utf-8", newline="") as file:
        file.write(csv_line(["image_id", "what", "why"]))
        file.writelines(csv_line([each.image_id, each.what, each.why]) for each in found)
