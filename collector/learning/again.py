"""Practising once more while one waits for a partner: a page of its own in the waiting room, which stores nothing.

So it costs no place in the queue, and whoever is paired meanwhile loses nothing by it.
"""

from dataclasses import dataclass
from typing import Any

from collector.catalogue.models import Video
from collector.learning import lessons, rounds
from collector.studies import versions
from collector.studies.models import Kind, Participation, SeenVideo, StudyVideo

STEPS = ("ask", "answer")


@dataclass(frozen=True)
class Round:
    """What the templates of a lesson show of a practice."""

    video: Video
    practice: dict[str, str]


def scene_for(participation: Participation) -> Video | None:
    """Return the sample scene to practise on, None where there is none: it must never come up in a dialog later."""
    content = versions.content_of(participation.version)
    may = content["practice"] and content["kind"] == Kind.DIALOG and not participation.is_learning
    if not may or participation.ended_at is not None:
        return None
    video = lessons.scene_for(participation.study)
    collection = participation.study.collection_id
    seen = SeenVideo.objects.filter(collection=collection, worker=participation.worker_id, video=video)
    is_asked_about = StudyVideo.objects.filter(study__collection=collection, video=video).exists()
    return None if is_asked_about and not seen.exists() else video


def take(content: dict[str, Any], video: Video, step: str, raw: str, tries: int) -> tuple[str, Round]:
    """Return the step to show after a text was written, and its round."""
    practice = (rounds.asked if step == "ask" else rounds.answered)(content, video, raw, tries)
    return step if "advice" in practice else f"{step}ed", Round(video, practice)
