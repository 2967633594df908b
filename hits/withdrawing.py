"""How does a worker withdraw after the end? By themselves on the last page, or a person writes it down at their wish.

Their texts, and with them the dialog, leave all exports that are made from then on; both workers stay paid.
"""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, ngettext

from collector.lib import clock
from collector.studies import versions
from collector.studies.leaving import withdrawal_changed
from collector.studies.models import Outcome, Participation, Worker
from hits import reviewing, settlement
from hits.models import Assignment, AssignmentState, Decision, Withdrawal
from hits.people import CannotDo

_BY_THEMSELVES = "On the last page."
_NOTHING_WRITTEN = (Outcome.NO_PARTNER, Outcome.STUDY_ENDED, Outcome.SCREENED_OUT, Outcome.WITHDRAWN)


def until(participation: Participation) -> datetime | None:
    """Return until when the worker may withdraw by themselves; None when they may not, or there is nothing left."""
    days = versions.content_of(participation.version)["withdrawal_days"]
    if participation.ended_at is None or participation.outcome in _NOTHING_WRITTEN:
        return None
    last = participation.ended_at + timedelta(days=days)
    return last if clock.now() < last else None


def time_left(participation: Participation) -> str:
    """Return in words for how long the worker may still withdraw by themselves; empty when they may not."""
    last = until(participation)
    if last is None:
        return ""
    days = (last - clock.now()).days
    if not days:
        return gettext("less than a day")
    return ngettext("{number} more day", "{number} more days", days).format(number=days)


def by_themselves(participation: Participation) -> bool:
    """Mark a participation as withdrawn by its worker; False when they may not, or have withdrawn."""
    with transaction.atomic():
        locked = (
            Participation.objects.select_for_update(of=("self",)).select_related("version").get(pk=participation.pk)
        )
        if until(locked) is None:
            return False
        _withdraw(locked, _BY_THEMSELVES, None)
    return True


def withdraw(worker: Worker, participation_id: int, reason: str, who: User, *, confirmed: bool) -> Withdrawal:
    """Mark an ended participation as withdrawn, at any time, at its worker's wish. Raises CannotDo."""
    if not reason.strip():
        raise CannotDo("Say how the worker asked for it, for those who come after you.")
    if not confirmed:
        raise CannotDo("Confirm that the worker has asked for it.")
    with transaction.atomic():
        found = Participation.objects.select_for_update(of=("self",)).filter(pk=participation_id, worker=worker).first()
        if found is None or found.ended_at is None:
            raise CannotDo("Who is still inside can leave by themselves; choose a participation that has ended.")
        if found.outcome == Outcome.WITHDRAWN:
            raise CannotDo("It is withdrawn already.")
        return _withdraw(found, reason.strip()[:300], who)


def at_their_wish(participation_id: int, reason: str, who: User | None) -> None:
    """Mark an ended participation as withdrawn; nothing happens to one that is. Call it in a transaction."""
    found = Participation.objects.select_for_update(of=("self",)).get(pk=participation_id)
    if found.outcome != Outcome.WITHDRAWN:
        _withdraw(found, reason, who)


def _withdraw(found: Participation, reason: str, who: User | None) -> Withdrawal:
    """Work out the pay, then mark the participation, then approve what was submitted."""
    settlement.settle(found.pk)
    made = Withdrawal.objects.create(participation=found, was=found.outcome, reason=reason, who=who, at=clock.now())
    Participation.objects.filter(pk=found.pk).update(outcome=Outcome.WITHDRAWN)
    reviewing.approve(_undecided(found), who)
    withdrawal_changed.send(Participation, participation_id=found.pk)
    return made


def _undecided(participation: Participation) -> list[int]:
    rows = Assignment.objects.filter(participation=participation, state=AssignmentState.SUBMITTED)
    return list(rows.filter(decision=Decision.OPEN).values_list("pk", flat=True))


def undo(worker: Worker, withdrawal_id: int, who: User) -> None:
    """Take a withdrawal back, because it was a mistake or the worker says so. Raises CannotDo."""
    if not worker.external_digest:
        raise CannotDo("Their id was removed: nobody can say that they want it, and their texts may be gone.")
    with transaction.atomic():
        rows = Withdrawal.objects.select_for_update(of=("self",)).filter(participation__worker=worker, undone_at=None)
        found = rows.filter(pk=withdrawal_id).first()
        if found is None:
            raise CannotDo("It is not withdrawn any more.")
        Withdrawal.objects.filter(pk=found.pk).update(undone_at=clock.now(), undone_by=who)
        Participation.objects.filter(pk=found.participation_id).update(outcome=found.was)
        withdrawal_changed.send(Participation, participation_id=found.participation_id)
