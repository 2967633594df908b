"""What happens when a dialog or a seat ends? Outcomes, the video's number, the seats: in one transaction.

Every function that takes a dialog is called with its row locked and open, or only just read as open under the lock.
Who is left alone is not ended: the seat chooses (``SeatState.CHOOSING``) between another partner and a paid end.
"""

from collections import defaultdict
from datetime import timedelta
from typing import Any

from django.db.models import F

from chat.models import Dialog, DialogEvent, Role, Seat, SeatState
from chat.protocol import Times
from chat.rules import Position
from collector.lib import clock
from collector.studies import outcomes
from collector.studies.models import Fault, Outcome, Participation, Why

CHOICE = timedelta(minutes=5)
"""For how long who is left alone may choose; then they end, paid."""


def position(dialog: Dialog, stored: int, watched: bool) -> Position:
    """Return what chat.rules looks at."""
    return Position(stored, dialog.rounds, dialog.ended_at is not None, watched)


def times_of(dialog: Dialog) -> Times:
    """Return the times frozen with a dialog."""
    return Times(**dialog.times)


def close_seat(
    seat: Seat, outcome: Outcome, fault: Fault = Fault.NOBODY, *, why: Why | str = "", reason: str = ""
) -> bool:
    """Close a seat and end its participation; False when it was closed. Call inside a transaction."""
    now = clock.now()
    open_seat = Seat.objects.filter(pk=seat.pk).exclude(state=SeatState.CLOSED)
    if not open_seat.update(state=SeatState.CLOSED, closed_at=now, due_at=None):
        return False
    waited = 0 if seat.dialog_id else int((now - seat.entered_at).total_seconds())
    outcomes.end(seat.participation_id, outcome, fault, why=why, reason=reason, waited_seconds=waited)
    return True


def give_up_waiting(seat: Seat, outcome: Outcome, fault: Fault, *, why: Why | str = "", reason: str = "") -> bool:
    """Close a waiting seat. Who had a partner before was promised the pay for it, whatever ends the second wait."""
    if seat.number > 1:
        return close_seat(seat, Outcome.PARTNER_LEFT, Fault.PARTNER, why=Why.PARTNER_GONE, reason=reason)
    return close_seat(seat, outcome, fault, why=why, reason=reason)


def answers_done(dialogs: list[Dialog]) -> None:
    """End the Answerers' parts: complete with the last answer, whatever becomes of the summary."""
    by_rounds: defaultdict[int, list[int]] = defaultdict(list)
    for dialog in dialogs:
        by_rounds[dialog.rounds].append(dialog.pk)
    for rounds, ids in by_rounds.items():
        _count_rounds(ids, rounds)
    _complete(dialogs, Role.ANSWERER)


def summary_done(dialogs: list[Dialog]) -> None:
    """End complete dialogs."""
    parts = _complete(dialogs, Role.QUESTIONER)
    Participation.objects.filter(pk__in=parts).update(wrote_summary=True)
    Dialog.objects.filter(pk__in=[dialog.pk for dialog in dialogs]).update(
        ended_at=clock.now(), ended_why=Outcome.COMPLETE, is_complete=True, turn_due_at=None, turn_latest_at=None
    )


def _complete(dialogs: list[Dialog], role: Role) -> list[int]:
    """Close the seats of one role as complete, if they are open; return the participations of all of them."""
    seats = Seat.objects.filter(dialog__in=dialogs, role=role).values_list("pk", "participation", "state")
    found = list(seats)
    running = [(pk, part) for pk, part, state in found if state != SeatState.CLOSED]
    now = clock.now()
    Seat.objects.filter(pk__in=[pk for pk, _ in running]).update(state=SeatState.CLOSED, closed_at=now, due_at=None)
    outcomes.end_all([part for _, part in running], Outcome.COMPLETE)
    return [part for _, part, _ in found]


def leave(dialog: Dialog, seat: Seat, reason: str = "") -> None:
    """End a dialog because ``seat`` leaves it."""
    close_seat(seat, Outcome.LEFT, Fault.WORKER, reason=reason)
    _leave_alone(dialog, Why.PARTNER_LEFT)
    _end(dialog, Outcome.LEFT, "left", seat)


def lost(dialog: Dialog, seat: Seat) -> None:
    """End a dialog because the grace of a lost ``seat`` is over. Networks fail: it is nobody's fault."""
    close_seat(seat, Outcome.LEFT, Fault.NOBODY, why=Why.CONNECTION_LOST)
    _leave_alone(dialog, Why.PARTNER_LOST)
    _end(dialog, Outcome.LEFT, "given_up", seat)


