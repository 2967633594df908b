"""How does a worker withdraw after the end? A person writes it down at their wish, and it loses them nothing.

Their texts, and with them the dialog, leave all exports that are made from then on; both workers stay paid.
"""

from django.contrib.auth.models import User
from django.db import transaction

from collector.lib import clock
from collector.studies.models import Outcome, Participation, Worker
from hits import reviewing, settlement
from hits.models import Assignment, AssignmentState, Decision, Withdrawal
from hits.people import CannotDo


def withdraw(worker: Worker, participation_id: int, reason: str, who: User, *, confirmed: bool) -> Withdrawal:
    """Mark an ended participation as withdrawn, once its pay is worked out; approve its work. Raises CannotDo."""
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
        settlement.settle(found.pk)
        made = Withdrawal.objects.create(
            participation=found, was=found.outcome, reason=reason.strip()[:300], who=who, at=clock.now()
        )
        Participation.objects.filter(pk=found.pk).update(outcome=Outcome.WITHDRAWN)
        reviewing.approve(_undecided(found), who)
    return made


def _undecided(participation: Participation) -> list[int]:
    rows = Assignment.objects.filter(participation=participation, state=AssignmentState.SUBMITTED)
    return list(rows.filter(decision=Decision.OPEN).values_list("pk", flat=True))


def undo(worker: Worker, withdrawal_id: int, who: User) -> None:
    """Take a withdrawal back, because it was a mistake or the worker says so. Raises CannotDo."""
    with transaction.atomic():
        rows = Withdrawal.objects.select_for_update(of=("self",)).filter(participation__worker=worker, undone_at=None)
        found = rows.filter(pk=withdrawal_id).first()
        if found is None:
            raise CannotDo("It is not withdrawn any more.")
        Withdrawal.objects.filter(pk=found.pk).update(undone_at=clock.now(), undone_by=who)
        Participation.objects.filter(pk=found.participation_id).update(outcome=found.was)
