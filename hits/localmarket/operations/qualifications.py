"""Who holds which qualification? Grants, revocations and workers' requests."""

from datetime import datetime
from typing import Any

from hits.localmarket import requirements
from hits.localmarket.models import Message, Qualification, QualificationRequest, QualificationType, Worker
from hits.localmarket.operations import documents, lookup
from hits.localmarket.operations.paging import page
from hits.localmarket.operations.registry import Call, operation
from hits.localmarket.refusals import Refusal


def grant(kind: QualificationType, worker: Worker, value: int, at: datetime) -> None:
    """Give a worker a value; the same value again changes nothing but the time."""
    Qualification.objects.update_or_create(
        type=kind, worker=worker, defaults={"value": value, "granted_at": at, "is_granted": True}
    )


def _own_type(type_id: str) -> QualificationType:
    if type_id in requirements.SYSTEM_TYPES:
        raise Refusal("permission", reason=f"QualificationType {type_id} belongs to the marketplace.")
    return lookup.qualification_type_of(type_id)


def _held(kind: QualificationType, worker: Worker) -> Qualification:
    found = Qualification.objects.filter(type=kind, worker=worker).first()
    if found is None:
        raise Refusal("qualification_missing", id=kind.type_id, worker=worker.worker_id)
    return found


def _tell(call: Call, worker: Worker, subject: str, text: str) -> None:
    Message.objects.create(worker=worker, at=call.now, subject=subject[:200], text=text)


@operation("AssociateQualificationWithWorker")
def associate(call: Call) -> dict[str, Any]:
    """Grant a qualification; the worker gets a message unless told not to send one."""
    kind, worker = _own_type(call["QualificationTypeId"]), lookup.worker_of(call["WorkerId"])
    grant(kind, worker, call.get("IntegerValue", 1), call.now)
    if call.get("SendNotification", True):
        text = f"You were granted the qualification “{kind.name}”: {kind.description}"
        _tell(call, worker, f"Qualification granted: {kind.name}", text)
    return {}


@operation("DisassociateQualificationFromWorker")
def disassociate(call: Call) -> dict[str, Any]:
    """Revoke a qualification; the worker reads the reason."""
    kind, worker = _own_type(call["QualificationTypeId"]), lookup.worker_of(call["WorkerId"])
    held = _held(kind, worker)
    if not held.is_granted:
        raise Refusal("qualification_state")
    held.is_granted = False
    held.save()
    if reason := call.get("Reason"):
        _tell(call, worker, f"Qualification revoked: {kind.name}", reason)
    return {}


@operation("GetQualificationScore")
def get_qualification_score(call: Call) -> dict[str, Any]:
    """Return what a worker holds of a type."""
    held = _held(_own_type(call["QualificationTypeId"]), lookup.worker_of(call["WorkerId"]))
    if not held.is_granted:
        raise Refusal("qualification_state")
    return {"Qualification": documents.qualification(held)}


@operation("ListWorkersWithQualificationType")
def list_workers(call: Call) -> dict[str, Any]:
    """Return who holds a type, or had it revoked."""
    rows = Qualification.objects.filter(type=_own_type(call["QualificationTypeId"])).select_related("type", "worker")
    if status := call.get("Status"):
        rows = rows.filter(is_granted=status == "Granted")
    return page(call, rows, "Qualifications", documents.qualification)


@operation("ListQualificationRequests")
def list_requests(call: Call) -> dict[str, Any]:
    """Return the requests that wait for a decision."""
    rows = QualificationRequest.objects.filter(decided_at=None).select_related("type", "worker")
    if type_id := call.get("QualificationTypeId"):
        rows = rows.filter(type=_own_type(type_id))
    return page(call, rows, "QualificationRequests", documents.qualification_request)


@operation("AcceptQualificationRequest")
def accept_request(call: Call) -> dict[str, Any]:
    """Grant what a worker asked for."""
    request = lookup.qualification_request_of(call["QualificationRequestId"])
    grant(request.type, request.worker, call.get("IntegerValue", 1), call.now)
    request.decided_at, request.is_accepted = call.now, True
    request.save()
    return {}


@operation("RejectQualificationRequest")
def reject_request(call: Call) -> dict[str, Any]:
    """Refuse what a worker asked for; they read the reason."""
    request = lookup.qualification_request_of(call["QualificationRequestId"])
    request.decided_at, request.reason = call.now, call.get("Reason", "")
    request.save()
    return {}
