"""What runs out, for whom, and what it means; time is moved, never slept."""

import logging
from collections.abc import Iterator
from datetime import timedelta

import pytest

from chat import deadlines, dialogs, presence, snapshot, waiting_room
from chat.models import About, Dialog, DialogEvent, Report, Role, Seat, SeatState
from chat.rules import Code, Refusal
from collector.catalogue.models import Video
from collector.lib import clock
from collector.studies import admission, videos
from collector.studies.models import Fault, Outcome, Participation, State, StudyVideo, Why
from tests import factories
from tests.chat import scene
from tests.chat.scene import Pair, Time, end_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def time() -> Iterator[Time]:
    with scene.time() as given:
        yield given


def state(seat: Seat) -> str:
    return Seat.objects.get(pk=seat.pk).state


def refused(code: Code):  # type: ignore[no-untyped-def]
    return pytest.raises(Refusal, match=code)


# Losing and finding a partner


def test_a_blip_is_not_shown_to_the_partner(time: Time) -> None:
    pair = Pair(scene.study())
    scene.vanish(pair.answerer)
    time.passes(2)
    scene.arrive(pair.answerer.participation)
    time.passes(10)
    assert not DialogEvent.objects.filter(kind="lost").exists()


def test_a_lost_partner_is_waited_for_and_goes_on(time: Time) -> None:
    pair = Pair(scene.study())
    scene.vanish(pair.answerer)
    time.passes(4)
    seen = snapshot.of(pair.questioner.pk)
    assert seen.partner_lost is not None
    assert 59 <= seen.partner_lost.back_within <= 60
    time.passes(50)
    scene.arrive(pair.answerer.participation)
    assert snapshot.of(pair.questioner.pk).partner_lost is None
    time.passes(30)
    assert pair.reload().ended_at is None
    assert list(DialogEvent.objects.values_list("kind", flat=True)) == ["lost", "returned"]


def test_after_the_grace_the_survivor_chooses_and_the_lost_one_has_left(time: Time) -> None:
    pair = Pair(scene.study(dialogs_per_video=1))
    scene.vanish(pair.answerer)
    time.passes(4)
    swept = time.passes(61)
    assert swept.dialogs == {pair.dialog.pk}
    assert end_of(pair.answerer) == (Outcome.LEFT, Fault.NOBODY, Why.CONNECTION_LOST)
    assert state(pair.questioner) == SeatState.CHOOSING
    seen = snapshot.of(pair.questioner.pk)
    assert (seen.phase, seen.left_alone) == ("choice", "partner_lost")
    assert StudyVideo.objects.filter(started=1).count() == 0


@pytest.mark.parametrize(("rounds", "grace"), [(2, 60), (3, 180)])
def test_the_grace_is_longer_after_the_third_round(time: Time, rounds: int, grace: int) -> None:
    pair = Pair(scene.study())
    pair.rounds(rounds)
    scene.vanish(pair.questioner)
    time.passes(4)
    time.passes(grace - 2)
    assert pair.reload().ended_at is None
    time.passes(3)
    assert pair.reload().ended_at is not None


def test_the_survivor_may_end_before_the_long_grace_is_over_but_not_before_the_short_one(time: Time) -> None:
    pair = Pair(scene.study())
    pair.rounds(4)
    scene.vanish(pair.questioner)
    time.passes(4)
    with refused(Code.TOO_EARLY):
        dialogs.end_alone(pair.answerer.pk)
    time.passes(61)
    dialogs.end_alone(pair.answerer.pk)
    assert end_of(pair.answerer)[0] == Outcome.PARTNER_LEFT
    assert end_of(pair.questioner) == (Outcome.LEFT, Fault.NOBODY, Why.CONNECTION_LOST)


def test_nobody_may_end_alone_while_the_partner_is_here(time: Time) -> None:
    pair = Pair(scene.study())
    with refused(Code.TOO_EARLY):
        dialogs.end_alone(pair.answerer.pk)


def test_both_gone_end_each_by_how_they_left(time: Time) -> None:
    pair = Pair(scene.study())
    scene.vanish(pair.answerer)
    scene.vanish(pair.questioner)
    time.passes(4)
    time.passes(61)
    assert end_of(pair.answerer)[::2] == (Outcome.LEFT, Why.CONNECTION_LOST)
    assert end_of(pair.questioner)[::2] == (Outcome.LEFT, Why.CONNECTION_LOST)
    assert pair.reload().ended_at is not None


