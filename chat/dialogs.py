"""What can a seat do in its dialog? Everything but the texts, which go to the writer.

Every function answers with the dialog whose pages are to look again, or None.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta

from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.models import Count

from chat import deadlines, endings, presence, times, waiting_room
from chat.models import About, Dialog, Report, Role, Seat, SeatState, Utterance
from chat.rules import Code, Refusal
from collector.lib import clock
from collector.lib.tokens import BadToken
from collector.studies import videos
from collector.studies.admission import access_participation, access_participations
from collector.studies.models import Fault, Outcome, Participation

_WATCHED_SHARE = 0.9
"""How much of the video the played ranges must cover: players skip a moment here and there."""
_END_SLACK = 1.0  # seconds
_TYPING_STEP = timedelta(seconds=60)


@dataclass(frozen=True)
class Arrival:
    """What a socket learns when it says hello."""

    seat_id: int
    study_id: int
    dialog_id: int | None
    is_waiting: bool


def arrive(token: str, connection: str, *, polls: bool = False) -> Arrival:
    """Give a page its seat: the open one, a new one in the waiting room, or the last when all is over.

    A page that ``polls`` holds no socket. Raises Refusal ``bad_link``.
    """
    try:
        participation = access_participation(token)
    except BadToken:
        raise Refusal(Code.BAD_LINK) from None
    take = presence.take_polling if polls else presence.take
    try:
        seat = waiting_room.enter(participation)
    except Refusal as refusal:
        return _last(participation, refusal, connection, polls=polls)
    take(seat.pk, connection)
    return _seated(seat)


def arrive_all(pages: list[tuple[str, str]]) -> list[Arrival | Exception]:
    """Give each of many sockets, a token and a connection, its seat as ``arrive`` does; or the Refusal it meets."""
    opened = access_participations([token for token, _ in pages])
    found = [(each, page) for each, (_, page) in zip(opened, pages, strict=True) if each is not None]
    seats = waiting_room.enter_all(dict(found))
    arrivals: list[Arrival | Exception] = []
    for participation, (_, page) in zip(opened, pages, strict=True):
        try:
            if participation is None:
                raise Refusal(Code.BAD_LINK)
            seat = seats[participation.pk]
            arrivals.append(_seated(seat) if isinstance(seat, Seat) else _last(participation, seat, page))
        except (Refusal, DatabaseError) as error:  # one of them, say a dialog locked elsewhere, is not the others'
            arrivals.append(error)
    return arrivals


def _seated(seat: Seat) -> Arrival:
    if seat.state == SeatState.PAIRED:
        returned(seat)
    return Arrival(seat.pk, seat.study_id, seat.dialog_id, seat.state == SeatState.WAITING)


def _last(participation: Participation, refusal: Refusal, connection: str, *, polls: bool = False) -> Arrival:
    """Return the last seat of a participation that has ended, or raise the refusal when it had none.

    The page takes it, or it would be taken for an older one before it learns of the end.
    """
    last = Seat.objects.filter(participation=participation).order_by("-number").first()
    if last is None:
        raise refusal
    (presence.take_polling if polls else presence.take)(last.pk, connection)
    return Arrival(last.pk, last.study_id, last.dialog_id, is_waiting=False)


def back(seat_id: int, connection: str, *, polls: bool = False) -> bool:
    """Give a page its seat again, which was taken for dead; False when another page has it by now.

    It is a socket of this process, or one that ``polls``.
    """
    if not presence.take_again(seat_id, connection, polls=polls):
        return False
    seat = Seat.objects.get(pk=seat_id)
    if seat.state == SeatState.PAIRED:
        returned(seat)
    return True


def returned(seat: Seat) -> None:
    """End the grace of a worker who is back. The partner may have held back meanwhile: they get time to go on."""
    if seat.due_at is None:
        return
    with transaction.atomic():
        deadlines.wait_briefly()
        dialog = Dialog.objects.select_for_update(of=("self",)).get(seats=seat.pk)
        back = Seat.objects.filter(pk=seat.pk, state=SeatState.PAIRED, due_at__isnull=False).update(due_at=None)
        if not back or dialog.ended_at is not None:
            return
        deadlines.note(dialog, "returned", seat)
        at_least = clock.now() + timedelta(seconds=endings.times_of(dialog).nudge)
        if dialog.turn_due_at is not None and dialog.turn_due_at < at_least:
            latest = max(at_least, dialog.turn_latest_at or at_least)
            Dialog.objects.filter(pk=dialog.pk).update(turn_due_at=at_least, turn_latest_at=latest)


def processes_of_all(dialog_ids: list[int]) -> list[list[str]]:
    """Return for each dialog the processes that hold its sockets."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    seats = Seat.objects.filter(dialog__in=dialog_ids).exclude(process="")
    for dialog, process in seats.values_list("dialog", "process"):
        if dialog is not None:
            found[dialog].append(process)
    return [found[each] for each in dialog_ids]


