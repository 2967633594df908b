"""Who meets whom, about which video, in which role? Pairing is one transaction under the study's row lock."""

import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from statistics import median
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models import Exists, F, Max, OuterRef, Q, Value
from django.db.models.functions import Coalesce

from chat import presence, times
from chat.models import Dialog, Role, Seat, SeatState
from chat.rules import Code, Refusal
from collector.catalogue.models import Video
from collector.lib import clock, meters
from collector.studies import versions, videos
from collector.studies.models import Kind, Outcome, Participation, State, Study, StudyVersion, Why

MEET_AGAIN_AFTER = timedelta(seconds=60)
"""Partners who have met are paired again only when both have waited this long."""

LOOK_AT_VIDEOS_AFTER = timedelta(seconds=5)
"""Only then is it asked whether a waiting worker has seen all: most are paired at once."""

MOST_TRIED = 20
"""With how many partners a seat is tried when the videos left have been seen by one of the two."""


def enter(participation: Participation) -> Seat:
    """Return the participation's open seat, or a new one in the waiting room. Raises Refusal when it has ended."""
    with transaction.atomic():
        locked = Participation.objects.select_for_update().get(pk=participation.pk)
        if locked.is_learning or not _is_for_two(participation.version):
            raise Refusal(Code.BAD_LINK)
        seats = Seat.objects.filter(participation=locked)
        if found := seats.exclude(state=SeatState.CLOSED).first():
            return found
        if locked.ended_at is not None:
            raise Refusal(Code.OVER)
        number = (seats.aggregate(last=Max("number"))["last"] or 0) + 1
        seat = _new_seat(locked, participation.version, number)
        seat.save()
        return seat


def enter_all(arrivals: dict[Participation, str]) -> dict[int, Seat | Refusal]:
    """Give participations their seats as ``enter`` does, each to the socket it comes with; by the participation's id.

    One transaction for all; who is locked elsewhere, or would fail the others, is taken alone afterwards.
    """
    try:
        entered = _enter_together(arrivals)
    except DatabaseError:
        entered = {}
    for participation, name in arrivals.items():
        if participation.pk in entered:
            continue
        try:
            entered[participation.pk] = seat = enter(participation)
        except Refusal as refusal:
            entered[participation.pk] = refusal
        else:
            presence.take(seat.pk, name)
    return entered


def _enter_together(arrivals: dict[Participation, str]) -> dict[int, Seat | Refusal]:
    names = {participation.pk: name for participation, name in arrivals.items()}
    entered: dict[int, Seat | Refusal] = {}
    can_skip = connection.features.has_select_for_update_skip_locked
    with transaction.atomic():
        rows = Participation.objects.select_for_update(skip_locked=can_skip).filter(pk__in=names).order_by("pk")
        locked = {participation.pk: participation for participation in rows}
        numbers: Counter[int] = Counter()
        open_already = []
        for seat in Seat.objects.filter(participation__in=locked):
            numbers[seat.participation_id] = max(numbers[seat.participation_id], seat.number)
            if seat.state != SeatState.CLOSED:
                entered[seat.participation_id] = seat
                open_already.append(seat)
        agreed = StudyVersion.objects.in_bulk({each.version_id for each in locked.values()})
        new = []
        for pk, participation in locked.items():
            if pk in entered:
                continue
            if participation.ended_at is not None:
                entered[pk] = Refusal(Code.OVER)
                continue
            participation.version = agreed[participation.version_id]
            if participation.is_learning or not _is_for_two(participation.version):
                entered[pk] = Refusal(Code.BAD_LINK)
                continue
            seat = _new_seat(participation, participation.version, numbers[pk] + 1)
            seat.process, seat.connection, seat.away_since = presence.PROCESS, names[pk], None
            new.append(seat)
        entered |= {seat.participation_id: seat for seat in Seat.objects.bulk_create(new)}
    # Without the participations' locks: pairing takes these after the seats'.
    for seat in open_already:
        presence.take(seat.pk, names[seat.participation_id])
    return entered


def _is_for_two(version: StudyVersion) -> bool:
    """Tell whether a study's workers meet in the waiting room: those of other kinds have pages of their own."""
    return bool(versions.content_of(version)["kind"] == Kind.DIALOG)


def _new_seat(participation: Participation, version: StudyVersion, number: int) -> Seat:
    """Return an unsaved seat in the waiting room, nobody there yet. Who comes again is first in line."""
    now = clock.now()
    return Seat(
        participation=participation,
        study_id=participation.study_id,
        worker_id=participation.worker_id,
        number=number,
        is_simulated=participation.is_simulated,
        rules_digest=version.rules_digest,
        entered_at=now,
        due_at=now + longest_of(versions.content_of(version)),
        away_since=now,
        is_first_in_line=number > 1,
    )