def test_who_leaves_while_the_partner_is_lost_has_left_and_so_has_the_partner(time: Time) -> None:
    pair = Pair(scene.study())
    scene.vanish(pair.answerer)
    time.passes(4)
    dialogs.leave(pair.questioner.pk, "no_time")
    assert end_of(pair.questioner) == (Outcome.LEFT, Fault.WORKER, "")
    assert Participation.objects.get(pk=pair.questioner.participation_id).reason == "no_time"
    assert end_of(pair.answerer)[0] == Outcome.LEFT


def test_a_killed_process_takes_its_workers_with_it_only_for_the_grace(time: Time) -> None:
    pair = Pair(scene.study())
    Seat.objects.filter(pk=pair.answerer.pk).update(process="killed-without-a-word")
    time.passes(1)
    time.passes(4)
    assert snapshot.of(pair.questioner.pk).partner_lost is not None


def test_a_page_taken_for_dead_does_not_take_its_seat_from_a_newer_one(time: Time) -> None:
    pair = Pair(scene.study())
    presence.take(pair.answerer.pk, "newer")
    dialogs.back(pair.answerer.pk, "older")
    assert Seat.objects.get(pk=pair.answerer.pk).connection == "newer"
    presence.drop(pair.answerer.pk, "newer")
    dialogs.back(pair.answerer.pk, "older")
    assert Seat.objects.get(pk=pair.answerer.pk).connection == "older"


def test_who_waits_for_a_lost_partner_is_not_idle_and_has_time_when_they_return(time: Time) -> None:
    pair = Pair(scene.study(grace_seconds=600, long_grace_seconds=600))
    scene.vanish(pair.answerer)
    time.passes(4)
    time.passes(400)
    assert pair.reload().ended_at is None
    scene.arrive(pair.answerer.participation)
    left = snapshot.of(pair.questioner.pk).turn_left
    assert left is not None
    assert 118 <= left <= 120


def test_a_questioner_lost_in_the_summary_keeps_nobody_waiting_and_has_the_summary_s_time(time: Time) -> None:
    pair = Pair(scene.study(rounds=1))
    pair.rounds(1)
    scene.vanish(pair.questioner)
    time.passes(600)
    assert pair.reload().ended_at is None
    time.passes(301)
    assert end_of(pair.questioner) == (Outcome.TIMED_OUT, Fault.WORKER, Why.SUMMARY_OVER)
    assert end_of(pair.answerer)[0] == Outcome.COMPLETE


# The choice of who was left alone


def left_alone(time: Time, **fields: object) -> Pair:
    pair = Pair(scene.study(**fields))
    dialogs.leave(pair.answerer.pk)
    return pair


def test_who_waits_on_is_first_in_line_and_gets_a_video_they_have_not_seen(time: Time) -> None:
    pair = left_alone(time)
    study = pair.dialog.study
    early = scene.newcomer(study)
    assert dialogs.choose(pair.questioner.pk, wait=True)
    again = scene.arrive(pair.questioner.participation)
    assert (again.number, again.is_first_in_line, again.state) == (2, True, SeatState.WAITING)
    scene.newcomer(study)
    (dialog,) = waiting_room.pair_waiting(study.pk)
    assert again.worker_id in dialog.seats.values_list("worker", flat=True)
    assert early.worker_id in dialog.seats.values_list("worker", flat=True)
    assert dialog.video_id != pair.dialog.video_id


def test_who_is_left_alone_is_told_that_the_partner_left_until_they_have_chosen(time: Time) -> None:
    pair = left_alone(time)
    assert snapshot.of(pair.questioner.pk).left_alone == "partner_left"
    dialogs.choose(pair.questioner.pk, wait=False)
    assert snapshot.of(pair.questioner.pk).left_alone == ""


def test_who_ends_instead_is_paid_as_left_by_the_partner(time: Time) -> None:
    pair = left_alone(time)
    assert not dialogs.choose(pair.questioner.pk, wait=False)
    assert end_of(pair.questioner) == (Outcome.PARTNER_LEFT, Fault.PARTNER, Why.PARTNER_LEFT)


def test_who_does_not_choose_ends_paid(time: Time) -> None:
    pair = left_alone(time)
    swept = time.passes(301)
    assert swept.seats == {pair.questioner.pk}
    assert end_of(pair.questioner)[0] == Outcome.PARTNER_LEFT


def test_who_leaves_instead_of_choosing_ends_paid(time: Time) -> None:
    pair = left_alone(time)
    dialogs.leave(pair.questioner.pk)
    assert end_of(pair.questioner)[0] == Outcome.PARTNER_LEFT