def ended_by_survivor(dialog: Dialog, seat: Seat) -> None:
    """End a dialog because ``seat`` does not wait out the long grace of its lost partner."""
    close_seat(seat, Outcome.PARTNER_LEFT, Fault.PARTNER, why=Why.PARTNER_LOST)
    for other in _open_seats(dialog):
        close_seat(other, Outcome.LEFT, Fault.NOBODY, why=Why.CONNECTION_LOST)
    _end(dialog, Outcome.LEFT, "ended_alone", seat)


def turn_over(dialog: Dialog, seat: Seat) -> None:
    """End a dialog because ``seat``, whose move it was, wrote nothing in time."""
    close_seat(seat, Outcome.TIMED_OUT, Fault.WORKER, why=Why.TURN_OVER)
    _leave_alone(dialog, Why.PARTNER_IDLE)
    _end(dialog, Outcome.TIMED_OUT, "turn_over", seat)


def summary_over(dialog: Dialog, seat: Seat) -> None:
    """End a dialog whose Questioner wrote no summary in time."""
    close_seat(seat, Outcome.TIMED_OUT, Fault.WORKER, why=Why.SUMMARY_OVER)
    _end(dialog, Outcome.TIMED_OUT, "summary_over", seat)


def dialog_over(dialog: Dialog) -> None:
    """End a dialog that took as long as it may: nobody's fault, both paid in full."""
    for seat in _open_seats(dialog):
        close_seat(seat, Outcome.TIMED_OUT, Fault.NOBODY, why=Why.DIALOG_OVER)
    _end(dialog, Outcome.TIMED_OUT, "dialog_over", None)


def partner_reported(dialog: Dialog, seat: Seat) -> None:
    """End a dialog for both because ``seat`` reported its partner; nobody is blamed before a person has looked."""
    for each in _open_seats(dialog):
        close_seat(each, Outcome.PARTNER_LEFT, Fault.NOBODY, why=Why.PARTNER_REPORTED)
    _end(dialog, Outcome.PARTNER_LEFT, "reported", seat)


def video_reported(dialog: Dialog, seat: Seat) -> None:
    """End a dialog for both because ``seat`` reported the video."""
    for each in _open_seats(dialog):
        close_seat(each, Outcome.TECHNICAL_FAILURE, Fault.US, why=Why.VIDEO_REPORTED)
    _end(dialog, Outcome.TECHNICAL_FAILURE, "video_reported", seat)


def on_withdrawal(sender: Any, participation_id: int, **_: Any) -> None:
    """Give back, or count again, the videos of the dialogs of who has withdrawn, or has not after all."""
    Dialog.objects.filter(seats__participation=participation_id).recount()


def _open_seats(dialog: Dialog) -> list[Seat]:
    return list(dialog.seats.exclude(state=SeatState.CLOSED).order_by("pk"))


def _leave_alone(dialog: Dialog, why: Why) -> None:
    """Let who is left choose; who is gone, too, ends by how they left."""
    for seat in _open_seats(dialog):
        if seat.away_since is not None and seat.due_at is not None:
            close_seat(seat, Outcome.LEFT, Fault.NOBODY, why=Why.CONNECTION_LOST)
        else:
            Seat.objects.filter(pk=seat.pk).update(
                state=SeatState.CHOOSING, due_at=clock.now() + CHOICE, left_alone_why=why
            )


def _count_rounds(dialogs: list[int], rounds: int) -> None:
    """Add the rounds of dialogs to what their workers have done; pay may depend on it."""
    both = Participation.objects.filter(seats__dialog__in=dialogs)
    Participation.objects.filter(pk__in=list(both.values_list("pk", flat=True))).update(
        rounds_done=F("rounds_done") + rounds
    )


def _end(dialog: Dialog, outcome: Outcome, kind: str, seat: Seat | None) -> None:
    now, version = clock.now(), dialog.version + 1
    Dialog.objects.filter(pk=dialog.pk).update(
        ended_at=now, ended_why=outcome, version=version, turn_due_at=None, turn_latest_at=None
    )
    DialogEvent.objects.create(dialog=dialog, version=version, kind=kind, seat=seat, at=now)
    stored = dialog.utterances.count()
    if stored < 2 * dialog.rounds:
        _count_rounds([dialog.pk], stored // 2)
    Dialog.objects.filter(pk=dialog.pk).recount()
