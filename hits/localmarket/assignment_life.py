"""How does an assignment go from one state to the next, from acceptance to payment?

Callers run in a transaction and give the moment. What a worker may not do is a ``WorkerRefusal``, what a requester
may not is a ``Refusal``.
"""

from datetime import datetime, timedelta

from django.db.models import Q

from hits.localmarket import answers, books, events, hit_life
from hits.localmarket.eligibility import standing_of
from hits.localmarket.identifiers import new_id
from hits.localmarket.models import Assignment, Hit, Market, Worker
from hits.localmarket.refusals import Refusal
from hits.localmarket.requirements import Step
from hits.localmarket.worker_refusals import Reason, WorkerRefusal

OVERRIDABLE = timedelta(days=30)
MOST_HELD = 25
"""How many accepted assignments one worker may hold at once."""
Status = Assignment.Status


def accept(hit: Hit, worker: Worker, at: datetime) -> Assignment:
    """Give a worker a place in a HIT."""
    _check_acceptance(hit, worker, at)
    assignment = Assignment.objects.create(
        assignment_id=_id_for(hit),
        hit=hit,
        worker=worker,
        accepted_at=at,
        deadline=at + timedelta(seconds=hit.type.duration_seconds),
    )
    hit_life.settle(hit, at)
    events.tell("AssignmentAccepted", hit, at, assignment)
    return assignment


def _check_acceptance(hit: Hit, worker: Worker, at: datetime) -> None:
    if hit.assignments.filter(worker=worker).exclude(status__in=Assignment.GONE).exists():
        raise WorkerRefusal(Reason.ALREADY)
    if hit.status == Hit.Status.DISPOSED or hit_life.is_expired(hit, at):
        raise WorkerRefusal(Reason.EXPIRED)
    if hit_life.count(hit).available < 1:
        raise WorkerRefusal(Reason.NONE_LEFT)
    if not standing_of(worker).may(hit.type, Step.ACCEPT):
        raise WorkerRefusal(Reason.NOT_ELIGIBLE)
    if worker.assignments.filter(status=Status.ACCEPTED).count() >= MOST_HELD:
        raise WorkerRefusal(Reason.TOO_MANY)


def _id_for(hit: Hit) -> str:
    """Return a new id, or one that was given back, where the control page wants that."""
    if Market.get().reuse_assignment_ids:
        live = hit.assignments.exclude(status__in=Assignment.GONE).values("assignment_id")
        given_back = hit.assignments.filter(status__in=Assignment.GONE).exclude(assignment_id__in=live).first()
        if given_back:
            return given_back.assignment_id
    return new_id()


def _end_without_work(assignment: Assignment, status: Status, at: datetime) -> None:
    assignment.status = status
    assignment.ended_at = at
    assignment.save()
    hit_life.settle(assignment.hit, at)
    events.tell(f"Assignment{status.value}", assignment.hit, at, assignment)


def give_back(assignment: Assignment, at: datetime) -> None:
    """Return an assignment; another worker may take the place."""
    if assignment.status != Status.ACCEPTED:
        raise WorkerRefusal(Reason.NOT_HELD)
    _end_without_work(assignment, Status.RETURNED, at)


def abandon(assignment: Assignment, at: datetime) -> None:
    """End an assignment whose time is up."""
    _end_without_work(assignment, Status.ABANDONED, at)


def submit(assignment: Assignment, fields: dict[str, str], at: datetime) -> None:
    """Hand in what the worker did; requesters see it at once, or after the lag that is set."""
    if assignment.status in Assignment.HANDED_IN:
        raise WorkerRefusal(Reason.SUBMITTED_BEFORE)
    if assignment.status != Status.ACCEPTED or at > assignment.deadline:
        raise WorkerRefusal(Reason.NOT_HELD)
    if not fields:
        raise WorkerRefusal(Reason.NO_ANSWER)
    lag = Market.get().submission_lag
    assignment.answer = answers.to_xml(fields)
    assignment.status = Status.SUBMITTED
    assignment.submitted_at = at
    assignment.auto_approval_at = at + timedelta(seconds=assignment.hit.type.auto_approval_seconds)
    assignment.visible_at = at + timedelta(seconds=lag)
    assignment.is_visible = lag == 0
    assignment.save()
    hit_life.settle(assignment.hit, at)
    events.tell("AssignmentSubmitted", assignment.hit, at, assignment)


def show(assignment: Assignment, at: datetime) -> None:
    """Let requesters see a submission whose lag is over."""
    assignment.is_visible = True
    assignment.save(update_fields=["is_visible"])
    hit_life.settle(assignment.hit, at)


def approve(
    assignment: Assignment, at: datetime, *, feedback: str = "", override: bool = False, by_time: bool = False
) -> None:
    """Approve and pay. ``override`` takes back a rejection; ``by_time`` approves by itself and always pays."""
    if assignment.status == Status.REJECTED and override:
        _check_override(assignment, at)
    elif assignment.status != Status.SUBMITTED:
        raise Refusal("assignment_state", allowed="Submitted")
    assignment.status = Status.APPROVED
    assignment.is_visible = True
    assignment.approved_at = at
    assignment.feedback = feedback or assignment.feedback
    assignment.save()
    hit_life.settle(assignment.hit, at)  # gives back what was held for it
    books.pay_reward(assignment, at, even_if_short=by_time)
    events.tell("AssignmentApproved", assignment.hit, at, assignment)


def _check_override(assignment: Assignment, at: datetime) -> None:
    if assignment.hit.status == Hit.Status.DISPOSED:
        raise Refusal("hit_missing", id=assignment.hit.hit_id)
    if assignment.submitted_at and at > assignment.submitted_at + OVERRIDABLE:
        raise Refusal("override_too_late", id=assignment.assignment_id)


def reject(assignment: Assignment, feedback: str, at: datetime) -> None:
    """Reject: the worker gets nothing and reads why."""
    if assignment.status != Status.SUBMITTED:
        raise Refusal("assignment_state", allowed="Submitted")
    assignment.status = Status.REJECTED
    assignment.rejected_at = at
    assignment.feedback = feedback
    assignment.save()
    hit_life.settle(assignment.hit, at)
    events.tell("AssignmentRejected", assignment.hit, at, assignment)


def live(assignment_id: str) -> Assignment | None:
    """Return the assignment that an id means now: the live one, or the last that was given back."""
    found = Assignment.objects.filter(assignment_id=assignment_id).select_related("hit__type", "worker")
    return found.exclude(Q(status__in=Assignment.GONE)).first() or found.order_by("-id").first()