def test_nobody_waits_for_a_partner_whom_no_video_is_left_for(time: Time) -> None:
    pair = left_alone(time, videos=1)
    assert not snapshot.of(pair.questioner.pk).may_wait
    with refused(Code.NO_MORE_PARTNERS):
        dialogs.choose(pair.questioner.pk, wait=True)
    assert state(pair.questioner) == SeatState.CHOOSING


def test_who_gives_up_the_second_wait_is_paid_for_the_lost_partner(time: Time) -> None:
    pair = left_alone(time)
    dialogs.choose(pair.questioner.pk, wait=True)
    again = scene.arrive(pair.questioner.participation)
    dialogs.leave(again.pk)
    assert end_of(again)[0] == Outcome.PARTNER_LEFT


# Turns


def test_an_idle_questioner_is_timed_out_and_the_answerer_chooses(time: Time) -> None:
    pair = Pair(scene.study())
    time.passes(299)
    assert pair.reload().ended_at is None
    time.passes(2)
    assert end_of(pair.questioner) == (Outcome.TIMED_OUT, Fault.WORKER, Why.TURN_OVER)
    assert state(pair.answerer) == SeatState.CHOOSING
    assert snapshot.of(pair.answerer.pk).left_alone == "partner_idle"
    dialogs.choose(pair.answerer.pk, wait=False)
    assert end_of(pair.answerer)[::2] == (Outcome.PARTNER_LEFT, Why.PARTNER_IDLE)


def test_the_first_answer_s_clock_starts_when_the_video_has_played(time: Time) -> None:
    pair = Pair(scene.study())
    pair.say("ask")
    left = snapshot.of(pair.answerer.pk).turn_left
    assert left is not None
    assert left > 300 + 2 * 8
    time.passes(40)
    pair.watch()
    left = snapshot.of(pair.answerer.pk).turn_left
    assert left is not None
    assert 299 <= left <= 300
    time.passes(301)
    assert end_of(pair.answerer)[0] == Outcome.TIMED_OUT


def test_who_never_watches_is_timed_out_too(time: Time) -> None:
    pair = Pair(scene.study())
    pair.say("ask")
    time.passes(300 + 60 + 16 + 1)
    assert end_of(pair.answerer)[0] == Outcome.TIMED_OUT


def test_typing_extends_a_turn_by_two_minutes_at_most(time: Time) -> None:
    pair = Pair(scene.study())
    time.passes(200)
    assert not dialogs.typing(pair.dialog.pk, Role.QUESTIONER), "there is plenty of time"
    time.passes(90)
    assert not dialogs.typing(pair.dialog.pk, Role.ANSWERER), "it is not their turn"
    for _ in range(2):
        assert dialogs.typing(pair.dialog.pk, Role.QUESTIONER)
        time.passes(50)
    assert dialogs.typing(pair.dialog.pk, Role.QUESTIONER)
    time.passes(20)
    assert not dialogs.typing(pair.dialog.pk, Role.QUESTIONER)
    assert pair.reload().ended_at is None
    time.passes(11)
    assert end_of(pair.questioner)[0] == Outcome.TIMED_OUT


def test_each_text_gives_the_next_turn_its_whole_time(time: Time) -> None:
    pair = Pair(scene.study())
    pair.watch()
    time.passes(200)
    pair.say("ask")
    time.passes(200)
    pair.say("answer")
    time.passes(200)
    assert pair.reload().ended_at is None


# The whole dialog


def test_after_an_hour_the_round_in_progress_is_the_last_and_both_are_paid(time: Time) -> None:
    pair = Pair(scene.study())
    pair.watch()
    for _ in range(12):
        time.passes(298)
        pair.say("ask" if pair.dialog.utterances.count() % 2 == 0 else "answer")
    pair.say("ask")
    time.passes(60)
    assert pair.reload().ended_at is None, "the round in progress goes on"
    pair.say("answer")
    time.passes(2)
    assert end_of(pair.questioner) == (Outcome.TIMED_OUT, Fault.NOBODY, Why.DIALOG_OVER)
    assert end_of(pair.answerer) == (Outcome.TIMED_OUT, Fault.NOBODY, Why.DIALOG_OVER)
    assert not pair.reload().is_complete


def test_the_hour_does_not_cut_a_summary(time: Time) -> None:
    pair = Pair(scene.study(rounds=1, dialog_minutes=2))
    time.passes(100)
    pair.rounds(1)
    time.passes(600)
    pair.say("summarise")
    assert pair.reload().is_complete


# Our own downtime


