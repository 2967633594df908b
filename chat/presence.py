"""Who is here? A seat names the process and the connection of its newest page; a process keeps a lease.

A killed process cannot clear its seats, but its lease runs out, so nobody is paired with the dead. A page without a
socket polls; each poll counts as life.
"""

import secrets
from collections.abc import Collection
from datetime import timedelta

from django.db import connection as database
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from chat.models import ProcessLease, Seat, SeatState
from collector.lib import clock

PROCESS = secrets.token_hex(8)
"""This process's name."""
RENEW_SECONDS = 5
LEASE = timedelta(seconds=15)
POLL = timedelta(seconds=20)
"""How long a page that polls counts as here after its last poll."""
FORGET = timedelta(hours=1)
_GONE = {"process": "", "connection": "", "polled_at": None}


def new_connection() -> str:
    """Return a name for a socket."""
    return secrets.token_hex(8)


def renew_lease() -> None:
    """Say that this process lives, and forget leases of processes long gone."""
    now = clock.now()
    ProcessLease.objects.update_or_create(process=PROCESS, defaults={"renewed_at": now})
    ProcessLease.objects.filter(renewed_at__lt=now - FORGET).delete()


def drop_lease() -> None:
    """Say that this process ends: its sockets are gone."""
    Seat.objects.filter(process=PROCESS).update(away_since=clock.now(), **_GONE)
    ProcessLease.objects.filter(process=PROCESS).delete()


def here() -> Q:
    """Return the condition "this seat's page is there" for seats: a living process holds its socket, or it polls."""
    now = clock.now()
    live = ProcessLease.objects.filter(process=OuterRef("process"), renewed_at__gte=now - LEASE)
    return ~Q(connection="") & (Q(Exists(live)) | Q(polled_at__gte=now - POLL))


def take(seat_id: int, connection: str) -> None:
    """Make ``connection``, a socket of this process, the seat's one page; an older one is told when it notices."""
    Seat.objects.filter(pk=seat_id).update(process=PROCESS, connection=connection, polled_at=None, away_since=None)


def take_again(seat_id: int, connection: str, *, polls: bool = False) -> bool:
    """Take a seat that nobody has; False when a newer page was quicker, perhaps at another process."""
    free = Seat.objects.filter(pk=seat_id, connection="")
    process, polled_at = ("", clock.now()) if polls else (PROCESS, None)
    return bool(free.update(process=process, connection=connection, polled_at=polled_at, away_since=None))


def take_polling(seat_id: int, connection: str) -> None:
    """Make ``connection``, a page that polls, the seat's one page."""
    Seat.objects.filter(pk=seat_id).update(process="", connection=connection, polled_at=clock.now(), away_since=None)


def polled(seat_id: int, connection: str) -> bool:
    """Note a poll; False when another page has taken the seat since."""
    mine = Seat.objects.filter(pk=seat_id, connection=connection)
    return bool(mine.update(polled_at=clock.now(), away_since=None))


def drop(seat_id: int, connection: str) -> bool:
    """Say that a page is gone; False when a newer one has the seat."""
    mine = Seat.objects.filter(pk=seat_id, connection=connection)
    return bool(mine.update(away_since=clock.now(), **_GONE))


def notice_the_dead() -> int:
    """Clear the seats whose process was killed or whose page stopped polling; return how many."""
    claimed = Seat.objects.exclude(state=SeatState.CLOSED).exclude(connection="")
    found = list(claimed.exclude(here()).values("pk", "process", "connection", "polled_at"))
    # Only those that still are as they were found: meanwhile a worker may be back, perhaps at another process.
    return sum(Seat.objects.filter(**seat).update(away_since=clock.now(), **_GONE) for seat in found)


def drop_all(pages: list[tuple[int, str]]) -> list[bool]:
    """Say of many pages, each a seat and a connection, that they are gone; False where a newer one has the seat.

    Seats locked elsewhere are done alone afterwards: none is waited for while others are held.
    """
    can_skip = database.features.has_select_for_update_skip_locked
    with transaction.atomic():
        mine = Seat.objects.filter(pk__in=[pk for pk, _ in pages], connection__in=[name for _, name in pages])
        dropped = set(mine.select_for_update(skip_locked=can_skip).values_list("pk", flat=True))
        Seat.objects.filter(pk__in=dropped).update(away_since=clock.now(), **_GONE)
    return [pk in dropped or drop(pk, name) for pk, name in pages]


def living() -> set[str]:
    """Return the names of the processes that live."""
    leases = ProcessLease.objects.filter(renewed_at__gte=clock.now() - LEASE)
    return set(leases.values_list("process", flat=True))


def is_here(seat: Seat, processes: Collection[str]) -> bool:
    """Tell of a seat at hand what ``here`` asks the database, given the processes that live."""
    polls = seat.polled_at is not None and seat.polled_at >= clock.now() - POLL
    return seat.connection != "" and (seat.process in processes or polls)


def present(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    """Return those seats whose worker is here."""
    return seats.filter(here())
