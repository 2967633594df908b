"""One worker, one item, 100 marks: each step, each refusal, each end, what it pays, and who gets which item."""

import json
from collections import Counter
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.test import Client

from chat.models import Dialog, Seat
from collector.lib import clock
from collector.relevance import agreement, judging
from collector.relevance.models import OPTIONS, Judging
from collector.studies import kinds, videos
from collector.studies.admission import Identity, NotAdmitted, admit
from collector.studies.models import Kind, Outcome, StudyVideo, Why, Worker
from collector.summaries import sweeping, watching
from collector.summaries.models import VideoReport, Viewing
from hits import settlement
from hits.models import EntryKind
from tests import factories
from tests.relevance.scene import OPTION_TEXTS, Judge, item, judge, offer, study
from tests.summaries import scene as summaries

pytestmark = pytest.mark.django_db
REWARD = Decimal("2.20")


def begun(**fields: object) -> Judge:
    made = judge(study(**fields))  # type: ignore[arg-type]
    made.begin()
    return made


def owed(made: Judge) -> dict[str, Decimal]:
    return {each.kind: each.amount for each in settlement.announced(made.now())}


def test_an_item_from_consent_to_complete() -> None:
    made = begun(reward=REWARD)
    assert made.watch()["move"] == "judge"
    correct = {7, 12, 99}
    assert made.post("finish", marks=made.marks(correct)) == {"type": "over", "finish": f"/w/{made.token}/finish/"}
    assert {option for option, mark in enumerate(made.judging.marks) if mark} == correct
    assert None not in made.judging.marks
    ended = made.now()
    assert (ended.outcome, ended.rounds_done, ended.wrote_summary) == (Outcome.COMPLETE, 11, False)
    assert owed(made) == {EntryKind.REWARD: REWARD}
    assert made.get().headers["location"] == f"/w/{made.token}/finish/"


def test_watching_and_every_page_are_paid_alike() -> None:
    assert kinds.of(Kind.RELEVANCE).parts == 1 + OPTIONS // judging.PAGE


def test_marks_are_kept_and_every_post_may_be_repeated() -> None:
    made = begun()
    made.watch()
    some = made.marks({1, 2, 3}, open_places=55)
    for _ in range(2):
        assert made.post("marks", marks=some)["move"] == "judge"
    assert judging.shown(made.judging)[1] == some
    assert made.now().rounds_done == 1 + 4  # the fifth page is half done
    opening = json.loads(
        made.get().content.decode().partition('id="opening" type="application/json">')[2].partition("<")[0]
    )
    assert opening["marks"] == some
    assert [OPTION_TEXTS[option] for option in made.judging.order] == opening["options"]
    whole = made.marks({1})
    assert [made.post("finish", marks=whole)["type"] for _ in range(2)] == ["over", "over"]
    assert made.post("marks", marks=some)["type"] == "over"
    assert judging.shown(made.judging)[1] == whole


def test_nothing_is_marked_before_the_video_has_played_and_nothing_is_finished_half() -> None:
    made = begun()
    assert made.post("marks", marks=made.marks({1}))["code"] == "watch_first"
    assert made.post("finish", marks=made.marks({1}))["code"] == "watch_first"
    assert made.judging.marks == [None] * OPTIONS
    made.watch()
    assert made.post("finish", marks=made.marks({1}, open_places=1))["code"] == "not_all_marked"
    assert made.now().ended_at is None


@pytest.mark.parametrize("marks", [[], [True] * 99, [True] * 101, ["yes"] * 100, [2] * 100, None])
def test_what_is_not_a_hundred_marks_is_refused(marks: object) -> None:
    made = begun()
    made.watch()
    assert made.post("marks", marks=marks)["code"] == "not_understood"


def test_a_watcher_of_another_kind_cannot_judge_nor_a_judge_summarise() -> None:
    judging_, other = begun(), summaries.watcher(summaries.study())
    judging_.page, other.page = "watch", "judge"
    assert judging_.summarise()["code"] == "bad_link"
    assert judging_.begin().status_code == 404
    assert judging_.get().headers["location"] == f"/w/{judging_.token}/judge/"
    assert other.post("marks", marks=[True] * 100)["code"] == "bad_link"
    assert other.begin().status_code == 404
    assert other.get().headers["location"] == f"/w/{other.token}/watch/"


def test_who_leaves_is_paid_for_the_pages_that_are_marked() -> None:
    made = begun(reward=REWARD)
    made.watch()
    made.post("marks", marks=made.marks({1}, open_places=69))
    made.post("leave", reason="no_time")
    (due,) = settlement.announced(made.now())
    assert (due.amount, due.why) == (Decimal("0.80"), "for 4 of 11 parts")
    assert StudyVideo.objects.get().started == 0
    unwatched = judge(made.participation.study)
    unwatched.begin()
    unwatched.post("leave")
    assert owed(unwatched) == {}


def test_a_reported_video_is_held_and_paid_in_full() -> None:
    made = begun(reward=REWARD)
    made.post("report_video", reason="no_sound")
    assert (made.now().outcome, made.now().why) == (Outcome.TECHNICAL_FAILURE, Why.VIDEO_REPORTED)
    assert owed(made) == {EntryKind.REWARD: REWARD}
    assert StudyVideo.objects.get().is_held
    assert VideoReport.objects.get().reason == "no_sound"


