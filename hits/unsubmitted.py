"""Who is owed something, and has submitted nothing that it could be paid on?

Most of them waited and returned their HIT. A marketplace pays on what was submitted only, so by itself it never pays
them: what the announced rules give is shown, and a person compensates it with one click.
"""

import uuid
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, prefetch_related_objects

from collector.lib import clock
from collector.studies.models import Participation
from hits import compensating, ledger, settlement
from hits.compensating import CannotCompensate
from hits.models import Assignment, AssignmentState, Compensation, EntryKind, EntryState, LedgerEntry, Recruitment

SHOWN = 100
_STANDS = [EntryState.PLANNED, EntryState.SENDING, EntryState.PAID, EntryState.UNKNOWN, EntryState.FAILED]


@dataclass(frozen=True)
class Unsubmitted:
    """An ended participation that was not submitted, and what is owed for it in US dollars, and why."""

    participation: Participation
    amount: Decimal
    why: str


def listed(recruitment: Recruitment) -> list[Unsubmitted]:
    """Return who ended without submitting and cannot submit any more, the newest first; a hundred at most."""
    mine = Assignment.objects.filter(participation=OuterRef("pk"))
    returned = mine.filter(hit__recruitment=recruitment, state=AssignmentState.SEEN)
    compensated = LedgerEntry.objects.filter(
        participation=OuterRef("pk"), kind=EntryKind.COMPENSATION, state__in=_STANDS
    )
    ended = Participation.objects.filter(ended_at__isnull=False, is_simulated=False)
    rows = (
        ended.filter(Exists(returned), ~Exists(mine.exclude(state=AssignmentState.SEEN)), ~Exists(compensated))
        .select_related("worker", "version")
        .order_by("-pk")
    )
    newest = list(rows[: 5 * SHOWN])
    decided = _decided(newest)
    due: dict[Participation, list[settlement.Due | LedgerEntry]] = {}
    for each in newest:
        entries: list[settlement.Due | LedgerEntry] = [*settlement.announced(each)]
        entries += decided[each.pk]
        if entries:
            due[each] = entries
    prefetch_related_objects(list(due), "assignments__hit__recruitment")
    found = [
        Unsubmitted(each, sum((entry.amount for entry in entries), Decimal(0)), "; ".join(e.why for e in entries))
        for each, entries in due.items()
        if all(_is_over(assignment) for assignment in each.assignments.all())
    ]
    return found[:SHOWN]


def _decided(participations: list[Participation]) -> defaultdict[int | None, list[LedgerEntry]]:
    """Return for each what a person has planned on top of what the rules give."""
    found: defaultdict[int | None, list[LedgerEntry]] = defaultdict(list)
    planned = LedgerEntry.objects.filter(who__isnull=False, state=EntryState.PLANNED)
    for entry in planned.filter(participation__in=participations).order_by("pk"):
        found[entry.participation_id].append(entry)
    return found


def _is_over(assignment: Assignment) -> bool:
    """Tell whether an assignment can be submitted no more: its time is over, or the marketplace has it back."""
    hit, now = assignment.hit, clock.now()
    began = assignment.first_seen_at or hit.planned_at
    if began + timedelta(minutes=hit.recruitment.assignment_minutes) < now:
        return True
    ended_at = assignment.participation.ended_at if assignment.participation else None
    is_asked_since = hit.synced_at is not None and ended_at is not None and hit.synced_at > ended_at
    return is_asked_since and hit.pending == 0


def compensate(recruitment: Recruitment, participation_id: int, who: User, key: uuid.UUID) -> Compensation:
    """Plan a HIT of their own for who is listed, over what the announced rules give. Raises CannotCompensate.

    It stands for what the rules had put into the ledger, which could never be paid; taken back, that is owed again.
    """
    with transaction.atomic():
        locked = Participation.objects.select_for_update(of=("self",)).filter(pk=participation_id).first()
        if known := Compensation.objects.filter(key=key, entry__participation=participation_id).first():
            return known
        if locked is not None:
            settlement.settle(locked.pk)
        each = next((row for row in listed(recruitment) if row.participation.pk == participation_id), None)
        if each is None:
            raise CannotCompensate("It is compensated already, or was submitted meanwhile. Look at the list again.")
        reason = f"For your time in an earlier task of ours that was not submitted: {each.why}."
        part = each.participation
        made = compensating.plan(recruitment, part.worker, each.amount, reason[:300], who, key, part)
        ledger.replace(LedgerEntry.objects.filter(participation=part), made.entry)
    return made
