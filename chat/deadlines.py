"""What ran out? Deadlines are columns; every web process sweeps them, and one of them at a time does.

A gap since the last sweep is our downtime: first of all every open deadline moves by it, since it is nobody's fault.
A row that fails is logged, and the sweep goes on with the next.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import DatabaseError, connection, transaction
from django.db.models import F, Q
from django.dispatch import Signal

from chat import endings, presence, times, waiting_room
from chat.models import Dialog, DialogEvent, ProcessLease, Role, Seat, SeatState, Sweep
from collector.lib import clock
from collector.studies import outcomes
from collector.studies.models import Fault, Kind, Outcome, Participation, Why

log = logging.getLogger(__name__)

PERIOD = timedelta(seconds=2)
GAP = timedelta(seconds=10)
"""A longer time without a sweep counts as downtime."""
MOMENT = timedelta(seconds=3)
"""A worker is lost only after this long without a page: a reload or a blip is not shown to the partner."""
SHORTEST_WAIT = timedelta(minutes=1)
LOCK_MILLISECONDS = 500
MOST = 500
"""How many rows of each kind one sweep looks at; the next one goes on."""

downtime = Signal()
"""Sent with ``gap`` where deadlines move by it, in the same transaction: for deadlines of others."""
swept = Signal()
"""Sent after each sweep, by the process whose turn it was: for deadlines of others."""


@dataclass
class Swept:
    """What a sweep changed: dialogs and seats whose pages are to look again."""

    dialogs: set[int] = field(default_factory=set)
    seats: set[int] = field(default_factory=set)


def sweep() -> Swept:
    """End, one by one, what ran out. Does nothing when another process has just swept."""
    found = Swept()
    if not _take_turn():
        return found
    presence.notice_the_dead()
    now = clock.now()
    running = Q(dialog__ended_at__isnull=True, state=SeatState.PAIRED)
    _each(found, _ids(Seat.objects.filter(running, away_since__lte=now - MOMENT, due_at=None)), _lose)
    _each(found, _ids(Seat.objects.filter(running, due_at__lte=now)), _give_up_lost)
    running_dialogs = Dialog.objects.filter(ended_at__isnull=True)
    _each(found, _ids(running_dialogs.filter(turn_due_at__lte=now)), _end_turn)
    _each(found, _ids(running_dialogs.filter(due_at__lte=now)), _end_dialog)
    _each(found, _ids(Seat.objects.filter(state=SeatState.CHOOSING, due_at__lte=now)), _end_choice)
    for seat_id in waiting_room.hopeless():
        _guarded(found, seat_id, _end_hopeless)
    _free_absent(found, now)
    swept.send_robust(Swept)
    return found


def _take_turn() -> bool:
    """Become the sweeping process by compare-and-set, moving the deadlines when nobody has swept for long."""
    with transaction.atomic():
        now = clock.now()
        last = Sweep.objects.first()
        if last is None:
            Sweep.objects.get_or_create(pk=1, defaults={"swept_at": now})
            return True
        if now - last.swept_at < PERIOD / 2:
            return False
        if not Sweep.objects.filter(pk=last.pk, swept_at=last.swept_at).update(swept_at=now):
            return False
        gap = now - last.swept_at
        if gap > GAP:
            log.warning("Nobody swept for %.0f s; all open deadlines move by it.", gap.total_seconds())
            _shift(gap)
    return True


def _shift(gap: timedelta) -> None:
    for name in ("turn_due_at", "turn_latest_at", "due_at"):
        Dialog.objects.filter(ended_at__isnull=True, **{f"{name}__isnull": False}).update(**{name: F(name) + gap})
    for name in ("due_at", "away_since"):
        rows = Seat.objects.exclude(state=SeatState.CLOSED).filter(**{f"{name}__isnull": False})
        rows.update(**{name: F(name) + gap})
    # Who could not poll or renew because we, or the database, were away has as much time again as before.
    Seat.objects.filter(polled_at__isnull=False).update(polled_at=F("polled_at") + gap)
    ProcessLease.objects.update(renewed_at=F("renewed_at") + gap)
    downtime.send(Swept, gap=gap)


def _ids(rows: Iterable[object]) -> list[int]:
    return list(rows.order_by("pk").values_list("pk", flat=True)[:MOST])  # type: ignore[attr-defined]


def _each(swept: Swept, ids: list[int], work: Callable[[int, Swept], None]) -> None:
    for pk in ids:
        _guarded(swept, pk, work)


def _guarded(swept: Swept, pk: int, work: Callable[[int, Swept], None]) -> None:
    try:
        with transaction.atomic():
            work(pk, swept)
    except DatabaseError:
        log.warning("%s waits for the next sweep: row %d", work.__name__, pk, exc_info=True)
    except Exception:
        log.exception("%s failed on row %d; the sweep goes on.", work.__name__, pk)


def wait_briefly() -> None:
    """Give up soon on a lock in this transaction: one thread serves all pages of a process, and pages try again."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = %s", [LOCK_MILLISECONDS])


def lock_dialog(dialog_id: int) -> Dialog | None:
    """Return a dialog with its row locked, or None when it has ended or another holds it: the sweep comes again."""
    can_skip = connection.features.has_select_for_update_skip_locked
    rows = Dialog.objects.select_for_update(skip_locked=can_skip, of=("self",))
    return rows.select_related("study").filter(pk=dialog_id, ended_at__isnull=True).first()