def longest_wait(participation: Participation) -> timedelta:
    """Return how long a worker waits before they may end as no_partner. Reads the participation's version."""
    return longest_of(versions.content_of(participation.version))


def longest_of(content: dict[str, Any]) -> timedelta:
    """Return how long those wait who were shown a version with this content."""
    return timedelta(minutes=content["longest_wait_minutes"])


def typical_wait(study_id: int) -> float | None:
    """Return the median of the study's recent waits in seconds, None when fewer than five are known.

    Recent are the last 50 of a day, of people who met a partner or gave up waiting: leaving those out would flatter.
    Asked again every 15 seconds, however many arrive.
    """
    return _typical_wait(study_id, int(time.monotonic() / 15))


@lru_cache(maxsize=64)
def _typical_wait(study_id: int, moment: int) -> float | None:
    since = clock.now() - timedelta(days=1)
    known = Q(started_at__gte=since) | Q(started_at__isnull=True, outcome=Outcome.NO_PARTNER, ended_at__gte=since)
    recent = Participation.objects.filter(known, study=study_id, is_simulated=False).order_by("-confirmed_at")
    waits = list(recent.values_list("waited_seconds", flat=True)[:50])
    return float(median(waits)) if len(waits) >= 5 else None


def stopped(study: Study, *, simulated: bool) -> Why | None:
    """Say why nobody who waits in a study will be paired any more, whatever videos are left; None while they may be."""
    if not study.runs_for(simulated=simulated):
        return Why.STUDY_PAUSED if study.state == State.PAUSED else Why.STUDY_CLOSED
    is_last = study.state == State.DRAIN and not _may_meet(study, simulated=simulated)
    return Why.STUDY_PAUSED if is_last else None


def no_hope(seat: Seat) -> Why | None:
    """Say why a waiting seat will get no partner any more, or None while there is hope."""
    study = seat.study
    if why := stopped(study, simulated=seat.is_simulated):
        return why
    if not videos.any_left(study, simulated=seat.is_simulated):
        return Why.NO_VIDEO_LEFT
    if not videos.unseen_by(study, seat.worker_id, simulated=seat.is_simulated).exists():
        return Why.ALL_SEEN
    return None


def _may_meet(study: Study, *, simulated: bool) -> bool:
    """Tell whether two people are inside who are in no dialog: in a study that drains nobody else comes."""
    inside = Participation.objects.filter(study=study, outcome="", is_simulated=simulated)
    return inside.exclude(seats__state=SeatState.PAIRED).count() >= 2


def hopeless() -> list[int]:
    """Return the waiting seats that will get no partner any more."""
    found: list[int] = []
    studies = Study.objects.filter(seats__state=SeatState.WAITING).distinct()
    for study in studies:
        waiting = Seat.objects.filter(study=study, state=SeatState.WAITING).order_by("pk")
        for simulated in (False, True):
            theirs = waiting.filter(is_simulated=simulated)
            if stopped(study, simulated=simulated) or not videos.any_left(study, simulated=simulated):
                found += theirs.values_list("pk", flat=True)
            else:
                settled = theirs.filter(entered_at__lte=clock.now() - LOOK_AT_VIDEOS_AFTER)
                unseen = videos.unseen_by(study, OuterRef(OuterRef("worker")), simulated=simulated)
                found += settled.exclude(Exists(unseen)).values_list("pk", flat=True)
    return found


def obstacle(first: Seat, second: Seat, met: set[tuple[int, int]]) -> str:
    """Say why two waiting seats cannot be paired yet; empty when they can. Videos are asked about afterwards."""
    if first.worker_id == second.worker_id:
        return "They are the same worker."
    if first.is_simulated != second.is_simulated:
        return "One is a program and the other is not."
    if first.rules_digest != second.rules_digest:
        return "They were shown different rules: the study was edited between them."
    pair = (min(first.worker_id, second.worker_id), max(first.worker_id, second.worker_id))
    if pair in met and clock.now() - max(first.entered_at, second.entered_at) < MEET_AGAIN_AFTER:
        return f"They have met before; they meet again when both have waited {MEET_AGAIN_AFTER.seconds} seconds."
    return ""


