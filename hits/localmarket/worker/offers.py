"""What is offered to this worker? HITs in their groups, with how far the worker may go."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from hits.localmarket.eligibility import Standing, describe, standing_of
from hits.localmarket.models import Assignment, Hit, HitType, Worker
from hits.localmarket.requirements import Step
from hits.localmarket.worker_refusals import Reason, WorkerRefusal


@dataclass(frozen=True)
class Group:
    """HITs of one type. ``unmet`` says what keeps the worker from accepting; ``asks`` all that is asked."""

    type: HitType
    hits: int
    may_preview: bool
    may_accept: bool
    asks: list[str]
    unmet: list[str]


def _open_to(worker: Worker) -> QuerySet[Hit]:
    """Return the HITs with a place that the worker has not taken."""
    taken = worker.assignments.exclude(status__in=Assignment.GONE).values("hit")
    return Hit.objects.filter(status=Hit.Status.ASSIGNABLE).exclude(pk__in=taken)


def groups_for(worker: Worker) -> list[Group]:
    """Return the groups that the worker may see, the newest first."""
    standing = standing_of(worker)
    numbers = dict(_open_to(worker).values_list("type").annotate(Count("id")))
    kinds = HitType.objects.filter(pk__in=numbers).order_by("-id")
    return [_group(kind, numbers[kind.pk], standing) for kind in kinds if standing.may(kind, Step.DISCOVER)]


def group_for(worker: Worker, group_id: str) -> Group:
    """Return one group, or refuse as if there were none when the worker may not see it."""
    kind = HitType.objects.filter(group_id=group_id).first()
    standing = standing_of(worker)
    if kind is None or not standing.may(kind, Step.DISCOVER):
        raise WorkerRefusal(Reason.UNKNOWN)
    return _group(kind, _open_to(worker).filter(type=kind).count(), standing)


def _group(kind: HitType, hits: int, standing: Standing) -> Group:
    return Group(
        type=kind,
        hits=hits,
        may_preview=standing.may(kind, Step.PREVIEW),
        may_accept=standing.may(kind, Step.ACCEPT),
        asks=[describe(each) for each in kind.requirements],
        unmet=[describe(each) for each in standing.unmet(kind, Step.ACCEPT)],
    )


def next_hit(worker: Worker, group_id: str) -> Hit:
    """Return the oldest HIT of a group that the worker could accept."""
    found = _open_to(worker).filter(type__group_id=group_id).select_related("type").order_by("id").first()
    if found is None:
        raise WorkerRefusal(Reason.NONE_LEFT)
    return found
