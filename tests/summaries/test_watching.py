"""One worker, one video, one summary: each step, each refusal, each end, and what it pays."""

from collections import Counter
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from chat import deadlines, dialogs
from chat.models import Dialog, Seat
from chat.rules import Code, Refusal
from collector.catalogue.models import Split
from collector.lib import clock
from collector.studies import videos
from collector.studies.admission import Identity, NotAdmitted, admit, token_of
from collector.studies.models import Outcome, SeenVideo, State, StudyVideo, Why
from collector.summaries import sweeping, watching
from collector.summaries.models import Summary, VideoReport, Viewing
from hits import settlement
from hits.models import EntryKind
from tests import factories
from tests.summaries.scene import KEY, SECONDS, TEXT, Watcher, offer, study, watcher

pytestmark = pytest.mark.django_db


def begun(**fields: object) -> Watcher:
    made = watcher(study(**fields))  # type: ignore[arg-type]
    made.begin()
    return made


def owed(made: Watcher) -> dict[str, Decimal]:
    return {each.kind: each.amount for each in settlement.announced(made.now())}


def test_a_summary_from_consent_to_complete() -> None:
    made = begun(reward=Decimal("1.50"))
    assert StudyVideo.objects.get().started == 1
    assert made.watch()["move"] == "summarise"
    assert made.summarise() == {"type": "over", "finish": f"/w/{made.token}/finish/"}
    summary = Summary.objects.get()
    assert (summary.text, summary.viewing.watched) == (TEXT, [[0.0, SECONDS]])
    ended = made.now()
    assert (ended.outcome, ended.wrote_summary, ended.rounds_done) == (Outcome.COMPLETE, True, 2)
    assert owed(made) == {EntryKind.REWARD: Decimal("1.50")}
    assert StudyVideo.objects.get().started == 1
    assert made.get().headers["location"] == f"/w/{made.token}/finish/"


def test_a_new_summary_study_has_its_own_texts_and_four_a_video() -> None:
    made = study()
    assert made.dialogs_per_video is None  # as given
    assert "Summarize what is happening" in made.summary_instructions
    assert "partner" not in made.instructions + made.title + made.purpose
    plain = type(made)(kind="summary", collection=made.collection, name="P", slug="p", created_at=clock.now())
    plain.save()
    assert plain.dialogs_per_video == 4
    plain.dialogs_per_video = 1
    plain.save()
    assert plain.dialogs_per_video == 1


def test_a_study_keeps_its_kind() -> None:
    made = study()
    made.full_clean()
    made.kind = "dialog"
    with pytest.raises(ValidationError, match="of the kind summary, and stays so"):
        made.full_clean()


def test_nothing_is_written_before_the_video_has_played() -> None:
    made = begun()
    assert made.summarise()["code"] == "watch_first"
    assert made.post("watched", ranges=[[0, SECONDS / 2]])["code"] == "watch_first"
    assert not Summary.objects.exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "empty"), ("Too short.", "too_short"), ("word " * 500, "too_long"), ("a\x00b", "unstorable")],
)
def test_a_summary_keeps_to_the_limits_of_a_dialogs(text: str, code: str) -> None:
    made = begun()
    made.watch()
    refused = made.summarise(text)
    assert (refused["type"], refused["code"], refused["key"]) == ("refused", code, KEY)
    assert made.now().ended_at is None


def test_the_same_summary_sent_again_changes_nothing() -> None:
    made = begun()
    made.watch()
    made.summarise()
    assert made.summarise()["type"] == "over"
    with pytest.raises(Refusal) as refused:
        watching.summarise(made.participation.pk, watching.Written(KEY, TEXT + " And more."))
    assert refused.value.code == Code.KEY_REUSED
    assert (
        made.summarise("Another text of more than eight words, sent too late.", key="key-other-one")["type"] == "over"
    )
    assert Summary.objects.get().text == TEXT


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"type": "ask", "key": "k", "text": "t"}', b'{"type": "draft"}', b"x" * 40_000]
)
def test_what_is_not_understood_is_refused(body: bytes) -> None:
    made = begun()
    answer = made.client.post(f"/w/{made.token}/watch/post/", body, content_type="application/json")
    assert answer.json()["code"] in ("not_understood", "too_big")


