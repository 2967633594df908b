"""How does a HIT go from one state to the next? All of it but what its assignments do.

Callers run in a transaction and give the moment; refusals roll back.
"""

from datetime import datetime, timedelta

from django.db.models import Count as Number
from django.db.models import Q

from hits.localmarket import books, events
from hits.localmarket.models import Assignment, Hit, HitType, Market
from hits.localmarket.refusals import Refusal
from hits.localmarket.states import Counts, status_of

KEPT = timedelta(days=120)
"""After which a reviewable HIT to which nothing happens disposes of itself."""
MOST_ASSIGNMENTS = 1_000_000_000
Status = Assignment.Status


def count(hit: Hit) -> Counts:
    """Count a HIT's assignments."""
    decided = Q(status__in=[Status.APPROVED, Status.REJECTED])
    counts = hit.assignments.exclude(status__in=Assignment.GONE).aggregate(
        pending=Number("id", filter=Q(is_visible=False)),
        handed_in=Number("id", filter=Q(is_visible=True)),
        decided=Number("id", filter=decided),
    )
    return Counts(hit.max_assignments, **counts)


def is_expired(hit: Hit, at: datetime) -> bool:
    """Say whether nobody may accept it any more."""
    return hit.expires_at <= at


def settle(hit: Hit, at: datetime) -> None:
    """Bring status and hold in line with what happened; tell if it became reviewable."""
    counts, expired, before = count(hit), is_expired(hit, at), hit.status
    disposed = hit.status == Hit.Status.DISPOSED
    hit.status = status_of(counts, expired=expired, reviewing=hit.reviewing, disposed=disposed)
    if hit.status in (Hit.Status.ASSIGNABLE, Hit.Status.UNASSIGNABLE):
        hit.reviewing = False
    hit.changed_at = at
    hit.save()
    undecided = counts.pending + counts.handed_in - counts.decided
    books.hold(hit, 0 if disposed else undecided + (0 if expired else counts.available), at)
    if hit.status == Hit.Status.REVIEWABLE and before in (Hit.Status.ASSIGNABLE, Hit.Status.UNASSIGNABLE):
        events.tell("HITReviewable", hit, at)


def create(hit_type: HitType, most: int, lifetime: timedelta, question: str, annotation: str, at: datetime) -> Hit:
    """Publish a HIT and hold its money."""
    hit = Hit.objects.create(
        type=hit_type,
        created_at=at,
        changed_at=at,
        expires_at=at + lifetime,
        question=question,
        annotation=annotation,
        max_assignments=most,
    )
    settle(hit, at)
    events.tell("HITCreated", hit, at)
    return hit


def check_age(hit: Hit, at: datetime) -> None:
    """Refuse to change a HIT that the service has hardly heard of."""
    if at < hit.created_at + timedelta(seconds=Market.get().creation_lag):
        raise Refusal("hit_too_new", id=hit.hit_id)


def extend(hit: Hit, more: int, at: datetime) -> None:
    """Let more workers do it."""
    check_age(hit, at)
    if more < 1 or hit.max_assignments + more > MOST_ASSIGNMENTS:
        raise Refusal("parameter", reason="NumberOfAdditionalAssignments is out of range.")
    if hit.max_assignments < 10 <= hit.max_assignments + more:
        raise Refusal("extension_over_nine")
    hit.max_assignments += more
    settle(hit, at)
    events.tell("HITExtended", hit, at)


def set_expiration(hit: Hit, expires_at: datetime, at: datetime) -> None:
    """Expire it now, with a time in the past, or let it live until a time in the future."""
    future = expires_at > at
    if future:
        check_age(hit, at)
    if expires_at > at + timedelta(days=365):
        raise Refusal("parameter", reason="ExpireAt is more than 365 days away.")
    later = future and expires_at > hit.expires_at
    hit.expires_at = expires_at
    if future:
        hit.expiry_told = False
        settle(hit, at)
        if later:
            events.tell("HITExtended", hit, at)
    else:
        expire(hit, at)


def expire(hit: Hit, at: datetime) -> None:
    """Let an expiry take effect, once."""
    told, hit.expiry_told = hit.expiry_told, True
    if not told:
        events.tell("HITExpired", hit, at)
    settle(hit, at)


def change_type(hit: Hit, hit_type: HitType, at: datetime) -> None:
    """Give it another type, while nobody has accepted it."""
    check_age(hit, at)
    if hit.assignments.exists():
        raise Refusal("hit_type_in_use", id=hit.hit_id)
    hit.type = hit_type
    settle(hit, at)


def set_reviewing(hit: Hit, reviewing: bool, at: datetime) -> None:
    """Move a reviewable HIT to reviewing, or back."""
    wanted = Hit.Status.REVIEWABLE if reviewing else Hit.Status.REVIEWING
    if hit.status != wanted:
        raise Refusal("hit_state", state=hit.status, allowed=wanted)
    hit.reviewing = reviewing
    settle(hit, at)


def dispose(hit: Hit, at: datetime) -> None:
    """Delete it: possible when nobody works on it and all work is decided."""
    reviewable = hit.status in (Hit.Status.REVIEWABLE, Hit.Status.REVIEWING)
    if not reviewable or hit.assignments.filter(status=Status.SUBMITTED).exists():
        # It contradicts itself when work is undecided; so does the real one.
        raise Refusal("hit_state", state=hit.status, allowed="Reviewing, Reviewable")
    hit.status = Hit.Status.DISPOSED
    hit.expires_at = min(hit.expires_at, at)
    hit.expiry_told = True
    settle(hit, at)
    events.tell("HITDisposed", hit, at)
