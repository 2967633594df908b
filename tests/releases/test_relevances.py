"""What judges found correct leaves with the rest; whether a bundle holds the answers that they judged is said."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from chat.models import Dialog
from collector.releases.models import Release
from collector.relevance.models import Judging
from collector.studies.models import Participation, Study
from tests import factories
from tests.exports.running import make_dialogs
from tests.exports.test_formats import check
from tests.releases.conftest import release
from tests.relevance import scene
from tests.relevance.scene import judge

pytestmark = pytest.mark.django_db


def test_relevances_leave_with_the_answers_that_they_are_about(out: Path) -> None:
    make_dialogs({"train": 11})
    talks = Study.objects.get()
    judging = factories.study(slug="judging", kind="relevance")
    Study.objects.filter(pk=judging.pk).update(dialogs_per_video=2)
    call_command("make_relevance_items", "--study", "judging", "--of", talks.slug, "--sample", "1", stdout=StringIO())
    for correct in ({1, 2}, {1, 3}):
        judge(judging).judge(correct)
    said = release(out, "--study", talks.slug, "--study", "judging", "--formats", "visdial", "--title", "Both")
    assert "It holds 11 dialogs between two workers each (110 rounds) and 2 judgements by workers" in said
    (held,) = json.loads((out / "data/relevances/relevances_judging.json").read_text())
    assert [held["gt_relevance"][number] for number in (0, 1, 2, 3)] == [0, 1, 0.5, 0.5]
    sheet = (out / "DATASHEET.md").read_text()
    assert "1 item of 2 annotations or more make `data/relevances`. Krippendorff's alpha: 0." in sheet
    assert "in the order of the `visdial` files of this bundle." in sheet
    check(json.loads((out / "datasheet.json").read_text()), "datasheet")
    assert Release.objects.get().viewings.count() == 2

    alone = out.with_name("alone")
    release(alone, "--study", "judging", "--title", "Alone")
    assert (alone / "data/relevances/relevances_judging.json").exists()
    assert "in the order of a file that is not in this bundle." in (alone / "DATASHEET.md").read_text()


def test_what_left_the_data_is_in_no_relevance(out: Path) -> None:
    study = scene.study(people=3, slug="judging")
    for number in (1, 2, 3):
        judge(study).judge({number})
    Study.objects.filter(pk=study.pk).update(dialogs_per_video=2)
    first = Participation.objects.filter(study=study).earliest("pk")
    Participation.objects.filter(pk=first.pk).update(outcome="withdrawn")
    release(out, "--study", "judging", "--title", "Judged")
    (held,) = json.loads((out / "data/relevances/relevances_judging.json").read_text())
    assert [held["gt_relevance"][number] for number in (1, 2, 3)] == [0, 0.5, 0.5]
    dialog = Dialog.objects.get(items__study=study)
    Participation.objects.filter(seats__dialog=dialog).update(outcome="withdrawn")
    release(out.with_name("later"), "--study", "judging", "--title", "Judged")
    assert json.loads((out.with_name("later") / "data/relevances/relevances_judging.json").read_text()) == []
    assert Judging.objects.count() == 3
