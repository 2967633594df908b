"""How do requesters publish, change, list and delete HITs?"""

from datetime import timedelta
from typing import Any

from hits.localmarket import hit_life, questions
from hits.localmarket.models import Hit, HitType
from hits.localmarket.operations import documents, lookup
from hits.localmarket.operations.hit_types import LONGEST_SECONDS, SHORTEST_SECONDS, check_range, type_with
from hits.localmarket.operations.paging import page
from hits.localmarket.operations.registry import Call, operation
from hits.localmarket.operations.tokens import refuse_repetition, remember
from hits.localmarket.refusals import Refusal

POLICIES = {
    "AssignmentReviewPolicy": ("ScoreMyKnownAnswers/2011-09-01",),
    "HITReviewPolicy": ("SimplePlurality/2011-09-01",),
}


@operation("CreateHIT")
def create_hit(call: Call) -> dict[str, Any]:
    """Publish a HIT, with its type from the same call."""
    refuse_repetition(call, "hit", "hit_exists")
    return _create(call, type_with(call))


@operation("CreateHITWithHITType")
def create_hit_with_hit_type(call: Call) -> dict[str, Any]:
    """Publish a HIT of a type."""
    refuse_repetition(call, "hit", "hit_exists")
    return _create(call, lookup.hit_type_of(call["HITTypeId"]))


def _create(call: Call, kind: HitType) -> dict[str, Any]:
    if "HITLayoutId" in call.members:
        raise Refusal("layout_missing", id=call["HITLayoutId"])
    if "Question" not in call.members:
        raise Refusal("parameter", reason="Give a Question.")
    questions.read(call["Question"])
    annotation, most = call.get("RequesterAnnotation", ""), call.get("MaxAssignments", 1)
    if len(annotation) > 255 or not annotation.isascii():
        raise Refusal("parameter", reason="RequesterAnnotation is at most 255 ASCII characters.")
    check_range("MaxAssignments", most, 1, hit_life.MOST_ASSIGNMENTS)
    check_range("LifetimeInSeconds", call["LifetimeInSeconds"], SHORTEST_SECONDS, LONGEST_SECONDS)
    for name, known in POLICIES.items():
        policy = call.get(name)
        if policy and policy["PolicyName"] not in known:
            raise Refusal("parameter", reason=f"{name}: the policies are {', '.join(known)}.")
    lifetime = timedelta(seconds=call["LifetimeInSeconds"])
    hit = hit_life.create(kind, most, lifetime, call["Question"], annotation, call.now)
    hit.assignment_policy, hit.hit_policy = call.get("AssignmentReviewPolicy"), call.get("HITReviewPolicy")
    hit.save()
    remember(call, "hit", hit.hit_id)
    return {"HIT": documents.hit(hit)}


@operation("GetHIT")
def get_hit(call: Call) -> dict[str, Any]:
    """Return a HIT."""
    return {"HIT": documents.hit(lookup.hit_of(call["HITId"]))}


@operation("ListHITs")
def list_hits(call: Call) -> dict[str, Any]:
    """Return all HITs, the newest first."""
    rows = Hit.objects.exclude(status=Hit.Status.DISPOSED).select_related("type")
    return page(call, rows, "HITs", documents.hit, newest_first=True)


@operation("ListReviewableHITs")
def list_reviewable_hits(call: Call) -> dict[str, Any]:
    """Return the ids of the HITs that wait for review; the real service sends no more of them, either."""
    rows = Hit.objects.filter(status=call.get("Status", "Reviewable"))
    if type_id := call.get("HITTypeId"):
        rows = rows.filter(type=lookup.hit_type_of(type_id))
    return page(call, rows, "HITs", documents.hit_id, newest_first=True)


@operation("CreateAdditionalAssignmentsForHIT")
def create_additional_assignments(call: Call) -> dict[str, Any]:
    """Let more workers do a HIT."""
    refuse_repetition(call, "extension", "extension_exists")
    hit_life.extend(lookup.hit_of(call["HITId"]), call["NumberOfAdditionalAssignments"], call.now)
    remember(call, "extension", call.request_id)
    return {}


@operation("UpdateExpirationForHIT")
def update_expiration(call: Call) -> dict[str, Any]:
    """Let a HIT end earlier, now, or later."""
    hit_life.set_expiration(lookup.hit_of(call["HITId"]), call["ExpireAt"], call.now)
    return {}


@operation("UpdateHITReviewStatus")
def update_review_status(call: Call) -> dict[str, Any]:
    """Move a HIT from Reviewable to Reviewing, or back."""
    hit_life.set_reviewing(lookup.hit_of(call["HITId"]), not call.get("Revert", False), call.now)
    return {}


@operation("UpdateHITTypeOfHIT")
def update_type(call: Call) -> dict[str, Any]:
    """Give a HIT that nobody accepted another type."""
    hit_life.change_type(lookup.hit_of(call["HITId"]), lookup.hit_type_of(call["HITTypeId"]), call.now)
    return {}


@operation("DeleteHIT")
def delete_hit(call: Call) -> dict[str, Any]:
    """Dispose of a HIT whose work is all decided."""
    hit_life.dispose(lookup.hit_of(call["HITId"]), call.now)
    return {}


@operation("ListReviewPolicyResultsForHIT")
def list_review_policy_results(call: Call) -> dict[str, Any]:
    """Return a HIT's review policies. They are kept and shown but not carried out here, so the reports are empty."""
    hit = lookup.hit_of(call["HITId"])
    levels = call.get("PolicyLevels", ["Assignment", "HIT"])
    answer: dict[str, Any] = {"HITId": hit.hit_id}
    for level, policy in (("Assignment", hit.assignment_policy), ("HIT", hit.hit_policy)):
        if level in levels and policy:
            answer[f"{level}ReviewPolicy"] = policy
            answer[f"{level}ReviewReport"] = {"ReviewResults": [], "ReviewActions": []}
    return answer
