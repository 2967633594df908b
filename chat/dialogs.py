"""What can a seat do in its dialog? Everything but the texts, which go to the writer."""

from dataclasses import dataclass

from django.db import transaction

from chat import endings, presence, waiting_room
from chat.models import Dialog, DialogEvent, Role, Seat, SeatState
from chat.rules import Code, Refusal
from collector.lib import clock
from collector.lib.tokens import BadToken
from collector.studies.admission import access_participation
from collector.studies.models import Fault, Outcome

_WATCHED_SHARE = 0.9
"""How much of the video the played ranges must cover: players skip a moment here and there."""
_END_SLACK = 1.0  # seconds


@dataclass(frozen=True)
class Arrival:
    """What a socket learns when it says hello."""

    seat_id: int
    study_id: int
    is_waiting: bool


def arrive(token: str, connection: str) -> Arrival:
    """Give a page its seat: the open one, a new one in the waiting room, or the last when all is over.

    Raises Refusal ``bad_link``.
    """
    try:
        participation = access_participation(token)
    except BadToken:
        raise Refusal(Code.BAD_LINK) from None
    try:
        seat = waiting_room.enter(participation)
    except Refusal:
        last = Seat.objects.filter(participation=participation).order_by("-number").first()
        if last is None:
            raise
        return Arrival(last.pk, last.study_id, is_waiting=False)
    presence.take(seat.pk, connection)
    return Arrival(seat.pk, seat.study_id, seat.state == SeatState.WAITING)


def processes_of(dialog_id: int) -> list[str]:
    """Return the processes that hold a dialog's sockets."""
    return list(Seat.objects.filter(dialog=dialog_id).exclude(process="").values_list("process", flat=True))


def covers(ranges: list[tuple[float, float]], duration: float) -> bool:
    """Tell whether played ranges, in seconds, add up to a video watched to its end."""
    played, reached = 0.0, 0.0
    for start, end in sorted((max(0.0, s), min(e, duration)) for s, e in ranges):
        if end > reached:
            played += end - max(start, reached)
            reached = end
    return played >= _WATCHED_SHARE * duration and reached >= duration - _END_SLACK


def watched(seat_id: int, ranges: list[tuple[float, float]]) -> bool:
    """Store that the Answerer has watched; True when it is news. Refuses ranges that do not cover the video."""
    with transaction.atomic():
        seat = Seat.objects.select_related("dialog__video").get(pk=seat_id)
        if seat.dialog is None or seat.role != Role.ANSWERER:
            raise Refusal(Code.WRONG_ROLE)
        if seat.watched_at is not None:
            return False
        if not covers(ranges, seat.dialog.video.duration):
            raise Refusal(Code.WATCH_FIRST)
        dialog = Dialog.objects.select_for_update().get(pk=seat.dialog.pk)
        if dialog.ended_at is not None:
            raise Refusal(Code.OVER)
        news = Seat.objects.filter(pk=seat.pk, watched_at__isnull=True).update(
            watched_at=clock.now(), watched=[list(r) for r in ranges]
        )
        if news:
            _next_version(dialog, "watched", seat)
    return bool(news)


def leave(seat_id: int) -> int | None:
    """Give up a seat for good; return the dialog that ended with it, if one did."""
    with transaction.atomic():
        seat = Seat.objects.select_for_update().get(pk=seat_id)
        if seat.state == SeatState.CLOSED:
            return None
        if seat.dialog_id is None:
            endings.close_seat(seat, Outcome.LEFT, Fault.WORKER)
            return None
    # The dialog's row comes before the seats' everywhere, so that two locks never wait for each other.
    with transaction.atomic():
        dialog = Dialog.objects.select_for_update().get(pk=seat.dialog_id)
        seat.refresh_from_db()
        if dialog.ended_at is None and seat.state != SeatState.CLOSED:
            endings.leave(dialog, seat, dialog.utterances.count())
        return dialog.pk


def _next_version(dialog: Dialog, kind: str, seat: Seat) -> None:
    Dialog.objects.filter(pk=dialog.pk).update(version=dialog.version + 1)
    DialogEvent.objects.create(dialog=dialog, version=dialog.version + 1, kind=kind, seat=seat, at=clock.now())
