"""What Mechanical Turk says of HITs and submissions, as the contract's own words."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from defusedxml import ElementTree

from hits.marketplace.base import Published, Submission


def published(row: dict[str, Any]) -> Published:
    return Published(
        hit_id=str(row["HITId"]),
        expires_at=utc(row.get("Expiration")),
        requirements=tuple(row.get("QualificationRequirements") or ()),
        available=int(row.get("NumberOfAssignmentsAvailable", 0)),
        pending=int(row.get("NumberOfAssignmentsPending", 0)),
        completed=int(row.get("NumberOfAssignmentsCompleted", 0)),
        annotation=str(row.get("RequesterAnnotation", "")),
        url=_url(str(row.get("Question", ""))),
        reward=Decimal(row.get("Reward", "0")),
    )


def submission(row: dict[str, Any]) -> Submission:
    return Submission(
        assignment_id=str(row["AssignmentId"]),
        hit_id=str(row["HITId"]),
        worker_id=str(row["WorkerId"]),
        state=row["AssignmentStatus"].lower(),
        submitted_at=utc(row.get("SubmitTime")),
        auto_approval_at=utc(row.get("AutoApprovalTime")),
        fields=answers(str(row.get("Answer", ""))),
        document=_plain(row),
    )


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as JSON that every database stores; times in ISO 8601, in UTC."""
    return {name: _storable(value) if isinstance(value, str) else _told(value) for name, value in row.items()}


def _told(value: Any) -> Any:
    moment = utc(value) if isinstance(value, datetime) else None
    return moment.isoformat() if moment else value


def _storable(text: str) -> str:
    """Return a text without NUL and lone surrogates, which PostgreSQL refuses: a worker's browser may send them."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


def _url(question: str) -> str:
    """Return the address that a HIT shows in its frame, empty where it shows none."""
    try:
        return ElementTree.fromstring(question).findtext("{*}ExternalURL") or ""
    except (ElementTree.ParseError, ValueError):
        return ""


def answers(document: str) -> dict[str, str]:
    """Return the fields of an Answer document, empty when it cannot be read: it comes from a worker's browser."""
    try:
        root = ElementTree.fromstring(document)
    except (ElementTree.ParseError, ValueError):
        return {}
    found = {}
    for answer in root.iterfind("{*}Answer"):
        name, text = answer.findtext("{*}QuestionIdentifier"), answer.findtext("{*}FreeText")
        if name:
            found[name] = text or ""
    return found


def utc(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC) if moment else None
