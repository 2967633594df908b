"""What is due? Abandons, shows, approves, expires and disposes, each at its own time and in the order of the times.

Called before each request and by the background thread, so that a jump of the clock leaves nothing undone.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.db import transaction

from hits.localmarket import assignment_life, clock, hit_life
from hits.localmarket.models import Assignment, Hit

Act = Callable[[datetime], None]
Status = Assignment.Status


def sweep() -> int:
    """Do all that is due now; return how many things that was."""
    now = clock.now()
    if _earliest(now) is None:  # without taking the lock
        return 0
    done = 0
    with transaction.atomic():
        while due := _earliest(now):
            at, act = due
            act(at)
            done += 1
    return done


def _earliest(now: datetime) -> tuple[datetime, Act] | None:
    """Return the earliest thing that is due, with what to do about it."""
    return min(_due(now), key=lambda due: due[0], default=None)


def _due(now: datetime) -> Iterator[tuple[datetime, Act]]:
    """Yield the earliest thing of each kind; of two at one moment the first here goes first."""
    assignments = Assignment.objects.select_related("hit__type", "worker")
    waiting = assignments.filter(status=Status.SUBMITTED)
    kinds: list[tuple[Any, str, Callable[[Any, datetime], None]]] = [
        (waiting.filter(is_visible=False), "visible_at", assignment_life.show),
        (assignments.filter(status=Status.ACCEPTED), "deadline", assignment_life.abandon),
        (waiting, "auto_approval_at", _approve),
        (Hit.objects.filter(expiry_told=False).select_related("type"), "expires_at", hit_life.expire),
    ]
    for rows, field, act in kinds:
        if row := rows.filter(**{f"{field}__lte": now}).order_by(field, "id").first():
            yield getattr(row, field), _bound(act, row)
    reviewable = Hit.objects.filter(status__in=[Hit.Status.REVIEWABLE, Hit.Status.REVIEWING]).select_related("type")
    old = reviewable.filter(changed_at__lte=now - hit_life.KEPT)
    if hit := old.exclude(assignments__status=Status.SUBMITTED).order_by("changed_at", "id").first():
        yield hit.changed_at + hit_life.KEPT, _bound(hit_life.dispose, hit)


def _approve(assignment: Assignment, at: datetime) -> None:
    assignment_life.approve(assignment, at, by_time=True)


def _bound(act: Callable[[Any, datetime], None], row: Any) -> Act:
    return lambda at: act(row, at)
