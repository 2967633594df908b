"""What a learner's pages serve, to whom and when: the clip with the beeps, the frames and the video of the practice."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.test import Client

from collector.catalogue.models import Frame, Video
from collector.catalogue.probing import probe
from collector.catalogue.rendering import RATE
from collector.learning import clips, quizzing
from collector.learning.models import Step
from collector.studies.quizzes import parse
from tests.learning.learner import QUIZ, RIGHT, WRONG, Learner, learner, study

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(settings: Any, tmp_path: Path) -> Learner:
    """A learner whose practice has files behind it."""
    settings.MEDIA_ROOT = tmp_path
    given = study(quiz="")
    video = Video.objects.get()
    video.file.save("made.mp4", ContentFile(b"video"))
    frame = Frame(video=video, slot=1, seconds=0.0, width=640, height=360)
    frame.file.save("made.jpg", ContentFile(b"frame"))
    return learner(given)


def status(made: Learner, *paths: str) -> list[int]:
    return [made.get(path).status_code for path in paths]


def groups(sound: clips.Samples) -> list[int]:
    """Return how many beeps each group has, counted in the sound itself."""
    is_loud = np.abs(sound).reshape(-1, RATE // 100).max(axis=1) > 0.05
    starts = np.flatnonzero(np.diff(is_loud.astype(int)) == 1)
    breaks = np.flatnonzero(np.diff(starts) > 60)  # hundredths of a second
    return [len(part) for part in np.split(starts, breaks + 1)]


@pytest.mark.parametrize("beeps", ["11", "15", "51", "34"])
def test_a_clip_plays_as_many_beeps_as_are_asked_for(beeps: str) -> None:
    sound = clips.sound_of(beeps)
    whole = sound[: len(sound) // (RATE // 100) * (RATE // 100)]
    assert groups(whole) == [int(each) for each in beeps]


def test_the_clip_is_a_video_with_sound_that_browsers_play(made: Learner) -> None:
    served = made.get("clip/1")
    assert (served.status_code, served.headers["content-type"]) == (200, "video/mp4")
    found = probe(clips.path_of(made.lesson.beeps))
    assert (found.has_sound, found.is_playable) == (True, True)
    assert [each.name for each in clips.path_of(made.lesson.beeps).parent.iterdir()] == [f"{made.lesson.beeps}.mp4"]


def test_each_step_serves_what_belongs_to_it_and_nothing_else(made: Learner) -> None:
    all_there_is = ("clip/1", "frame/1", "frame/2", "video")
    assert status(made, *all_there_is[1:]) == [403, 403, 403]
    made.check()
    made.post("steps")
    assert made.lesson.step == Step.ASK
    assert status(made, *all_there_is) == [403, 200, 403, 403]
    made.post("ask", text="What happens first in the video?")
    made.post("asked")
    assert status(made, *all_there_is) == [403, 403, 403, 200]
    made.post("stop")
    assert status(made, *all_there_is) == [403] * 4
    assert made.get().headers["location"] == f"/w/{made.token}/finish/"


def test_a_link_that_was_cut_opens_nothing() -> None:
    client = Client()
    assert client.get("/w/nonsense/learn/").status_code == 404
    assert client.get("/w/nonsense/learn/clip/1").status_code == 403
    assert client.post("/w/nonsense/learn/device/").status_code == 404


def test_a_step_that_does_not_exist_is_not_found(made: Learner) -> None:
    assert made.post("done").status_code == 302, "there is nothing to post for it, and nothing changes"
    assert made.post("dance").status_code == 404
    assert made.lesson.step == Step.DEVICE


def test_no_page_sets_a_cookie_and_each_may_stand_in_the_marketplaces_frame(made: Learner) -> None:
    page = made.get()
    assert not page.cookies
    assert "worker.mturk.com" in page.headers["content-security-policy"]
    assert page.headers["referrer-policy"] == "no-referrer"


def test_options_are_mixed_in_another_order_and_count_as_written() -> None:
    items = parse(QUIZ)
    orders = {tuple(tuple(each.order) for each in quizzing.shown(items, f"1.{number}")) for number in range(20)}
    assert len(orders) > 5
    for each, item in zip(quizzing.shown(items, "1.0"), items, strict=True):
        assert [item.options[number] for number in each.order] == each.options
    assert quizzing.wrong(items, RIGHT) == []
    assert quizzing.wrong(items, WRONG) == [0, 1]


def test_the_admin_shows_how_far_each_worker_came_and_why_it_ended(made: Learner, admin_client: Client) -> None:
    made.check("00")
    made.post("stop")
    listed = admin_client.get("/admin/learning/lesson/").content.decode()
    assert "the check of the device was not passed" in listed
    one = admin_client.get(f"/admin/learning/lesson/{made.lesson.pk}/change/").content.decode()
    assert "&quot;lacks&quot;: [&quot;sound&quot;]" in one
    assert "Beeps" not in one
