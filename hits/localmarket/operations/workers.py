"""How do requesters reach workers, and keep them away?"""

from typing import Any

from hits.localmarket.models import Assignment, Block, Message, Worker
from hits.localmarket.operations import documents, lookup
from hits.localmarket.operations.paging import page
from hits.localmarket.operations.registry import Call, operation
from hits.localmarket.refusals import Refusal

MOST_IDS, LONGEST_SUBJECT, LONGEST_TEXT = 100, 200, 4096
MOST_BLOCKS = 100_000


@operation("CreateWorkerBlock")
def create_worker_block(call: Call) -> dict[str, Any]:
    """Keep a worker from all HITs of the requester."""
    worker = lookup.worker_of(call["WorkerId"])
    if Block.objects.count() >= MOST_BLOCKS:
        raise Refusal("parameter", reason=f"A requester can block at most {MOST_BLOCKS} workers.")
    Block.objects.update_or_create(worker=worker, defaults={"reason": call["Reason"], "at": call.now})
    return {}


@operation("DeleteWorkerBlock")
def delete_worker_block(call: Call) -> dict[str, Any]:
    """Let a worker back; it succeeds also where there was no block."""
    Block.objects.filter(worker=lookup.worker_of(call["WorkerId"])).delete()
    return {}


@operation("ListWorkerBlocks")
def list_worker_blocks(call: Call) -> dict[str, Any]:
    """Return the blocks."""
    return page(call, Block.objects.select_related("worker"), "WorkerBlocks", documents.block)


@operation("NotifyWorkers")
def notify_workers(call: Call) -> dict[str, Any]:
    """Send a message; workers it cannot reach stand in the answer, they are no error."""
    ids = call["WorkerIds"]
    if not 1 <= len(ids) <= MOST_IDS:
        raise Refusal("parameter", reason=f"WorkerIds: 1 to {MOST_IDS} ids, not {len(ids)}.")
    if len(call["Subject"]) > LONGEST_SUBJECT or len(call["MessageText"]) > LONGEST_TEXT:
        reason = f"Subject has at most {LONGEST_SUBJECT}, MessageText at most {LONGEST_TEXT} characters."
        raise Refusal("parameter", reason=reason)
    failures = []
    for worker_id in dict.fromkeys(ids):
        if problem := _notify(call, worker_id):
            failures.append(
                {
                    "NotifyWorkersFailureCode": "HardFailure",
                    "NotifyWorkersFailureMessage": problem,
                    "WorkerId": worker_id,
                }
            )
    return {"NotifyWorkersFailureStatuses": failures}


def _notify(call: Call, worker_id: str) -> str | None:
    """Send to one worker, or return why not."""
    worker = Worker.objects.filter(worker_id=worker_id).first()
    if worker is None:
        return f"The worker {worker_id} does not exist."
    decided = [Assignment.Status.APPROVED, Assignment.Status.REJECTED]
    if not worker.assignments.filter(status__in=decided).exists():
        return f"You have not approved or rejected work of {worker_id}."
    Message.objects.create(worker=worker, at=call.now, subject=call["Subject"], text=call["MessageText"])
    return None