def test_the_time_for_the_task_runs_out() -> None:
    made = begun(reward=REWARD)
    made.watch()
    with clock.travel(timedelta(minutes=59)):
        assert sweeping.sweep() == 0
    with clock.travel(timedelta(minutes=61)):
        assert sweeping.sweep() == 1
    assert (made.now().outcome, made.now().why) == (Outcome.TIMED_OUT, Why.DIALOG_OVER)
    assert owed(made) == {EntryKind.REWARD: Decimal("0.20")}
    page = made.client.get(f"/w/{made.token}/finish/").content.decode()
    assert "The task was not finished within its time." in page


def test_of_each_item_as_many_as_are_wanted_and_those_of_who_left_again() -> None:
    made = study(items=0, people=2)
    shared = factories.finished_dialog()
    offer(made, item(made, shared, round=1), item(made, shared, round=2), item(made))
    assert sorted(StudyVideo.objects.values_list("wanted", flat=True)) == [2, 4]
    leaver = judge(made)
    leaver.begin()
    leaver.post("leave")
    for _ in range(6):
        assert judge(made).judge()["type"] == "over"
    done = Judging.objects.filter(viewing__participation__outcome=Outcome.COMPLETE)
    assert set(Counter(done.values_list("item", flat=True)).values()) == {2}
    late = judge(made)
    late.begin()
    assert (late.now().outcome, late.now().why) == (Outcome.STUDY_ENDED, Why.NO_VIDEO_LEFT)
    assert b"All that was wanted is there" in late.client.get(f"/w/{late.token}/finish/").content


def test_nobody_judges_a_video_twice_or_one_they_were_in_a_dialog_about() -> None:
    made = study(items=0)
    dialog = factories.finished_dialog()
    videos.remember_meetings(
        dialog.study, [(dialog.video_id, *Seat.objects.filter(dialog=dialog).values_list("worker", flat=True))]
    )
    offer(made, item(made, dialog, round=1), item(made, dialog, round=2))
    for seat in Seat.objects.filter(dialog=dialog):
        inside = judge(made, Worker.objects.get(pk=seat.worker_id))
        inside.begin()
        assert inside.now().why == Why.ALL_SEEN
        assert not Judging.objects.exists()
    who = Identity("link", "live", "judges-once")
    admitted = admit(made, who).participation
    judging.begin(admitted.pk)
    judging.begin(admitted.pk)
    assert Judging.objects.count() == 1
    assert StudyVideo.objects.get().started == 1
    watching.leave(admitted.pk)
    with pytest.raises(NotAdmitted, match="nothing_left"):
        admit(made, who)


def test_a_video_without_an_item_is_given_to_nobody() -> None:
    made = study(items=1, people=1)
    StudyVideo.objects.create(study=made, video=factories.video(), wanted=None)
    videos.refresh(made)
    assert sorted(StudyVideo.objects.values_list("wanted", flat=True)) == [0, 1]
    judge(made).judge()
    late = judge(made)
    late.begin()
    assert late.now().why == Why.NO_VIDEO_LEFT


def test_more_people_an_item_are_wanted_when_the_study_says_so() -> None:
    made = study(items=2, people=1)
    judge(made).judge()
    made.dialogs_per_video = 3
    made.save()
    videos.refresh(made)
    assert list(StudyVideo.objects.values_list("wanted", flat=True)) == [3, 3]


def test_a_new_relevance_study_has_its_own_texts_and_its_videos_come_with_items() -> None:
    made = study()
    assert "Mark an answer as correct" in made.summary_instructions
    assert "partner" not in made.instructions + made.title + made.purpose
    made.full_clean()
    made.split = "val"
    with pytest.raises(ValidationError, match="come with its items"):
        made.full_clean()
    made.split, made.dialogs_per_video = "", None
    with pytest.raises(ValidationError, match="how many people judge an item"):
        made.full_clean()


def test_programs_use_up_nothing_and_share_the_items() -> None:
    made = study(items=2, people=1)
    for _ in range(4):
        judge(made, is_simulated=True).judge()
    assert set(Counter(Judging.objects.values_list("item", flat=True)).values()) == {2}
    assert set(StudyVideo.objects.values_list("started", flat=True)) == {0}
    assert judge(made).judge()["type"] == "over"


def test_the_invitation_and_the_first_page_say_what_is_asked_and_paid() -> None:
    made = study(reward=REWARD)
    page = Client().get(f"/join/{made.slug}/").content.decode()
    assert "$2.20 for watching the video and marking all 100 answers." in page
    assert "One video, one question, 100 answers to judge" in page
    assert "artner" not in page.split("</head>")[-1]
    one = judge(made)
    first = one.get().content.decode()
    assert "Mark an answer as correct" in first
    assert f"/w/{one.token}/judge/begin/" in first


def test_what_leaves_the_data_is_judged_again_and_of_a_dialog_that_left_nothing_is(admin_user: User) -> None:
    made = study(items=1, people=2)
    for _ in range(2):
        judge(made).judge({3})
    out = Viewing.objects.filter(judging=Judging.objects.first())
    out.take_out("marked without watching", admin_user)
    (found,) = agreement.judged(made.pk)
    assert (found.people, found.correct[3]) == (1, 1)
    assert judge(made).judge({3})["type"] == "over"
    assert [each.people for each in agreement.judged(made.pk)] == [2]

    made.dialogs_per_video = 3
    made.save()
    videos.refresh(made)
    Dialog.objects.filter(items__study=made).take_out("not about the video", admin_user)
    late = judge(made)
    late.begin()  # before the sweep that sees it
    assert late.now().why == Why.NO_VIDEO_LEFT
    assert list(agreement.judged(made.pk)) == []
    sweeping.take_in_new_videos()
    row = StudyVideo.objects.get(study=made)
    assert row.wanted == row.started == 2
