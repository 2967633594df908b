"""How do requesters make and find qualification types?"""

from datetime import timedelta
from typing import Any

from django.db.models import Q

from hits.localmarket import requirements
from hits.localmarket.models import QualificationRequest, QualificationType
from hits.localmarket.operations import documents, lookup
from hits.localmarket.operations.paging import page
from hits.localmarket.operations.registry import Call, operation
from hits.localmarket.refusals import Refusal

NAME_RESERVED = timedelta(hours=48)
"""How long a deleted type's name stays taken; the manual says up to this."""


def _refuse_tests(call: Call) -> None:
    if any(name in call.members for name in ("Test", "AnswerKey", "TestDurationInSeconds")):
        raise Refusal("not_here", reason="Qualification tests: this market does not draw them.")


@operation("CreateQualificationType")
def create_qualification_type(call: Call) -> dict[str, Any]:
    """Make a type; its name is the requester's only one."""
    _refuse_tests(call)
    name = call["Name"]
    if not 1 <= len(name) <= 200 or not call["Description"].strip():
        raise Refusal("parameter", reason="Name has 1 to 200 characters and Description is not empty.")
    taken = Q(deleted_at=None) | Q(deleted_at__gt=call.now - NAME_RESERVED)
    if QualificationType.objects.filter(taken, name=name).exists():
        raise Refusal("qualification_name_taken")
    row = QualificationType.objects.create(
        created_at=call.now,
        name=name,
        keywords=call.get("Keywords", ""),
        description=call["Description"],
        is_active=call["QualificationTypeStatus"] == "Active",
        retry_delay=call.get("RetryDelayInSeconds"),
        auto_granted=call.get("AutoGranted", False),
        auto_granted_value=call.get("AutoGrantedValue", 1),
    )
    return {"QualificationType": documents.qualification_type(row)}


@operation("UpdateQualificationType")
def update_qualification_type(call: Call) -> dict[str, Any]:
    """Change a type, but not its name and keywords."""
    _refuse_tests(call)
    row = lookup.qualification_type_of(call["QualificationTypeId"])
    row.description = call.get("Description", row.description)
    if status := call.get("QualificationTypeStatus"):
        row.is_active = status == "Active"
    row.retry_delay = call.get("RetryDelayInSeconds", row.retry_delay)
    row.auto_granted = call.get("AutoGranted", row.auto_granted)
    row.auto_granted_value = call.get("AutoGrantedValue", row.auto_granted_value)
    row.save()
    return {"QualificationType": documents.qualification_type(row)}


@operation("GetQualificationType")
def get_qualification_type(call: Call) -> dict[str, Any]:
    """Return a type, the marketplace's own too."""
    type_id = call["QualificationTypeId"]
    if type_id in requirements.SYSTEM_TYPES:
        return {"QualificationType": documents.system_type(type_id)}
    return {"QualificationType": documents.qualification_type(lookup.qualification_type_of(type_id))}


@operation("ListQualificationTypes")
def list_qualification_types(call: Call) -> dict[str, Any]:
    """Return types by a part of their name, description or keywords; the marketplace's own come on the first page."""
    query = call.get("Query", "")
    rows = QualificationType.objects.filter(deleted_at=None)
    rows = rows.filter(Q(name__icontains=query) | Q(description__icontains=query) | Q(keywords__icontains=query))
    answer = page(call, rows, "QualificationTypes", documents.qualification_type)
    wants_all = not call["MustBeRequestable"] and not call.get("MustBeOwnedByCaller", False)
    if wants_all and "NextToken" not in call.members:
        system = [documents.system_type(each) for each in requirements.SYSTEM_TYPES]
        found = [each for each in system if query.lower() in each["Name"].lower()]
        answer["QualificationTypes"] = found + answer["QualificationTypes"]
        answer["NumResults"] = len(answer["QualificationTypes"])
    return answer


@operation("DeleteQualificationType")
def delete_qualification_type(call: Call) -> dict[str, Any]:
    """Delete a type and reject its open requests. What workers hold of it stays."""
    row = lookup.qualification_type_of(call["QualificationTypeId"])
    row.deleted_at = call.now
    row.save()
    QualificationRequest.objects.filter(type=row, decided_at=None).update(
        decided_at=call.now, reason="The qualification was deleted."
    )
    return {}