def _seat_in_dialog(seat_id: int) -> tuple[Seat, Dialog] | None:
    """Return a paired seat and its running dialog, locked in the order that everybody keeps: the dialog first."""
    dialog_id = Seat.objects.values_list("dialog", flat=True).get(pk=seat_id)
    dialog = lock_dialog(dialog_id) if dialog_id else None
    if dialog is None:
        return None
    seat = Seat.objects.get(pk=seat_id)
    return (seat, dialog) if seat.state == SeatState.PAIRED else None


def _lose(seat_id: int, swept: Swept) -> None:
    """Start the grace of a seat whose worker is gone. In the summary nobody waits, so there is none."""
    found = _seat_in_dialog(seat_id)
    if found is None or found[0].away_since is None or found[0].due_at is not None:
        return
    seat, dialog = found
    stored = dialog.utterances.count()
    if stored >= 2 * dialog.rounds:
        return
    grace = timedelta(seconds=times.grace(endings.times_of(dialog), stored))
    Seat.objects.filter(pk=seat.pk).update(due_at=clock.now() + grace)
    note(dialog, "lost", seat)
    swept.dialogs.add(dialog.pk)


def _give_up_lost(seat_id: int, swept: Swept) -> None:
    found = _seat_in_dialog(seat_id)
    if found is None:
        return
    seat, dialog = found
    if seat.away_since is not None and seat.due_at is not None and seat.due_at <= clock.now():
        endings.lost(dialog, seat)
        swept.dialogs.add(dialog.pk)


def _end_turn(dialog_id: int, swept: Swept) -> None:
    dialog = lock_dialog(dialog_id)
    if dialog is None or dialog.turn_due_at is None or dialog.turn_due_at > clock.now():
        return
    stored = dialog.utterances.count()
    role = Role.ANSWERER if stored % 2 else Role.QUESTIONER
    seat = dialog.seats.get(role=role)
    partner_is_lost = dialog.seats.exclude(pk=seat.pk).filter(state=SeatState.PAIRED, due_at__isnull=False).exists()
    if stored == 2 * dialog.rounds:
        endings.summary_over(dialog, seat)
    elif partner_is_lost:
        return  # who waits for a lost partner is not idle; the grace decides
    else:
        endings.turn_over(dialog, seat)
    swept.dialogs.add(dialog.pk)


def _end_dialog(dialog_id: int, swept: Swept) -> None:
    """End a dialog that took as long as it may, as soon as the round in progress is answered."""
    dialog = lock_dialog(dialog_id)
    if dialog is None or dialog.due_at is None or dialog.due_at > clock.now():
        return
    stored = dialog.utterances.count()
    if stored % 2 == 0 and stored < 2 * dialog.rounds:
        endings.dialog_over(dialog)
        swept.dialogs.add(dialog.pk)


def _end_choice(seat_id: int, swept: Swept) -> None:
    seat = Seat.objects.select_for_update().get(pk=seat_id)
    if seat.state == SeatState.CHOOSING and seat.due_at is not None and seat.due_at <= clock.now():
        endings.close_seat(seat, Outcome.PARTNER_LEFT, Fault.PARTNER, why=seat.left_alone_why)
        swept.seats.add(seat.pk)


def _end_hopeless(seat_id: int, swept: Swept) -> None:
    seat = Seat.objects.select_for_update().get(pk=seat_id)
    if seat.state == SeatState.WAITING and (why := waiting_room.no_hope(seat)):
        endings.give_up_waiting(seat, Outcome.STUDY_ENDED, Fault.US, why=why)
        swept.seats.add(seat.pk)


def _free_absent(swept: Swept, now: datetime) -> None:
    """Free the places of those who never came to the waiting room, or left it for longer than the longest wait."""
    absent = Seat.objects.filter(state=SeatState.WAITING, away_since__isnull=False, due_at__lte=now)
    for seat_id in _ids(absent.filter(away_since__lte=now - MOMENT)):
        _guarded(swept, seat_id, _free_seat)
    never = Participation.objects.filter(
        ended_at__isnull=True, seats__isnull=True, is_learning=False, study__kind=Kind.DIALOG,
        confirmed_at__lte=now - SHORTEST_WAIT,
    )  # fmt: skip
    for pk in _ids(never):
        _guarded(swept, pk, _free_participation)


def _free_seat(seat_id: int, swept: Swept) -> None:
    seat = Seat.objects.select_for_update(of=("self",)).select_related("participation__version").get(pk=seat_id)
    longest = waiting_room.longest_wait(seat.participation)
    if seat.state != SeatState.WAITING or seat.away_since is None or clock.now() - seat.away_since < longest:
        return
    endings.give_up_waiting(seat, Outcome.LEFT, Fault.NOBODY, why=Why.NEVER_CAME)


def _free_participation(pk: int, swept: Swept) -> None:
    found = Participation.objects.select_for_update(of=("self",)).select_related("version").get(pk=pk)
    is_late = clock.now() - found.confirmed_at >= waiting_room.longest_wait(found)
    if is_late and not Seat.objects.filter(participation=found).exists():
        outcomes.end(found.pk, Outcome.LEFT, Fault.NOBODY, why=Why.NEVER_CAME)


def note(dialog: Dialog, kind: str, seat: Seat) -> None:
    """Store an event of a locked dialog as its next version."""
    note_all([(dialog, kind, seat)])


def note_all(events: list[tuple[Dialog, str, Seat]]) -> None:
    """Store events of different locked dialogs, each as its dialog's next version."""
    now = clock.now()
    Dialog.objects.filter(pk__in=[dialog.pk for dialog, _, _ in events]).update(version=F("version") + 1)
    for dialog, _, _ in events:
        dialog.version += 1
    DialogEvent.objects.bulk_create(
        DialogEvent(dialog=dialog, version=dialog.version, kind=kind, seat=seat, at=now)
        for dialog, kind, seat in events
    )
