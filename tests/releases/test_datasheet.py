"""What a datasheet says is what is in the database, in words that a reader of the data understands."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from chat.models import Dialog
from collector.catalogue.models import Video
from collector.lib import clock
from collector.studies.models import Exclusion, Participation, Study
from hits.models import Assignment, Decision, LedgerEntry, SecondOpinion
from tests import factories
from tests.exports.test_formats import check
from tests.releases.conftest import release

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.usefixtures("paid", "through_hits", "sums")
def test_readme_and_datasheet_are_as_they_were_looked_at(out: Path) -> None:
    release(out, "--study", "talks", "--study", "sums", "--title", "Kitchen talks and sums")
    assert (out / "README.md").read_text() == (GOLDEN / "README.md").read_text()
    before, _, _ = (out / "DATASHEET.md").read_text().partition("### What was asked\n")  # which holds our default texts
    assert before == (GOLDEN / "DATASHEET.md").read_text()
    check(json.loads((out / "datasheet.json").read_text()), "datasheet")


@pytest.mark.usefixtures("paid")
def test_wages_are_by_role_of_all_that_was_owed_with_median_and_tenth_percentile(talks: Study, out: Path) -> None:
    release(out, "--study", "talks", "--formats", "raw")
    (study,) = json.loads((out / "datasheet.json").read_text())["studies"]
    questioner, answerer = study["wages"]
    # $3.20 in 10, 11 and 14 minutes, and $2.40 in 12 for who wrote no summary; the Answerers got $2.40 each.
    assert (questioner["median_hourly"], questioner["tenth_hourly"]) == ("13.71", "12.00")
    assert (answerer["median_hourly"], answerer["tenth_hourly"]) == ("12.00", "10.29")
    assert study["owed"] == str(3 * Decimal("3.20") + 5 * Decimal("2.40"))
    assert study["paid"] == "0.00"
    LedgerEntry.objects.filter(participation__seats__dialog=900_101).update(state="paid")
    release(out.with_name("later"), "--study", "talks", "--formats", "raw")
    (study,) = json.loads((out.with_name("later") / "datasheet.json").read_text())["studies"]
    assert study["paid"] == "5.60"


def test_every_text_of_every_version_stands_there(talks: Study, out: Path) -> None:
    release(out, "--study", "talks", "--formats", "raw")
    text = (out / "DATASHEET.md").read_text()
    first, second = text.partition("### What was asked")[2].split("#### Version 2")
    for name in ("instructions", "questioner_instructions", "answerer_instructions", "purpose"):
        quoted = "\n".join(f"> {line}".rstrip() for line in getattr(talks, name).splitlines())
        assert quoted in first
        assert quoted not in second
    assert "> Say what you know.\n> Be brief." in second
    assert "2 participations of people" in first
    (study,) = json.loads((out / "datasheet.json").read_text())["studies"]
    assert [version["content"]["summary_instructions"] for version in study["versions"]][
        1
    ] == talks.summary_instructions


def test_what_was_left_out_and_how_dialogs_ended_is_counted(talks: Study, out: Path) -> None:
    factories.finished_dialog(study=talks, summary=None, ended_why="timed_out")
    factories.finished_dialog(study=talks, summary=None, ended_why="timed_out")
    part = Participation.objects.filter(study=talks).first()
    assert part
    somebody = User.objects.create(username="somebody")
    Exclusion.objects.create(worker=part.worker, study=talks, reason="x", at=clock.now(), who=somebody)
    Dialog.objects.filter(pk=900_102).take_out("Off the task.", somebody)
    release(out, "--study", "talks", "--formats", "raw")
    (study,) = json.loads((out / "datasheet.json").read_text())["studies"]
    assert study["left_out"] == {
        "no summary": 3, "withdrawn by a worker": 1, "taken out by a person": 1, "simulated": 1,
    }  # fmt: skip
    assert study["released"]["dialogs"] == 1
    assert study["incomplete"] == {"left": 1, "timed_out": 2}
    assert (study["withdrawals"], study["excluded_workers"]) == (1, 1)
    text = (out / "DATASHEET.md").read_text()
    assert "| nothing was written in time, or the time of the dialog was over | 2 |" in text
    assert "| an invitation link | 12 | 12 | not verified |" in text


def test_who_gave_most_of_the_dialogs_is_counted(out: Path) -> None:
    study, busy = factories.study(slug="busy"), factories.worker()
    for number in range(3):
        factories.finished_dialog(study=study, answerer=busy, pk=900_200 + number)
    release(out, "--study", "busy", "--formats", "raw")
    assert "by 4 workers: in the median 1 each, 3 at most." in (out / "DATASHEET.md").read_text()
    assert Dialog.objects.count() == 3


@pytest.mark.usefixtures("through_hits")
def test_two_reviewers_and_how_far_they_agree_stand_there(out: Path) -> None:
    decided = Assignment.objects.get()
    Assignment.objects.update(decision=Decision.APPROVE)
    SecondOpinion.objects.create(
        assignment=decided, who=User.objects.create(username="second"), approves=False, at=clock.now()
    )
    release(out, "--study", "talks", "--formats", "raw")
    facts = json.loads((out / "datasheet.json").read_text())
    check(facts, "datasheet")
    review = facts["studies"][0]["review"]
    assert (review["looked_at_twice"], review["agreed"], review["kappa"]) == (1, 0, 0.0)
    assert "1 submission; agreed: 0. Cohen's kappa: 0.00." in (out / "DATASHEET.md").read_text()


@pytest.mark.usefixtures("talks")
def test_a_video_that_was_converted_is_told_with_its_original(out: Path) -> None:
    settings = {"recipe": 1, "video": "libx264 crf=20"}
    Video.objects.filter(image_id="PUBL1").update(original_checksum="a" * 64, checksum="b" * 64, transcoding=settings)
    release(out, "--study", "talks", "--formats", "raw")
    facts = json.loads((out / "datasheet.json").read_text())
    check(facts, "datasheet")
    assert facts["converted_videos"] == [
        {"video": "PUBL1", "original_sha256": "a" * 64, "sha256": "b" * 64, "settings": settings}
    ]
    assert "Of 1 video workers saw a copy that was made for browsers." in (out / "DATASHEET.md").read_text()
