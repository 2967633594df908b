"""Pairing: who meets whom, once, also when everybody comes at the same moment."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections

from chat import presence, waiting_room
from chat.models import Dialog, Role, Seat, SeatState
from chat.reasons import Room
from collector.lib import clock
from collector.studies.models import Participation, Study, StudyVideo, Worker
from tests import factories


def offer(study: Study, videos: int, wanted: int | None = None) -> None:
    for _ in range(videos):
        StudyVideo.objects.create(study=study, video=factories.video(), wanted=wanted)


def arrive(study: Study, worker: Worker | None = None, **fields: object) -> Seat:
    seat = waiting_room.enter(factories.participation(study, worker, **fields))
    presence.renew_lease()
    presence.take(seat.pk, presence.new_connection())
    seat.refresh_from_db()
    return seat


@pytest.mark.django_db
def test_two_who_wait_get_a_dialog_roles_and_a_video() -> None:
    study = factories.study()
    offer(study, 1, wanted=1)
    arrive(study), arrive(study)
    (dialog,) = waiting_room.pair_waiting(study.pk)
    assert set(dialog.seats.values_list("role", flat=True)) == {Role.QUESTIONER, Role.ANSWERER}
    assert StudyVideo.objects.get().started == 1


@pytest.mark.django_db
def test_oldest_waiting_first() -> None:
    study = factories.study()
    offer(study, 1)
    seats = [arrive(study) for _ in range(3)]
    waiting_room.pair_waiting(study.pk)
    assert [Seat.objects.get(pk=s.pk).state for s in seats] == [SeatState.PAIRED, SeatState.PAIRED, SeatState.WAITING]


@pytest.mark.django_db
def test_a_killed_process_strands_nobody_with_the_dead() -> None:
    study = factories.study()
    offer(study, 1)
    dead, first, second = arrive(study), arrive(study), arrive(study)
    Seat.objects.filter(pk=dead.pk).update(process="gone")
    waiting_room.pair_waiting(study.pk)
    assert set(Dialog.objects.get().seats.values_list("pk", flat=True)) == {first.pk, second.pk}


@pytest.mark.django_db
def test_a_program_and_a_person_never_meet() -> None:
    study = factories.study()
    offer(study, 3)
    person, program = arrive(study), arrive(study, is_simulated=True)
    assert waiting_room.pair_waiting(study.pk) == []
    assert "program" in Room(study).why_not(person, program)


@pytest.mark.django_db
def test_simulated_dialogs_use_up_no_video() -> None:
    study = factories.study()
    offer(study, 1, wanted=1)
    arrive(study, is_simulated=True), arrive(study, is_simulated=True)
    assert len(waiting_room.pair_waiting(study.pk)) == 1
    assert StudyVideo.objects.get().started == 0


@pytest.mark.django_db
def test_programs_talk_about_all_videos_before_one_comes_again() -> None:
    study = factories.study()
    offer(study, 6)
    for crowd in (8, 4, 2):
        for _ in range(crowd):
            arrive(study, is_simulated=True)
        waiting_room.pair_waiting(study.pk)
    assert sorted(Counter(Dialog.objects.values_list("video", flat=True)).values()) == [1, 1, 1, 1, 1, 2]


@pytest.mark.django_db
def test_nobody_is_given_a_video_they_have_seen() -> None:
    study = factories.study()
    offer(study, 1)
    workers = [factories.worker(), factories.worker(), factories.worker()]
    arrive(study, workers[0]), arrive(study, workers[1])
    assert len(waiting_room.pair_waiting(study.pk)) == 1
    Seat.objects.update(state=SeatState.CLOSED)
    Participation.objects.update(ended_at=clock.now(), outcome="left")
    first, third = arrive(study, workers[0]), arrive(study, workers[2])
    assert waiting_room.pair_waiting(study.pk) == []
    assert Room(study).why_not(first, third) == "No video is left that neither has seen."
    offer(study, 1)
    (dialog,) = waiting_room.pair_waiting(study.pk)
    assert {s.worker_id for s in dialog.seats.all()} == {workers[0].pk, workers[2].pk}


@pytest.mark.django_db
def test_partners_meet_again_only_after_both_have_waited() -> None:
    study = factories.study()
    offer(study, 2)
    workers = [factories.worker(), factories.worker()]
    for worker in workers:
        arrive(study, worker)
    assert len(waiting_room.pair_waiting(study.pk)) == 1
    Seat.objects.update(state=SeatState.CLOSED)
    Participation.objects.update(ended_at=clock.now(), outcome="left")
    first, second = (arrive(study, worker) for worker in workers)
    assert waiting_room.pair_waiting(study.pk) == []
    assert "met before" in Room(study).why_not(first, second)
    with clock.travel(waiting_room.MEET_AGAIN_AFTER + timedelta(seconds=1)):
        presence.renew_lease()
        assert len(waiting_room.pair_waiting(study.pk)) == 1


@pytest.mark.django_db
def test_who_asked_last_time_answers_next() -> None:
    study = factories.study()
    offer(study, 4)
    worker = factories.worker()
    for _ in range(2):
        arrive(study, worker), arrive(study)
        waiting_room.pair_waiting(study.pk)
        Seat.objects.update(state=SeatState.CLOSED)
        Participation.objects.update(ended_at=clock.now(), outcome="left")
    assert set(Seat.objects.filter(worker=worker).values_list("role", flat=True)) == {Role.QUESTIONER, Role.ANSWERER}


@pytest.mark.django_db
def test_an_empty_pool_pairs_nobody_and_says_why() -> None:
    study = factories.study()
    first, second = arrive(study), arrive(study)
    assert waiting_room.pair_waiting(study.pk) == []
    assert "No video" in Room(study).why_not(first, second)


@pytest.mark.django_db
def test_the_same_worker_in_two_windows_lands_in_one_seat() -> None:
    participation = factories.participation()
    assert waiting_room.enter(participation) == waiting_room.enter(participation)
    assert Seat.objects.count() == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_200_simultaneous_arrivals_make_no_double_seat_and_no_video_over_its_number() -> None:
    study = factories.study()
    offer(study, 40, wanted=2)
    entering = [factories.participation(study) for _ in range(200)]
    presence.renew_lease()

    def come(participation: Participation) -> None:
        try:
            for _ in range(2):  # each comes in two windows
                seat = waiting_room.enter(participation)
                presence.take(seat.pk, presence.new_connection())
                waiting_room.pair_waiting(study.pk)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(come, entering))
    waiting_room.pair_waiting(study.pk)
    assert Seat.objects.count() == 200
    assert Dialog.objects.count() == 80  # 40 videos, two each
    in_dialogs = Counter(Seat.objects.filter(dialog__isnull=False).values_list("worker", flat=True))
    assert len(in_dialogs) == 160
    assert set(in_dialogs.values()) == {1}
    assert set(StudyVideo.objects.values_list("started", flat=True)) == {2}
    assert set(Counter(Dialog.objects.values_list("video", flat=True)).values()) == {2}
