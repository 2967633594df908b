"""How do rows look on the wire? Members that have no value are left out."""

from typing import Any

from hits.localmarket import requirements
from hits.localmarket.fees import to_amount
from hits.localmarket.hit_life import count
from hits.localmarket.models import (
    Assignment,
    Block,
    Hit,
    Movement,
    Qualification,
    QualificationRequest,
    QualificationType,
)

Document = dict[str, Any]


def _filled(document: Document) -> Document:
    return {name: value for name, value in document.items() if value not in (None, "")}


def hit(row: Hit) -> Document:
    """Return a HIT."""
    counts, kind = count(row), row.type
    return _filled(
        {
            "HITId": row.hit_id,
            "HITTypeId": kind.type_id,
            "HITGroupId": kind.group_id,
            "CreationTime": row.created_at,
            "Title": kind.title,
            "Description": kind.description,
            "Question": row.question,
            "Keywords": kind.keywords,
            "HITStatus": row.status,
            "MaxAssignments": row.max_assignments,
            "Reward": to_amount(kind.reward_cents),
            "AutoApprovalDelayInSeconds": kind.auto_approval_seconds,
            "Expiration": row.expires_at,
            "AssignmentDurationInSeconds": kind.duration_seconds,
            "RequesterAnnotation": row.annotation,
            "QualificationRequirements": kind.requirements,
            "HITReviewStatus": "NotReviewed",
            "NumberOfAssignmentsPending": counts.pending,
            "NumberOfAssignmentsAvailable": counts.available,
            "NumberOfAssignmentsCompleted": counts.decided,
        }
    )


def hit_id(row: Hit) -> Document:
    """Return all that the list of reviewable HITs was seen to tell of a HIT."""
    return {"HITId": row.hit_id}


def assignment(row: Assignment) -> Document:
    """Return an assignment that was handed in."""
    return _filled(
        {
            "AssignmentId": row.assignment_id,
            "WorkerId": row.worker.worker_id,
            "HITId": row.hit.hit_id,
            "AssignmentStatus": row.status,
            "AutoApprovalTime": row.auto_approval_at,
            "AcceptTime": row.accepted_at,
            "SubmitTime": row.submitted_at,
            "ApprovalTime": row.approved_at,
            "RejectionTime": row.rejected_at,
            "Deadline": row.deadline,
            "Answer": row.answer,
            "RequesterFeedback": row.feedback,
        }
    )


def bonus(row: Movement) -> Document:
    """Return a bonus from its line in the books."""
    return {
        "WorkerId": row.worker.worker_id if row.worker else "",
        "BonusAmount": to_amount(row.worker_cents),
        "AssignmentId": row.assignment.assignment_id if row.assignment else "",
        "Reason": row.note,
        "GrantTime": row.at,
    }


def qualification_type(row: QualificationType) -> Document:
    """Return a qualification type of the requester's own."""
    return _filled(
        {
            "QualificationTypeId": row.type_id,
            "CreationTime": row.created_at,
            "Name": row.name,
            "Description": row.description,
            "Keywords": row.keywords,
            "QualificationTypeStatus": "Active" if row.is_active else "Inactive",
            "RetryDelayInSeconds": row.retry_delay,
            "IsRequestable": True,
            "AutoGranted": row.auto_granted,
            "AutoGrantedValue": row.auto_granted_value if row.auto_granted else None,
        }
    )


def system_type(type_id: str) -> Document:
    """Return a qualification type that the marketplace keeps."""
    name = requirements.SYSTEM_TYPES[type_id]
    return {
        "QualificationTypeId": type_id,
        "Name": name,
        "Description": f"{name}, kept by the marketplace.",
        "QualificationTypeStatus": "Active",
        "IsRequestable": False,
        "AutoGranted": False,
    }


def qualification(row: Qualification) -> Document:
    """Return what a worker holds."""
    return {
        "QualificationTypeId": row.type.type_id,
        "WorkerId": row.worker.worker_id,
        "GrantTime": row.granted_at,
        "IntegerValue": row.value,
        "Status": "Granted" if row.is_granted else "Revoked",
    }


def qualification_request(row: QualificationRequest) -> Document:
    """Return a worker's open request."""
    return {
        "QualificationRequestId": row.request_id,
        "QualificationTypeId": row.type.type_id,
        "WorkerId": row.worker.worker_id,
        "SubmitTime": row.submitted_at,
    }


def block(row: Block) -> Document:
    """Return a worker block."""
    return {"WorkerId": row.worker.worker_id, "Reason": row.reason}
