"""Who is here? A seat names the process and the connection of its newest socket; a process keeps a lease.

A killed process cannot clear its seats, but its lease runs out, so nobody is paired with the dead.
"""

import secrets
from datetime import timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from chat.models import ProcessLease, Seat
from collector.lib import clock

PROCESS = secrets.token_hex(8)
"""This process's name."""
RENEW_SECONDS = 5
LEASE = timedelta(seconds=15)
FORGET = timedelta(hours=1)


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
    Seat.objects.filter(process=PROCESS).update(process="", connection="")
    ProcessLease.objects.filter(process=PROCESS).delete()


def here() -> Q:
    """Return the condition "this seat's socket is held by a living process" for seats."""
    live = ProcessLease.objects.filter(process=OuterRef("process"), renewed_at__gte=clock.now() - LEASE)
    return ~Q(connection="") & Q(Exists(live))


def take(seat_id: int, connection: str) -> None:
    """Make ``connection`` the seat's one live socket; an older one is told when it notices."""
    Seat.objects.filter(pk=seat_id).update(process=PROCESS, connection=connection)


def drop(seat_id: int, connection: str) -> bool:
    """Say that a socket is gone; False when a newer one has the seat."""
    return bool(Seat.objects.filter(pk=seat_id, connection=connection).update(process="", connection=""))


def present(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    """Return those seats whose worker is here."""
    return seats.filter(here())
