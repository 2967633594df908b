"""Practising again while one waits: by the same pages, stored nowhere, and never on a video of a later dialog."""

import pytest
from django.db import transaction
from django.test import Client

from collector.catalogue.models import Frame, Video
from collector.learning.models import Lesson
from collector.studies import outcomes
from collector.studies.models import Outcome, SeenVideo, StudyVideo
from tests import factories
from tests.learning.learner import Learner, learner, sample, study

pytestmark = pytest.mark.django_db


@pytest.fixture
def waits() -> Learner:
    """Somebody who has practised and waits."""
    made = learner(study(quiz="", device_check=False))
    made.practise()
    assert not made.now().is_learning
    return made


def write(who: Learner, step: str, text: str, tries: int = 1) -> str:
    answer = who.client.post(f"/w/{who.token}/learn/again/", {"step": step, "text": text, "tries": tries})
    return str(answer.content.decode())


def test_both_roles_are_practised_and_nothing_is_stored(waits: Learner) -> None:
    before = Lesson.objects.values().get()
    assert "Try to ask: you are the Questioner" in waits.get("again/").content.decode()
    advised = write(waits, "ask", "Is there a sofa?")
    assert "a bare yes or no" in advised
    assert ">Is there a sofa?</textarea>" in advised
    assert 'name="tries" value="2"' in advised
    assert "First of all, the" in write(waits, "ask", "What happens first in the video?", tries=2)
    assert "Well asked" in write(waits, "ask", "Is there a sofa?", tries=3), "nobody is stuck"
    assert "Try to answer: you are the Answerer" in waits.get("again/?step=answer").content.decode()
    assert "A bare yes or no is no answer here." in write(waits, "answer", "Yes")
    assert "Compare it with what the program" in write(waits, "answer", "First of all a large cube slides to the left.")
    assert Lesson.objects.values().get() == before
    assert waits.now().ended_at is None


def test_its_frames_open_to_who_waits_and_no_longer_when_it_is_over(waits: Learner) -> None:
    Frame.objects.create(video=Video.objects.get(), slot=1, file="none.jpg", seconds=0, width=640, height=360)
    assert waits.get("frame/1").status_code == 404, "open, though the file is not there"
    waits.client.post(f"/w/{waits.token}/learn/again/", {"step": "<script>", "text": "What?"})
    with transaction.atomic():
        outcomes.end(waits.participation.pk, Outcome.LEFT)
    assert [waits.get(path).status_code for path in ("frame/1", "video", "again/")] == [403, 403, 404]


def test_a_video_that_may_come_up_in_a_dialog_is_not_practised_on(waits: Learner) -> None:
    collection = waits.participation.study.collection
    StudyVideo.objects.create(study=waits.participation.study, video=Video.objects.get(), wanted=None)
    assert waits.get("again/").status_code == 200, "it has been seen in the lesson, so it is not given again"
    SeenVideo.objects.filter(collection=collection).delete()
    assert "There is nothing to practise on now" in waits.get("again/").content.decode()
    sample()
    assert waits.get("again/").status_code == 200, "there is another"


def test_where_the_study_has_no_practice_there_is_none_to_repeat() -> None:
    sample()
    plain = learner(factories.study())
    assert plain.get("again/").status_code == 404
    assert Client().get("/w/1-1.forged/learn/again/").status_code == 404


def test_the_waiting_room_offers_it_only_where_there_is_a_practice(waits: Learner) -> None:
    assert "Practise again while you wait" in waits.client.get(f"/w/{waits.token}/").content.decode()
    plain = learner(factories.study())
    assert "Practise again" not in plain.client.get(f"/w/{plain.token}/").content.decode()
