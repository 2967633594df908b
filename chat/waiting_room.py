"""Who meets whom, about which video, in which role? Pairing is one transaction under the study's row lock."""

import random
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import Max

from chat import presence
from chat.models import Dialog, Role, Seat, SeatState
from chat.rules import Code, Refusal
from collector.lib import clock
from collector.studies import videos
from collector.studies.models import Participation, Study

MEET_AGAIN_AFTER = timedelta(seconds=60)
"""Partners who have met are paired again only when both have waited this long."""

MOST_TRIED = 20
"""With how many partners a seat is tried when the videos left have been seen by one of the two."""


def enter(participation: Participation) -> Seat:
    """Return the participation's open seat, or a new one in the waiting room. Raises Refusal when it has ended."""
    with transaction.atomic():
        locked = Participation.objects.select_for_update().get(pk=participation.pk)
        seats = Seat.objects.filter(participation=locked)
        if found := seats.exclude(state=SeatState.CLOSED).first():
            return found
        if locked.ended_at is not None:
            raise Refusal(Code.OVER)
        return Seat.objects.create(
            participation=locked,
            study_id=locked.study_id,
            worker_id=locked.worker_id,
            number=(seats.aggregate(last=Max("number"))["last"] or 0) + 1,
            is_simulated=locked.is_simulated,
            rules_digest=participation.version.rules_digest,
            entered_at=clock.now(),
        )


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
        if study is None:
            return made
        waiting = list(
            presence.present(Seat.objects.select_for_update(of=("self",)).filter(study=study, state=SeatState.WAITING))
            .select_related("participation__version")
            .order_by("entered_at", "pk")
        )
        if len(waiting) < 2:
            return made
        workers = [seat.worker_id for seat in waiting]
        met = videos.met_pairs(study, workers)
        turns = _questioner_turns(study, workers)
        while waiting and videos.any_left(study, simulated=waiting[0].is_simulated):
            first = waiting.pop(0)
            possible = [second for second in waiting if not obstacle(first, second, met)]
            for second in possible[:MOST_TRIED]:
                if dialog := _pair(study, first, second, turns):
                    waiting.remove(second)
                    made.append(dialog)
                    break
    return made


def why_not(first: Seat, second: Seat) -> str:
    """Say in a sentence why two waiting seats have not been paired; for the researcher."""
    study = first.study
    workers = [first.worker_id, second.worker_id]
    if reason := obstacle(first, second, videos.met_pairs(study, workers)):
        return reason
    if presence.present(Seat.objects.filter(pk__in=[first.pk, second.pk])).count() < 2:
        return "One of them is not connected."
    with transaction.atomic():
        video = videos.claim(study, workers, simulated=first.is_simulated)
        transaction.set_rollback(True)
    return "" if video else "No video is left that neither has seen."


def _questioner_turns(study: Study, workers: Iterable[int]) -> Counter[int]:
    """Return how much more often each worker was Questioner than Answerer in the collection."""
    turns: Counter[int] = Counter()
    past = Seat.objects.filter(study__collection=study.collection_id, worker__in=set(workers)).exclude(role="")
    for worker, role in past.values_list("worker", "role"):
        turns[worker] += 1 if role == Role.QUESTIONER else -1
    return turns


def _pair(study: Study, first: Seat, second: Seat, turns: Counter[int]) -> Dialog | None:
    """Give two seats a dialog, roles and a video; None when no video is left for them."""
    workers = (first.worker_id, second.worker_id)
    video = videos.claim(study, workers, simulated=first.is_simulated)
    if video is None:
        return None
    now = clock.now()
    version = first.participation.version.content
    dialog = Dialog.objects.create(
        study=study,
        video=video,
        is_simulated=first.is_simulated,
        rounds=version["rounds"],
        limits=_limits(version),
        started_at=now,
    )
    videos.remember_meeting(study, video, *workers)
    leaning = turns[first.worker_id] - turns[second.worker_id]
    first_asks = leaning < 0 if leaning else random.random() < 0.5
    for seat, asks in ((first, first_asks), (second, not first_asks)):
        Seat.objects.filter(pk=seat.pk).update(
            state=SeatState.PAIRED,
            dialog=dialog,
            role=Role.QUESTIONER if asks else Role.ANSWERER,
            paired_at=now,
        )
        Participation.objects.filter(pk=seat.participation_id, started_at__isnull=True).update(
            started_at=now, waited_seconds=int((now - seat.entered_at).total_seconds())
        )
    return dialog


def _limits(version: dict[str, object]) -> dict[str, object]:
    """Return a version's limits under the names of chat.protocol.Limits."""
    return {
        "language": version["language"],
        "least_question": version["least_question_words"],
        "least_answer": version["least_answer_words"],
        "least_summary": version["least_summary_words"],
        "longest_text": version["longest_text"],
        "longest_summary": version["longest_summary"],
    }