def covers(ranges: list[tuple[float, float]], duration: float) -> bool:
    """Tell whether played ranges, in seconds, add up to a video watched to its end."""
    played, reached = 0.0, 0.0
    for start, end in sorted((max(0.0, s), min(e, duration)) for s, e in ranges):
        if end > reached:
            played += end - max(start, reached)
            reached = end
    return played >= _WATCHED_SHARE * duration and reached >= duration - _END_SLACK


Ranges = list[tuple[float, float]]


def watched(seat_id: int, ranges: Ranges) -> int | None:
    """Do what ``watched_all`` does for one seat. Raises Refusal."""
    (result,) = watched_all([(seat_id, ranges)])
    if isinstance(result, Exception):
        raise result
    return result


def watched_all(reports: list[tuple[int, Ranges]]) -> list[int | Exception | None]:
    """Store of seats that they have watched, and start the clocks of answers that wait for it.

    Return for each its dialog, None when it is no news, or a Refusal: ranges must cover the video. One transaction for
    all; a dialog locked elsewhere is done alone afterwards.
    """
    results = _watched_together(dict(reports), skip_locked=True)
    for seat_id, ranges in reports:
        if seat_id not in results:
            try:
                results |= _watched_together({seat_id: ranges}, skip_locked=False)
            except OperationalError:  # the lock is held for long: its page tries again, the others have been served
                results[seat_id] = Refusal(Code.BUSY)
    return [results[seat_id] for seat_id, _ in reports]


def _watched_together(reports: dict[int, Ranges], *, skip_locked: bool) -> dict[int, int | Exception | None]:
    """As ``watched_all``, by seat; without those whose dialog is locked elsewhere, when they are skipped."""
    results: dict[int, int | Exception | None] = {}
    can_skip = skip_locked and connection.features.has_select_for_update_skip_locked
    with transaction.atomic():
        deadlines.wait_briefly()
        due: dict[int, Seat] = {}
        for seat in Seat.objects.select_related("dialog__video").filter(pk__in=reports):
            if seat.dialog is None or seat.role != Role.ANSWERER:
                results[seat.pk] = Refusal(Code.WRONG_ROLE)
            elif seat.watched_at is not None:
                results[seat.pk] = None
            elif not covers(reports[seat.pk], seat.dialog.video.duration):
                results[seat.pk] = Refusal(Code.WATCH_FIRST)
            else:
                due[seat.dialog.pk] = seat
        rows = Dialog.objects.select_for_update(skip_locked=can_skip).filter(pk__in=due).order_by("pk")
        locked = {dialog.pk: dialog for dialog in rows}
        under_lock = Seat.objects.in_bulk([due[pk].pk for pk in locked])
        news: list[tuple[Dialog, Seat]] = []
        for pk, dialog in locked.items():
            seat = under_lock[due[pk].pk]
            if dialog.ended_at is not None or seat.state != SeatState.PAIRED:
                results[seat.pk] = Refusal(Code.OVER)
            elif seat.watched_at is not None:
                results[seat.pk] = None
            else:
                seat.watched_at, seat.watched = clock.now(), [list(each) for each in reports[seat.pk]]
                results[seat.pk] = pk
                news.append((dialog, seat))
        Seat.objects.bulk_update([seat for _, seat in news], ["watched_at", "watched"])
        deadlines.note_all([(dialog, "watched", seat) for dialog, seat in news])
        _start_answers([dialog for dialog, _ in news])
    return results


def _start_answers(dialogs: list[Dialog]) -> None:
    """Start the clocks of the answers that have waited for the video."""
    counts = dict(Utterance.objects.filter(dialog__in=dialogs).order_by().values_list("dialog").annotate(Count("pk")))
    same: defaultdict[tuple[float, float], list[int]] = defaultdict(list)
    for dialog in dialogs:
        stored = counts.get(dialog.pk, 0)
        if stored % 2:
            allowed = endings.times_of(dialog)
            seconds = times.turn(allowed, stored, dialog.rounds, watched=True) or 0
            same[seconds, allowed.typing].append(dialog.pk)
    for (seconds, typing), ids in same.items():
        over = clock.now() + timedelta(seconds=seconds)
        Dialog.objects.filter(pk__in=ids).update(turn_due_at=over, turn_latest_at=over + timedelta(seconds=typing))


def typing(dialog_id: int, role: str) -> bool:
    """Give whoever is typing while their turn runs out a minute more, as often as the study allows; True if so."""
    now = clock.now()
    soon = now + _TYPING_STEP
    with transaction.atomic():
        dialog = deadlines.lock_dialog(dialog_id)
        if dialog is None or dialog.turn_due_at is None or dialog.turn_latest_at is None:
            return False
        mover = Role.ANSWERER if dialog.utterances.count() % 2 else Role.QUESTIONER
        until = min(soon, dialog.turn_latest_at)
        if role != mover or until - dialog.turn_due_at < timedelta(seconds=1):
            return False
        Dialog.objects.filter(pk=dialog_id).update(turn_due_at=until)
        return True


