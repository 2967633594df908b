"""How far workers come, part by part, and which questions they miss; on the desk as well."""

import pytest
from django.test import Client

from collector.learning import figures
from collector.learning.figures import Part
from tests import factories
from tests.learning.learner import RIGHT, WRONG, learner, study

pytestmark = pytest.mark.django_db


def test_each_part_says_who_came_went_on_ended_and_is_there_and_each_question_what_was_chosen(
    admin_client: Client,
) -> None:
    given = study()
    learner(given, "at-the-device")
    gone = learner(given, "cannot-hear")
    gone.check("00")
    gone.post("stop")
    for name, first in (("all-right", RIGHT), ("at-second", WRONG)):
        made = learner(given, name)
        made.check()
        made.practise()
        made.answer(first)
        made.answer(RIGHT)
    failed = learner(given, "fails")
    failed.check("00")
    failed.check()
    failed.practise()
    failed.answer([1, 1])
    failed.answer(WRONG)
    assert figures.parts(given) == [
        Part("Device", came=5, passed=3, ended=1, now=1, tries=1),
        Part("How it works", came=3, passed=3, ended=0, now=0, tries=None),
        Part("Practice", came=3, passed=3, ended=0, now=0, tries=2),
        Part("Quiz", came=3, passed=2, ended=1, now=0, tries=1.5),
    ]
    sees, writes = figures.questions(given)
    assert (sees.asked, sees.right, writes.right) == (3, 2, 1)
    assert sees.options == [
        ("The whole video", 1, False), ("Three still frames of it", 2, True), ("The script", 0, False)
    ]  # fmt: skip
    page = admin_client.get(f"/desk/learning/{given.pk}/").content.decode()
    assert "Who writes the summary?" in page
    assert "1 of 3 right" in page
    assert "cannot-hear" not in page
    assert f"/desk/learning/{given.pk}/" in admin_client.get(f"/desk/monitor/{given.pk}/").content.decode()


def test_a_study_that_teaches_nothing_says_where_that_is_chosen(admin_client: Client) -> None:
    given = factories.study()
    page = admin_client.get(f"/desk/learning/{given.pk}/").content.decode()
    assert "Nobody has had a lesson in this study." in page
    assert Client().get(f"/desk/learning/{given.pk}/").status_code == 302