def test_a_draft_survives_and_goes_with_the_end() -> None:
    made = begun()
    made.watch()
    made.post("draft", text="Somebody opens ")
    assert b"Somebody opens " in made.get().content
    made.summarise()
    assert Viewing.objects.get().draft == ""
    other = watcher(made.participation.study)
    other.begin()
    other.post("draft", text="I have begun to write")
    other.post("leave", reason="no_time")
    assert set(Viewing.objects.values_list("draft", flat=True)) == {""}


def test_who_leaves_is_paid_for_the_parts_that_are_done() -> None:
    made = begun(reward=Decimal("1.50"))
    assert made.post("leave", reason="technical")["type"] == "over"
    assert (made.now().outcome, made.now().reason) == (Outcome.LEFT, "technical")
    assert owed(made) == {}
    assert StudyVideo.objects.get().started == 0
    other = watcher(made.participation.study)
    other.begin()
    other.watch()
    other.post("leave")
    assert owed(other) == {EntryKind.REWARD: Decimal("0.75")}
    (due,) = settlement.announced(other.now())
    assert due.why == "for 1 of 2 parts"


def test_who_does_not_go_on_after_the_example_leaves_and_frees_the_place() -> None:
    made = watcher(study(reward=Decimal("1.50")))
    answer = made.client.post(f"/w/{made.token}/watch/leave/")
    assert answer.headers["location"] == f"/w/{made.token}/finish/"
    assert (made.now().outcome, owed(made)) == (Outcome.LEFT, {})
    assert made.begin().headers["location"].endswith("/watch/")
    assert not Viewing.objects.exists()


def test_a_reported_video_is_held_and_paid_in_full() -> None:
    made = begun(reward=Decimal("1.50"))
    made.post("report_video", reason="no_sound")
    assert (made.now().outcome, made.now().why) == (Outcome.TECHNICAL_FAILURE, Why.VIDEO_REPORTED)
    assert owed(made) == {EntryKind.REWARD: Decimal("1.50")}
    row = StudyVideo.objects.select_related("video").get()
    assert (row.is_held, row.started, row.video.is_held) == (True, 0, False)
    assert VideoReport.objects.get().reason == "no_sound"
    videos.release(StudyVideo.objects.all())
    other = watcher(made.participation.study)
    other.begin()
    other.post("report_video", reason="does_not_play")
    row.video.refresh_from_db()
    assert row.video.is_held


def test_the_time_for_the_summary_runs_out() -> None:
    made = begun(reward=Decimal("1.50"))
    made.watch()
    with clock.travel(timedelta(minutes=14)):
        assert sweeping.sweep() == 0
    with clock.travel(timedelta(minutes=16)):
        assert sweeping.sweep() == 1
    assert (made.now().outcome, made.now().why) == (Outcome.TIMED_OUT, Why.SUMMARY_OVER)
    assert owed(made) == {EntryKind.REWARD: Decimal("0.75")}
    assert StudyVideo.objects.get().started == 0
    assert made.summarise()["type"] == "over"
    assert not Summary.objects.exists()


def test_the_time_of_the_whole_runs_out_with_the_dialogs_deadlines() -> None:
    made, idle = begun(), watcher(study())
    deadlines.sweep()
    with clock.travel(timedelta(seconds=5)):
        deadlines.sweep()
        assert made.now().ended_at is None
    with clock.travel(timedelta(minutes=46)):
        deadlines.sweep()  # a gap is our downtime: the deadlines of who watches move by it
        assert made.now().ended_at is None
        assert (idle.now().outcome, idle.now().why) == (Outcome.LEFT, Why.NEVER_CAME)
    with clock.travel(timedelta(minutes=93)):
        sweeping.sweep()
    assert made.now().outcome == Outcome.TIMED_OUT


def test_who_begins_when_no_video_is_left_is_paid_for_coming() -> None:
    offered = study(videos=1, wanted=1, ending_pay=Decimal("0.20"))
    first, second = watcher(offered), watcher(offered)
    first.begin()
    assert second.begin().headers["location"].endswith("/watch/")
    assert (second.now().outcome, second.now().why) == (Outcome.STUDY_ENDED, Why.NO_VIDEO_LEFT)
    assert owed(second) == {EntryKind.REWARD: Decimal("0.20")}
    assert b"All that was wanted is there" in second.client.get(f"/w/{second.token}/finish/").content


