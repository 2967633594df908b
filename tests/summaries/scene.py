"""A summary study with videos, and a watcher at its pages."""

import json
from dataclasses import dataclass
from typing import Any

from django.test import Client

from collector.catalogue.models import Video
from collector.studies.admission import token_of
from collector.studies.models import Kind, Participation, Study, StudyVideo, Worker
from tests import factories

TEXT = "Somebody opens a door, sits down at a table and reads a book aloud."
KEY = "key-12345678"
SECONDS = 8.0
"""Of a made video."""


def study(videos: int = 1, wanted: int | None = 4, **fields: Any) -> Study:
    """Make an open summary study with made videos."""
    made = factories.study(kind=Kind.SUMMARY, **fields)
    for _ in range(videos):
        offer(made, wanted=wanted)
    return made


def offer(study: Study, video: Video | None = None, wanted: int | None = 4) -> Video:
    """Add a video to a study."""
    video = video or factories.video()
    StudyVideo.objects.create(study=study, video=video, wanted=wanted)
    return video


@dataclass
class Watcher:
    """A worker's page without a browser."""

    participation: Participation
    token: str
    client: Client
    page = "watch"

    def get(self, path: str = "") -> Any:
        """Open one of the pages."""
        return self.client.get(f"/w/{self.token}/{self.page}/{path}")

    def begin(self) -> Any:
        """Ask for the video."""
        return self.client.post(f"/w/{self.token}/{self.page}/begin/")

    def post(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Post one frame; return the answer."""
        answer = self.client.post(
            f"/w/{self.token}/{self.page}/post/", json.dumps({"type": kind, **fields}), content_type="application/json"
        )
        assert answer.status_code == 200
        return dict(json.loads(answer.content))

    def watch(self) -> dict[str, Any]:
        """Say that the whole video has played."""
        return self.post("watched", ranges=[[0, SECONDS]])

    def summarise(self, text: str = TEXT, key: str = KEY) -> dict[str, Any]:
        """Send the summary."""
        return self.post("summarise", key=key, text=text)

    def now(self) -> Participation:
        """Return the participation as it is stored."""
        self.participation.refresh_from_db()
        return self.participation


def watcher(study: Study, worker: Worker | None = None, **fields: Any) -> Watcher:
    """Return a worker who has agreed."""
    participation = factories.participation(study, worker, **fields)
    return Watcher(participation, token_of(participation), Client())