def pair_waiting(study_id: int) -> list[Dialog]:
    """Pair all who can be paired in a study, oldest first; return the new dialogs.

    Takes the study's row lock, so that two processes cannot pair one seat twice. Where another process is pairing, it
    does nothing: waiting for a lock would hold up this process's dialogs, and the sweep comes again.
    """
    made: list[Dialog] = []
    can_skip = connection.features.has_select_for_update_skip_locked
    with transaction.atomic():
        study = Study.objects.select_for_update(skip_locked=can_skip).filter(pk=study_id).first()
        if study is None or not study.runs_for(simulated=True):
            return made
        seats = Seat.objects.select_for_update(of=("self",)).filter(study=study, state=SeatState.WAITING)
        if not study.is_running:
            seats = seats.filter(is_simulated=True)
        waiting = list(presence.present(seats).order_by("-is_first_in_line", "entered_at", "pk"))
        if len(waiting) < 2:
            return made
        workers = [seat.worker_id for seat in waiting]
        met = videos.met_pairs(study, workers)
        shelf = videos.Shelf(study, workers)
        pairs: list[tuple[Seat, Seat, int]] = []
        while waiting and shelf.any_left(simulated=waiting[0].is_simulated):
            first = waiting.pop(0)
            possible = (second for second in waiting if not obstacle(first, second, met))
            for second in islice(possible, MOST_TRIED):
                video = shelf.take((first.worker_id, second.worker_id), simulated=first.is_simulated)
                if video is not None:
                    waiting.remove(second)
                    pairs.append((first, second, video))
                    break
        shelf.save()
        return _seat_pairs(study, pairs, _questioner_turns(study, workers)) if pairs else made


def _questioner_turns(study: Study, workers: Iterable[int]) -> Counter[int]:
    """Return how much more often each worker was Questioner than Answerer in the collection."""
    turns: Counter[int] = Counter()
    past = Seat.objects.filter(study__collection=study.collection_id, worker__in=set(workers)).exclude(role="")
    for worker, role in past.values_list("worker", "role"):
        turns[worker] += 1 if role == Role.QUESTIONER else -1
    return turns


def _seat_pairs(study: Study, pairs: list[tuple[Seat, Seat, int]], turns: Counter[int]) -> list[Dialog]:
    """Give pairs of seats, each with its video, a dialog and roles; a few statements for all of them."""
    now = clock.now()
    parts = Participation.objects.in_bulk([first.participation_id for first, _, _ in pairs])
    contents = {each.pk: versions.content_of(each) for each in StudyVersion.objects.filter(study=study)}
    durations = dict(Video.objects.filter(pk__in={video for _, _, video in pairs}).values_list("pk", "duration"))
    dialogs = Dialog.objects.bulk_create(
        _new_dialog(study, first, video, contents[parts[first.participation_id].version_id], durations[video], now)
        for first, _, video in pairs
    )
    videos.remember_meetings(study, [(video, first.worker_id, second.worker_id) for first, second, video in pairs])
    seats: list[Seat] = []
    waited: defaultdict[int, list[int]] = defaultdict(list)
    for (first, second, _), dialog in zip(pairs, dialogs, strict=True):
        if not first.is_simulated:
            meters.pairings.inc()
        leaning = turns[first.worker_id] - turns[second.worker_id]
        first_asks = leaning < 0 if leaning else random.random() < 0.5
        for seat, asks in ((first, first_asks), (second, not first_asks)):
            seat.dialog, seat.role = dialog, Role.QUESTIONER if asks else Role.ANSWERER
            seats.append(seat)
            seconds = (now - seat.entered_at).total_seconds()
            waited[int(seconds)].append(seat.participation_id)
            if not seat.is_simulated:
                meters.waiting.observe(seconds)
    Seat.objects.bulk_update(seats, ["dialog", "role"], batch_size=100)
    Seat.objects.filter(pk__in=[seat.pk for seat in seats]).update(state=SeatState.PAIRED, paired_at=now, due_at=None)
    for whole, theirs in waited.items():
        Participation.objects.filter(pk__in=theirs).update(
            started_at=Coalesce("started_at", Value(now)), waited_seconds=F("waited_seconds") + whole
        )
    return dialogs


def _new_dialog(
    study: Study, first: Seat, video: int, version: dict[str, Any], duration: float, now: datetime
) -> Dialog:
    allowed = times.of(version, duration)
    turn_over = now + timedelta(seconds=allowed["turn"])
    return Dialog(
        study=study,
        video_id=video,
        is_simulated=first.is_simulated,
        is_counted=not first.is_simulated,
        rounds=version["rounds"],
        limits=limits_of(version),
        times=allowed,
        turn_due_at=turn_over,
        turn_latest_at=turn_over + timedelta(seconds=allowed["typing"]),
        due_at=now + timedelta(seconds=allowed["dialog"]),
        started_at=now,
    )


def limits_of(version: dict[str, Any]) -> dict[str, Any]:
    """Return a version's limits under the names of chat.protocol.Limits."""
    return {
        "language": version["language"],
        "least_question": version["least_question_words"],
        "least_answer": version["least_answer_words"],
        "least_summary": version["least_summary_words"],
        "longest_text": version["longest_text"],
        "longest_summary": version["longest_summary"],
    }