@pytest.mark.parametrize(("state", "why"), [(State.PAUSED, Why.STUDY_PAUSED), (State.CLOSED, Why.STUDY_CLOSED)])
def test_nobody_begins_in_a_study_that_is_not_open(state: State, why: Why) -> None:
    made = watcher(study())
    made.participation.study.state = state
    made.participation.study.save()
    made.begin()
    assert (made.now().outcome, made.now().why) == (Outcome.STUDY_ENDED, why)
    assert StudyVideo.objects.get().started == 0


def test_nobody_watches_a_video_twice_or_one_they_were_in_a_dialog_about() -> None:
    offered = study(videos=2)
    known, _ = StudyVideo.objects.order_by("pk")
    who = factories.worker()
    elsewhere = factories.collection()
    SeenVideo.objects.create(collection=elsewhere, worker=who, video=known.video)
    first = watcher(offered, who)
    first.begin()
    assert Viewing.objects.get().video != known.video
    first.watch()
    first.summarise()
    second = watcher(offered, who)
    second.begin()
    assert second.now().why == Why.ALL_SEEN


def test_who_knows_all_videos_is_not_let_in() -> None:
    offered = study(videos=1)
    who = Identity("link", "live", "knows-all")
    admitted = admit(offered, who, address="192.0.2.1").participation
    assert admitted.network == ""  # there is no partner to compare it with
    watching.begin(admitted.pk)
    watching.leave(admitted.pk)
    with pytest.raises(NotAdmitted) as refused:
        admit(offered, who)
    assert refused.value.code == "nothing_left"


def test_the_example_is_never_given() -> None:
    offered = study(videos=0)
    offered.example = offer(offered)
    offered.save()
    made = watcher(offered)
    made.begin()
    assert made.now().why == Why.NO_VIDEO_LEFT


def test_videos_come_from_complete_dialogs_and_from_a_split() -> None:
    talked = factories.finished_dialog()
    factories.finished_dialog(study=talked.study, summary=None)
    factories.finished_dialog(study=talked.study, is_simulated=True)
    in_split = factories.video(split=Split.TEST)
    made = study(videos=0, videos_of=talked.study, split=Split.TEST, dialogs_per_video=4)
    videos.refresh(made)
    assert set(StudyVideo.objects.values_list("video", "wanted")) == {(talked.video_id, 4), (in_split.pk, 4)}
    later = factories.finished_dialog(study=talked.study)
    sweeping.take_in_new_videos()
    assert StudyVideo.objects.filter(study=made, video=later.video_id).exists()


def test_simulated_watchers_use_up_no_video() -> None:
    made = watcher(study(wanted=1), is_simulated=True)
    made.begin()
    made.watch()
    made.summarise()
    assert (made.now().outcome, StudyVideo.objects.get().started) == (Outcome.COMPLETE, 0)
    offer(made.participation.study, wanted=1)
    for _ in range(3):
        watcher(made.participation.study, is_simulated=True).begin()
    assert sorted(Counter(Viewing.objects.values_list("video", flat=True)).values()) == [2, 2]


def test_a_watcher_never_comes_into_the_waiting_room() -> None:
    made = watcher(study())
    other = watcher(made.participation.study)
    for attempt in (lambda: dialogs.arrive(made.token, "c1"), lambda: dialogs.arrive(made.token, "c1", polls=True)):
        with pytest.raises(Refusal) as refused:
            attempt()
        assert refused.value.code == Code.BAD_LINK
    refusals = dialogs.arrive_all([(made.token, "c1"), (other.token, "c2")])
    assert [each.code for each in refusals if isinstance(each, Refusal)] == [Code.BAD_LINK] * 2
    assert not Seat.objects.exists()
    assert made.client.get(f"/w/{made.token}/").headers["location"] == f"/w/{made.token}/watch/"


def test_a_dialogs_token_opens_no_watchers_page() -> None:
    dialog = factories.dialog()
    token = token_of(Seat.objects.filter(dialog=dialog).first().participation)  # type: ignore[union-attr]
    made = Watcher(dialog.seats.first().participation, token, watcher(study()).client)  # type: ignore[union-attr]
    assert made.get().headers["location"] == f"/w/{token}/"
    assert made.begin().status_code == 404
    assert made.watch()["code"] == "bad_link"
    assert made.get("video").status_code == 403
    assert not Viewing.objects.exists()
    assert Dialog.objects.get().ended_at is None
