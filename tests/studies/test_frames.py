"""A study shows its Questioners three frames or one, and its own texts say how many."""

import pytest

from collector.studies import versions
from tests import factories

pytestmark = pytest.mark.django_db


def test_texts_that_nobody_has_changed_speak_of_as_many_frames_as_are_shown() -> None:
    study = factories.study(frames_shown=1)
    assert "sees one still frame of the video" in study.instructions
    assert "You see one frame, from its middle." in study.questioner_instructions
    study.frames_shown = 3
    study.instructions = study.instructions.strip()
    study.save()
    assert "sees three still frames of the video" in study.instructions
    assert "one frame from its beginning, its middle and its end" in study.questioner_instructions


def test_texts_of_the_researcher_stay_as_they_are() -> None:
    own = "You see three frames. Ask about them."
    assert factories.study(frames_shown=1, questioner_instructions=own).questioner_instructions == own


def test_a_version_keeps_how_many_frames_its_workers_were_promised() -> None:
    study = factories.study()
    before = versions.current(study)
    study.frames_shown = 1
    study.save()
    after = versions.current(study)
    assert [versions.slots_of(versions.content_of(each)) for each in (before, after)] == [(1, 2, 3), (2,)]
    assert before.rules_digest != after.rules_digest
    del before.content["frames_shown"]  # made before there was a choice
    assert versions.slots_of(versions.content_of(before)) == (1, 2, 3)
