"""Which row does an id on the wire mean? Refuses with the error the service has for it."""

from hits.localmarket import assignment_life
from hits.localmarket.models import Assignment, Hit, HitType, QualificationRequest, QualificationType, Worker
from hits.localmarket.refusals import Refusal


def hit_of(hit_id: str) -> Hit:
    """Return a HIT that is not disposed."""
    hit = Hit.objects.select_related("type").exclude(status=Hit.Status.DISPOSED).filter(hit_id=hit_id).first()
    if hit is None:
        raise Refusal("hit_missing", id=hit_id)
    return hit


def hit_type_of(type_id: str) -> HitType:
    """Return a HIT type."""
    found = HitType.objects.filter(type_id=type_id).first()
    if found is None:
        raise Refusal("hit_type_missing", id=type_id)
    return found


def assignment_of(assignment_id: str) -> Assignment:
    """Return an assignment that was handed in; one whose submission is not visible yet has no status."""
    found = assignment_life.live(assignment_id)
    if found is None or found.status not in Assignment.HANDED_IN:
        raise Refusal("assignment_missing", id=assignment_id)
    if not found.is_visible:
        raise Refusal("assignment_state", allowed="null")
    return found


def worker_of(worker_id: str) -> Worker:
    """Return a worker of this market."""
    found = Worker.objects.filter(worker_id=worker_id).first()
    if found is None:
        raise Refusal("worker_missing", id=worker_id)
    return found


def qualification_type_of(type_id: str) -> QualificationType:
    """Return a qualification type of the requester's own that is not deleted."""
    found = QualificationType.objects.filter(type_id=type_id, deleted_at=None).first()
    if found is None:
        raise Refusal("qualification_type_missing", id=type_id)
    return found


def qualification_request_of(request_id: str) -> QualificationRequest:
    """Return a request that is not decided."""
    found = QualificationRequest.objects.select_related("type", "worker").filter(request_id=request_id).first()
    if found is None:
        raise Refusal("qualification_request_missing", id=request_id)
    if found.decided_at:
        raise Refusal("qualification_request_state", id=request_id)
    return found
