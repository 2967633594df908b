"""What do HITs of one group share? Equal values make the same type."""

import hashlib
import json
from typing import Any

from hits.localmarket import events, fees, requirements
from hits.localmarket.models import Hit, HitType, QualificationType
from hits.localmarket.operations import documents, lookup
from hits.localmarket.operations.paging import page
from hits.localmarket.operations.registry import Call, operation
from hits.localmarket.refusals import Refusal

LONGEST = {"Title": 128, "Description": 2000, "Keywords": 1000}
SHORTEST_SECONDS, LONGEST_SECONDS = 30, 31_536_000
LONGEST_APPROVAL = 2_592_000


def check_range(name: str, value: int, least: int, most: int) -> None:
    """Refuse a number outside its range."""
    if not least <= value <= most:
        raise Refusal("parameter", reason=f"{name} must be between {least} and {most}, not {value}.")


@operation("CreateHITType")
def create_hit_type(call: Call) -> dict[str, Any]:
    """Return the type with these values, made if there is none."""
    return {"HITTypeId": type_with(call).type_id}


def type_with(call: Call) -> HitType:
    """Return the type with a call's values."""
    _check_texts(call)
    asked = call.get("QualificationRequirements", [])
    _check_requirements(asked)
    delay = call.get("AutoApprovalDelayInSeconds", LONGEST_APPROVAL)
    duration = call["AssignmentDurationInSeconds"]
    check_range("AutoApprovalDelayInSeconds", delay, 0, LONGEST_APPROVAL)
    check_range("AssignmentDurationInSeconds", duration, SHORTEST_SECONDS, LONGEST_SECONDS)
    values = {
        "title": call["Title"],
        "description": call["Description"],
        "keywords": call.get("Keywords", ""),
        "reward_cents": fees.to_cents(call["Reward"]),
        "auto_approval_seconds": delay,
        "duration_seconds": duration,
        "requirements": asked,
    }
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
    return HitType.objects.get_or_create(digest=digest, defaults={**values, "created_at": call.now})[0]


def _check_texts(call: Call) -> None:
    for name, longest in LONGEST.items():
        text = call.get(name, "")
        if len(text) > longest:
            raise Refusal("parameter", reason=f"{name} is longer than {longest} characters.")
        if name != "Keywords" and not text.strip():
            raise Refusal("parameter", reason=f"{name} must not be empty.")


def _check_requirements(asked: list[dict[str, Any]]) -> None:
    if problem := requirements.problem_with(asked):
        raise Refusal("parameter", reason=problem)
    for each in asked:
        type_id = each["QualificationTypeId"]
        if type_id not in requirements.SYSTEM_TYPES:
            lookup.qualification_type_of(type_id)


@operation("UpdateNotificationSettings")
def update_notification_settings(call: Call) -> dict[str, Any]:
    """Set who is told about a type's HITs, or pause and resume it."""
    kind = lookup.hit_type_of(call["HITTypeId"])
    specification, active = call.get("Notification"), call.get("Active")
    if specification is None and active is None:
        raise Refusal("parameter", reason="Give Notification, Active, or both.")
    if specification is None and kind.notification is None:
        raise Refusal("parameter", reason="This HITType has no notification specification whose Active could change.")
    if specification is not None:
        events.check_specification(specification)
        kind.notification = specification
        kind.notification_active = True
    if active is not None:
        kind.notification_active = active
    kind.save()
    return {}


@operation("ListHITsForQualificationType")
def list_hits_for_qualification_type(call: Call) -> dict[str, Any]:
    """Return the HITs that ask for a qualification."""
    type_id = call["QualificationTypeId"]
    if type_id not in requirements.SYSTEM_TYPES and not QualificationType.objects.filter(type_id=type_id).exists():
        raise Refusal("qualification_type_missing", id=type_id)
    asking = [
        kind.pk
        for kind in HitType.objects.only("id", "requirements")
        if any(each["QualificationTypeId"] == type_id for each in kind.requirements)
    ]
    rows = Hit.objects.filter(type__in=asking).exclude(status=Hit.Status.DISPOSED).select_related("type")
    return page(call, rows, "HITs", documents.hit, newest_first=True)
