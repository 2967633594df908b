"""What does a person decide about submitted work? Approve, reject with a reason, take a rejection back.

Deciding only writes down; the worker process carries it out, so that a page never waits for a marketplace. No program
rejects anything, and nothing is decided on reading a page.
"""

from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial

from django.contrib.auth.models import User
from django.db.models import F, Q, QuerySet

from collector.lib import clock
from hits.marketplace.base import Marketplace, MarketplaceError
from hits.models import Assignment, AssignmentState, Decision, Recruitment

UNDO_WITHIN = timedelta(days=30)
TAKEN_BACK = "The rejection was taken back."
"""What the worker then reads."""
LEAST_REASON = 15
"""Characters of a reason that somebody else is to understand: for a rejection, a bonus, a compensation, a block."""
DECIDED = "This submission has been decided already."


class CannotDecide(Exception):
    """Why a decision was not taken, in a sentence."""


def to_review(recruitment: Recruitment) -> QuerySet[Assignment]:
    """Return what is submitted and not decided, the next to be approved by the marketplace itself first."""
    rows = Assignment.objects.filter(hit__recruitment=recruitment, state=AssignmentState.SUBMITTED, decision="")
    return rows.select_related("participation__version").order_by(F("auto_approval_at").asc(nulls_last=True), "pk")


def rejected(recruitment: Recruitment) -> QuerySet[Assignment]:
    """Return what a person decided to reject, the newest first."""
    rows = Assignment.objects.filter(hit__recruitment=recruitment, decision=Decision.REJECT)
    return rows.select_related("decided_by", "appeal").order_by("-decided_at", "-pk")


def may_be_taken_back(assignment: Assignment) -> bool:
    """Tell whether the marketplace still lets a rejection be taken back, and we know of what."""
    if not assignment.external_digest:
        return False
    return assignment.submitted_at is None or assignment.submitted_at >= clock.now() - UNDO_WITHIN


def approve(ids: Iterable[int], who: User | None) -> int:
    """Decide that submissions are to be approved and paid; return how many. Who withdraws decides it themselves."""
    now = clock.now()
    waiting = Assignment.objects.filter(pk__in=list(ids), state=AssignmentState.SUBMITTED, decision="")
    return waiting.update(decision=Decision.APPROVE, approve_at=now, decided_at=now, decided_by=who)


def checked_reason(reason: str) -> str:
    """Return the reason of a rejection without space around it. Raises CannotDecide when it says too little."""
    reason = reason.strip()
    if len(reason) < LEAST_REASON:
        raise CannotDecide(f"A rejection needs a reason of {LEAST_REASON} characters or more; the worker reads it.")
    return reason


def reject(pk: int, who: User, reason: str, *, confirmed: bool) -> None:
    """Decide that a submission is to be rejected. Raises CannotDecide without a reason and a second confirmation."""
    reason = checked_reason(reason)
    if not confirmed:
        raise CannotDecide("A rejection stays on a person's record. Confirm that you mean it.")
    found = Assignment.objects.filter(pk=pk, state=AssignmentState.SUBMITTED, decision="")
    now = clock.now()
    if not found.update(
        decision=Decision.REJECT, decision_note=reason, decided_at=now, decided_by=who, approve_at=None
    ):
        raise CannotDecide(DECIDED)


def undo_rejection(pk: int, who: User) -> None:
    """Decide that a rejection is taken back, and paid. Raises CannotDecide after 30 days."""
    now = clock.now()
    rejected = Assignment.objects.filter(pk=pk, decision=Decision.REJECT)
    if rejected.filter(external_digest="").exists():
        raise CannotDecide("The ids of this worker were removed: nobody can say to the marketplace which work it is.")
    recent = rejected.filter(Q(submitted_at__isnull=True) | Q(submitted_at__gte=now - UNDO_WITHIN))
    if not recent.update(decision=Decision.APPROVE, approve_at=now, decided_at=now, decided_by=who):
        raise CannotDecide("Only a rejection of work submitted within 30 days can be taken back.")


def is_waiting(recruitment: Recruitment) -> bool:
    """Tell whether a rejection, or its taking back, is still to be carried out."""
    to_reject = Q(decision=Decision.REJECT, state=AssignmentState.SUBMITTED)
    to_restore = Q(decision=Decision.APPROVE, state=AssignmentState.REJECTED)
    return Assignment.objects.filter(to_reject | to_restore, hit__recruitment=recruitment).exists()


def carry_out(recruitment: Recruitment, market: Marketplace) -> int:
    """Do what was decided and needs no payment: rejections, and their taking back. Returns how many were done.

    What the marketplace refuses stops nothing else: it says so, and is tried again.
    """
    rows = Assignment.objects.filter(hit__recruitment=recruitment)
    number = 0
    for row in rows.filter(decision=Decision.REJECT, state=AssignmentState.SUBMITTED):
        if _is_done(row, partial(market.reject, row.external_id, row.decision_note)):
            number += Assignment.objects.filter(pk=row.pk).update(state=AssignmentState.REJECTED, trouble="")
    for row in rows.filter(decision=Decision.APPROVE, state=AssignmentState.REJECTED):
        if _is_done(row, partial(market.approve, row.external_id, TAKEN_BACK, in_spite_of_rejection=True)):
            number += Assignment.objects.filter(pk=row.pk).update(state=AssignmentState.APPROVED, trouble="")
    return number


def _is_done(row: Assignment, do: Callable[[], None]) -> bool:
    """Do something about a submission; where it is refused for good, write down why. Raises passing trouble."""
    try:
        do()
    except MarketplaceError as error:
        Assignment.objects.filter(pk=row.pk).update(trouble=error.sentence[:300])
        if not error.is_final:
            raise
        return False
    return True