def leave(seat_id: int, reason: str = "") -> int | None:
    """Give up a seat for good. Who has been left by their partner leaves no one: they end as that."""
    with transaction.atomic():
        seat = Seat.objects.select_for_update().get(pk=seat_id)
        if seat.state == SeatState.WAITING:
            endings.give_up_waiting(seat, Outcome.LEFT, Fault.WORKER, reason=reason)
        elif seat.state == SeatState.CHOOSING:
            endings.close_seat(seat, Outcome.PARTNER_LEFT, Fault.PARTNER, why=seat.left_alone_why, reason=reason)
        if seat.state != SeatState.PAIRED:
            return None
    # The dialog's row comes before the seats' everywhere, so that two locks never wait for each other.
    with transaction.atomic():
        deadlines.wait_briefly()
        dialog = Dialog.objects.select_for_update(of=("self",)).get(seats=seat.pk)
        seat.refresh_from_db()
        if dialog.ended_at is None and seat.state == SeatState.PAIRED:
            endings.leave(dialog, seat, reason)
        return dialog.pk


def end_waiting(seat_id: int) -> None:
    """End as no_partner, which the longest wait must have passed for. Raises Refusal ``too_early``."""
    with transaction.atomic():
        seat = Seat.objects.select_for_update().get(pk=seat_id)
        if seat.state != SeatState.WAITING:
            return
        if seat.due_at is not None and seat.due_at > clock.now():
            raise Refusal(Code.TOO_EARLY)
        endings.give_up_waiting(seat, Outcome.NO_PARTNER, Fault.NOBODY)


def end_alone(seat_id: int) -> int:
    """End, paid, before the long grace of a lost partner is over. Raises Refusal ``too_early`` before the short one."""
    with transaction.atomic():
        seat = Seat.objects.select_related("dialog").get(pk=seat_id)
        dialog = _running(seat)
        partner = dialog.seats.exclude(pk=seat_id).get()
        if partner.due_at is None or may_end_in(dialog, partner) > 0:
            raise Refusal(Code.TOO_EARLY)
        endings.ended_by_survivor(dialog, seat)
        return dialog.pk


def may_end_in(dialog: Dialog, lost: Seat) -> float:
    """Return in how many seconds the partner of a ``lost`` seat may end: when it has been away for the short grace."""
    allowed = endings.times_of(dialog)
    whole = times.grace(allowed, dialog.utterances.count())
    left = (lost.due_at - clock.now()).total_seconds() if lost.due_at else whole
    return left - (whole - allowed.grace)


def choose(seat_id: int, *, wait: bool) -> bool:
    """Take the choice of who was left alone: True when they wait for another partner, first in line."""
    with transaction.atomic():
        seat = (
            Seat.objects.select_for_update(of=("self",))
            .select_related("participation__version", "study")
            .get(pk=seat_id)
        )
        if seat.state != SeatState.CHOOSING:
            return False
        if not wait:
            endings.close_seat(seat, Outcome.PARTNER_LEFT, Fault.PARTNER, why=seat.left_alone_why)
            return False
        if waiting_room.no_hope(seat):
            raise Refusal(Code.NO_MORE_PARTNERS)
        Seat.objects.filter(pk=seat.pk).update(state=SeatState.CLOSED, closed_at=clock.now(), due_at=None)
        waiting_room.enter(seat.participation)
        return True


def report(seat_id: int, about: About, reason: str) -> int:
    """Store what a worker reports, and end the dialog for both. A reported video is held for the researcher."""
    with transaction.atomic():
        seat = Seat.objects.select_related("dialog").get(pk=seat_id)
        dialog = _running(seat)
        Report.objects.create(dialog=dialog, seat=seat, about=about, reason=reason, at=clock.now())
        if about == About.PARTNER:
            endings.partner_reported(dialog, seat)
        else:
            endings.video_reported(dialog, seat)
            same = Report.objects.filter(about=About.VIDEO, dialog__video=dialog.video_id, looked_at__isnull=True)
            videos.hold(dialog.study_id, dialog.video_id, same.values("seat__worker").distinct().count())
        return dialog.pk


def _running(seat: Seat) -> Dialog:
    """Return the seat's dialog, locked. Raises Refusal when there is none, or it is over for the seat."""
    if seat.dialog_id is None:
        raise Refusal(Code.NOT_PAIRED)
    deadlines.wait_briefly()
    dialog = Dialog.objects.select_for_update(of=("self",)).select_related("study").get(pk=seat.dialog_id)
    seat.refresh_from_db(fields=["state"])
    if dialog.ended_at is not None or seat.state != SeatState.PAIRED:
        raise Refusal(Code.OVER)
    return dialog