def test_two_minutes_of_downtime_end_nobody_s_dialog(time: Time) -> None:
    pair = Pair(scene.study())
    waits = scene.newcomer(pair.dialog.study)
    time.passes(250)
    presence.drop_lease()
    before = Seat.objects.get(pk=waits.pk).due_at
    time.without_us(120)
    assert pair.reload().ended_at is None
    after = Seat.objects.get(pk=waits.pk).due_at
    assert before is not None
    assert after is not None
    assert timedelta(seconds=119) < after - before < timedelta(seconds=125)
    for seat in (pair.questioner, pair.answerer, waits):
        scene.arrive(seat.participation)
    time.passes(40)
    assert pair.reload().ended_at is None
    time.passes(12)
    assert pair.reload().ended_at is not None


def test_only_one_of_many_processes_sweeps_at_a_time(time: Time) -> None:
    Pair(scene.study())
    with clock.travel(timedelta(seconds=3)):
        assert deadlines._take_turn()
        assert not deadlines._take_turn()


def test_a_broken_row_does_not_stop_the_sweep(
    time: Time, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken, sound = Pair(scene.study()), Pair(scene.study())
    real = deadlines.lock_dialog

    def breaks(dialog_id: int) -> Dialog | None:
        if dialog_id == broken.dialog.pk:
            raise ValueError("a row nobody understands")
        return real(dialog_id)

    monkeypatch.setattr(deadlines, "lock_dialog", breaks)
    with caplog.at_level(logging.ERROR):
        time.passes(301)
    assert sound.reload().ended_at is not None
    assert broken.reload().ended_at is None
    assert "the sweep goes on" in caplog.text


# Waiting


def test_who_waited_long_enough_may_end_paid_and_not_before(time: Time) -> None:
    seat = scene.newcomer(scene.study())
    time.passes(350)
    with refused(Code.TOO_EARLY):
        dialogs.end_waiting(seat.pk)
    time.passes(11)
    assert state(seat) == SeatState.WAITING, "nobody is thrown out"
    dialogs.end_waiting(seat.pk)
    assert end_of(seat)[0] == Outcome.NO_PARTNER
    assert Participation.objects.get(pk=seat.participation_id).waited_seconds in range(360, 365)


def test_the_fourth_wait_of_a_day_needs_somebody_who_waits(time: Time) -> None:
    study = scene.study()
    worker = factories.worker(external_id="patient")
    for _ in range(3):
        factories.participation(study, worker, outcome=Outcome.NO_PARTNER)
    identity = admission.Identity("link", "live", "patient")
    with pytest.raises(admission.NotAdmitted, match="nobody_waits"):
        admission.admit(study, identity)
    scene.newcomer(study)
    assert admission.admit(study, identity).is_new
    assert snapshot.of(scene.newcomer(study).pk).wait.ends_left == 3  # type: ignore[union-attr]


def test_the_estimate_is_the_median_of_recent_waits_or_silence(time: Time) -> None:
    study = scene.study()
    seat = scene.newcomer(study)
    assert snapshot.of(seat.pk).wait.typical is None  # type: ignore[union-attr]
    for waited in (10, 20, 30, 400, 500):
        factories.participation(study, waited_seconds=waited, started_at=clock.now(), outcome=Outcome.COMPLETE)
    waiting_room._typical_wait.cache_clear()
    assert snapshot.of(seat.pk).wait.typical == 30  # type: ignore[union-attr]


@pytest.mark.parametrize(("change", "why"), [(State.PAUSED, Why.STUDY_PAUSED), (State.CLOSED, Why.STUDY_CLOSED)])
def test_who_waits_in_a_study_that_stops_is_told_why(time: Time, change: State, why: Why) -> None:
    study = scene.study()
    seat = scene.newcomer(study)
    study.state = change
    study.save()
    time.passes(2)
    assert end_of(seat) == (Outcome.STUDY_ENDED, Fault.US, why)


def test_a_paused_study_lets_dialogs_finish(time: Time) -> None:
    study = scene.study(rounds=1)
    pair = Pair(study)
    study.state = State.PAUSED
    study.save()
    time.passes(2)
    pair.rounds(1)
    pair.say("summarise")
    assert pair.reload().is_complete


def test_a_draining_study_pairs_who_is_inside_and_lets_the_last_one_go(time: Time) -> None:
    study = scene.study(videos=3, rounds=1)
    first, second = scene.newcomer(study), scene.newcomer(study)
    study.state = State.DRAIN
    study.save()
    time.passes(2)
    (dialog,) = waiting_room.pair_waiting(study.pk)
    assert {seat.pk for seat in dialog.seats.all()} == {first.pk, second.pk}
    last = scene.newcomer(study)  # who had confirmed before
    learning = factories.participation(study, is_learning=True)
    time.passes(2)
    assert state(last) == SeatState.WAITING, "one more is on the way to the waiting room"
    Participation.objects.filter(pk=learning.pk).update(outcome=Outcome.LEFT, ended_at=clock.now(), fault=Fault.WORKER)
    time.passes(2)
    assert end_of(last) == (Outcome.STUDY_ENDED, Fault.US, Why.STUDY_PAUSED)
    assert state(first) == SeatState.PAIRED


def test_who_waits_when_the_videos_run_out_is_told_why(time: Time) -> None:
    study = scene.study(videos=1, dialogs_per_video=1)
    third = scene.newcomer(study)
    scene.newcomer(study)
    fourth = scene.newcomer(study)
    waiting_room.pair_waiting(study.pk)
    time.passes(2)
    assert end_of(fourth) == (Outcome.STUDY_ENDED, Fault.US, Why.NO_VIDEO_LEFT)
    assert state(third) == SeatState.PAIRED


def test_who_has_seen_every_video_is_told_so(time: Time) -> None:
    study = scene.study(videos=1)
    pair = Pair(study)
    dialogs.leave(pair.questioner.pk)
    dialogs.choose(pair.answerer.pk, wait=False)
    back = scene.arrive(factories.participation(study, pair.answerer.worker))
    time.passes(6)
    assert end_of(back) == (Outcome.STUDY_ENDED, Fault.US, Why.ALL_SEEN)


def test_the_place_of_who_does_not_come_back_to_the_waiting_room_is_freed(time: Time) -> None:
    seat = scene.newcomer(scene.study())
    time.passes(300)
    scene.vanish(seat)
    time.passes(200)
    assert state(seat) == SeatState.WAITING
    time.passes(200)
    assert end_of(seat)[::2] == (Outcome.LEFT, Why.NEVER_CAME)


def test_the_place_of_who_confirmed_and_never_came_is_freed(time: Time) -> None:
    participation = factories.participation(scene.study())
    time.passes(300)
    participation.refresh_from_db()
    assert participation.outcome == ""
    time.passes(61)
    participation.refresh_from_db()
    assert (participation.outcome, participation.why) == (Outcome.LEFT, Why.NEVER_CAME)


def test_a_page_that_polls_is_here_until_it_stops_polling(time: Time) -> None:
    study = scene.study()
    participation = factories.participation(study)
    arrival = dialogs.arrive(admission.token_of(participation), "poll-abc", polls=True)
    seats = Seat.objects.filter(pk=arrival.seat_id)
    assert presence.present(seats).exists()
    with clock.travel(timedelta(seconds=30)):
        assert not presence.present(seats).exists()


# Reports


@pytest.mark.parametrize("role", ["questioner", "answerer"])
def test_a_reported_partner_is_not_blamed_before_a_person_has_looked(time: Time, role: str) -> None:
    pair = Pair(scene.study())
    dialogs.report(getattr(pair, role).pk, About.PARTNER, "rude")
    for seat in (pair.questioner, pair.answerer):
        assert end_of(seat) == (Outcome.PARTNER_LEFT, Fault.NOBODY, Why.PARTNER_REPORTED)
    assert Report.objects.get().looked_at is None


def test_a_reported_video_is_held_in_the_study_and_after_two_reports_everywhere(time: Time) -> None:
    study = scene.study(videos=1)
    pair = Pair(study)
    dialogs.report(pair.answerer.pk, About.VIDEO, "no_sound")
    for seat in (pair.questioner, pair.answerer):
        assert end_of(seat) == (Outcome.TECHNICAL_FAILURE, Fault.US, Why.VIDEO_REPORTED)
    assert not videos.any_left(study, simulated=False)
    other = scene.study(videos=0)
    StudyVideo.objects.create(study=other, video=pair.dialog.video)
    second = Pair(other)
    assert not Video.objects.get().is_held
    dialogs.report(second.questioner.pk, About.VIDEO, "disturbing")
    assert Video.objects.get().is_held
    videos.release(StudyVideo.objects.filter(study=study))
    assert videos.any_left(study, simulated=False)


def test_who_has_ended_can_report_no_more(time: Time) -> None:
    pair = Pair(scene.study())
    dialogs.leave(pair.questioner.pk)
    with refused(Code.OVER):
        dialogs.report(pair.questioner.pk, About.PARTNER, "rude")
    assert not Report.objects.exists()
