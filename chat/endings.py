"""What happens when a dialog or a seat ends? Outcomes, the video's number, the closed seats: in one transaction."""

from chat.models import Dialog, DialogEvent, Role, Seat, SeatState
from chat.rules import Position
from collector.lib import clock
from collector.studies import outcomes, videos
from collector.studies.models import Fault, Outcome


def close_seat(seat: Seat, outcome: Outcome, fault: Fault = Fault.NOBODY) -> None:
    """Close a seat and end its participation. Call inside a transaction."""
    now = clock.now()
    if Seat.objects.filter(pk=seat.pk).exclude(state=SeatState.CLOSED).update(state=SeatState.CLOSED, closed_at=now):
        waited = None if seat.dialog_id else int((now - seat.entered_at).total_seconds())
        outcomes.end(seat.participation_id, outcome, fault, waited_seconds=waited)


def answers_done(dialog: Dialog) -> None:
    """End the Answerer's part: complete with the last answer, whatever becomes of the summary."""
    seat = dialog.seats.get(role=Role.ANSWERER)
    close_seat(seat, Outcome.COMPLETE)


def summary_done(dialog: Dialog) -> None:
    """End a complete dialog."""
    seat = dialog.seats.get(role=Role.QUESTIONER)
    close_seat(seat, Outcome.COMPLETE)
    Dialog.objects.filter(pk=dialog.pk).update(ended_at=clock.now(), ended_why=Outcome.COMPLETE, is_complete=True)


def leave(dialog: Dialog, seat: Seat, stored: int) -> None:
    """End a dialog because ``seat`` leaves it. Call with the dialog's row locked and open."""
    close_seat(seat, Outcome.LEFT, Fault.WORKER)
    for other in dialog.seats.exclude(pk=seat.pk).exclude(state=SeatState.CLOSED):
        close_seat(other, Outcome.PARTNER_LEFT, Fault.PARTNER)
    Dialog.objects.filter(pk=dialog.pk).update(
        ended_at=clock.now(), ended_why=Outcome.LEFT, version=dialog.version + 1
    )
    DialogEvent.objects.create(dialog=dialog, version=dialog.version + 1, kind="left", seat=seat, at=clock.now())
    has_all_rounds = stored >= 2 * dialog.rounds
    if not dialog.is_simulated and (not has_all_rounds or dialog.study.recollect_without_summary):
        videos.give_back(dialog.study_id, dialog.video_id)


def position(dialog: Dialog, stored: int, watched: bool) -> Position:
    """Return what chat.rules looks at."""
    return Position(stored, dialog.rounds, dialog.ended_at is not None, watched)
