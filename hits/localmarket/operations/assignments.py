"""How do requesters see and decide what workers handed in?"""

from typing import Any

from hits.localmarket import assignment_life
from hits.localmarket.models import Assignment
from hits.localmarket.operations import documents, lookup
from hits.localmarket.operations.paging import page
from hits.localmarket.operations.registry import Call, operation
from hits.localmarket.refusals import Refusal


@operation("ListAssignmentsForHIT")
def list_assignments(call: Call) -> dict[str, Any]:
    """Return what was handed in for a HIT."""
    rows = Assignment.objects.filter(hit=lookup.hit_of(call["HITId"]), is_visible=True)
    rows = rows.filter(status__in=call.get("AssignmentStatuses") or Assignment.HANDED_IN)
    return page(call, rows.select_related("worker", "hit"), "Assignments", documents.assignment)


@operation("GetAssignment")
def get_assignment(call: Call) -> dict[str, Any]:
    """Return one assignment with its HIT."""
    assignment = lookup.assignment_of(call["AssignmentId"])
    return {"Assignment": documents.assignment(assignment), "HIT": documents.hit(lookup.hit_of(assignment.hit.hit_id))}


@operation("ApproveAssignment")
def approve_assignment(call: Call) -> dict[str, Any]:
    """Approve and pay."""
    assignment_life.approve(
        lookup.assignment_of(call["AssignmentId"]),
        call.now,
        feedback=call.get("RequesterFeedback", ""),
        override=call.get("OverrideRejection", False),
    )
    return {}


@operation("RejectAssignment")
def reject_assignment(call: Call) -> dict[str, Any]:
    """Reject, with the reason that the worker reads."""
    if not call["RequesterFeedback"].strip():
        raise Refusal("parameter", reason="RequesterFeedback must say why.")
    assignment_life.reject(lookup.assignment_of(call["AssignmentId"]), call["RequesterFeedback"], call.now)
    return {}


@operation("GetFileUploadURL")
def get_file_upload_url(call: Call) -> dict[str, Any]:
    """Refuse: files came with QuestionForms, which this market does not draw."""
    lookup.assignment_of(call["AssignmentId"])
    raise Refusal("not_here", reason="GetFileUploadURL: no task of this market uploads files to it.")
