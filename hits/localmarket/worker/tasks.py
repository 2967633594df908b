"""At which address does a worker find a task, and what becomes of what they hand in?"""

from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from hits.localmarket import assignment_life, clock, questions
from hits.localmarket.models import Assignment, Hit, Worker
from hits.localmarket.questions import Question
from hits.localmarket.worker.offers import next_hit
from hits.localmarket.worker_refusals import Reason, WorkerRefusal


def address_of(hit: Hit, assignment: Assignment | None = None) -> tuple[str, Question]:
    """Return a task's address in its frame, for one assignment or for a preview, and what its question says."""
    question = questions.read(hit.question)
    url = question.url or settings.PUBLIC_URL + reverse("html", args=[hit.hit_id])
    address = questions.address(
        url,
        hit_id=hit.hit_id,
        submit_to=settings.PUBLIC_URL,
        assignment_id=assignment.assignment_id if assignment else "",
        worker_id=assignment.worker.worker_id if assignment else "",
    )
    return address, question


def held_by(worker: Worker, assignment_id: str) -> Assignment:
    """Return a worker's own assignment, the latest under that id."""
    rows = worker.assignments.filter(assignment_id=assignment_id).select_related("hit__type", "worker")
    found = rows.order_by("-id").first()
    if found is None:
        raise WorkerRefusal(Reason.UNKNOWN)
    return found


@transaction.atomic
def accept(worker: Worker, group_id: str = "", hit_id: str = "") -> Assignment:
    """Accept a HIT by its id, or the next of a group."""
    if hit_id:
        hit = Hit.objects.filter(hit_id=hit_id).select_related("type").first()
        if hit is None:
            raise WorkerRefusal(Reason.UNKNOWN)
    else:
        hit = next_hit(worker, group_id)
    return assignment_life.accept(hit, worker, clock.now())


@transaction.atomic
def give_back(worker: Worker, assignment_id: str) -> None:
    """Return an assignment."""
    assignment_life.give_back(held_by(worker, assignment_id), clock.now())


@transaction.atomic
def submit(assignment_id: str, fields: dict[str, str]) -> Assignment:
    """Hand in an assignment. Whoever knows its id may: the task's frame sends no cookies of ours."""
    assignment = assignment_life.live(assignment_id)
    if assignment is None:
        raise WorkerRefusal(Reason.UNKNOWN)
    assignment_life.submit(assignment, fields, clock.now())
    return assignment


def describe(assignment: Assignment) -> dict[str, Any]:
    """Return an assignment as robots read it."""
    kind = assignment.hit.type
    return {
        "assignment_id": assignment.assignment_id,
        "hit_id": assignment.hit.hit_id,
        "hit_type_id": kind.type_id,
        "group_id": kind.group_id,
        "title": kind.title,
        "reward_cents": kind.reward_cents,
        "status": assignment.status,
        "deadline": assignment.deadline.isoformat(),
        "seconds_left": max((assignment.deadline - clock.now()).total_seconds(), 0),
        "task_url": address_of(assignment.hit, assignment)[0],
        "feedback": assignment.feedback,
    }
