"""What does the requester have, and what was paid beside rewards?"""

from datetime import timedelta
from typing import Any

from hits.localmarket import books, fees
from hits.localmarket.models import Assignment, Movement
from hits.localmarket.operations import documents, lookup
from hits.localmarket.operations.paging import page
from hits.localmarket.operations.registry import Call, operation
from hits.localmarket.operations.tokens import refuse_repetition, remember
from hits.localmarket.refusals import Refusal

BONUS_WINDOW = timedelta(days=183)
"""The manual says six months."""


@operation("GetAccountBalance")
def get_account_balance(call: Call) -> dict[str, Any]:
    """Return what is available and what is on hold; an amount on the wire cannot be negative."""
    available, held = books.balance()
    return {"AvailableBalance": fees.to_amount(max(available, 0)), "OnHoldBalance": fees.to_amount(held)}


@operation("SendBonus")
def send_bonus(call: Call) -> dict[str, Any]:
    """Pay a bonus for an assignment that was handed in."""
    refuse_repetition(call, "bonus", "bonus_exists")
    worker = lookup.worker_of(call["WorkerId"])
    handed_in = Assignment.objects.filter(status__in=Assignment.HANDED_IN, is_visible=True)
    assignment = (
        handed_in.filter(assignment_id=call["AssignmentId"], worker=worker).select_related("hit", "worker").first()
    )
    if assignment is None or assignment.submitted_at is None:
        raise Refusal("bonus_assignment", id=call["AssignmentId"], worker=worker.worker_id)
    cents = fees.to_cents(call["BonusAmount"])
    if cents < 1 or not call["Reason"].strip():
        raise Refusal("parameter", reason="A bonus needs an amount of at least 0.01 and a Reason.")
    if call.now > assignment.submitted_at + BONUS_WINDOW:
        raise Refusal("parameter", reason="The assignment was completed more than six months ago.")
    books.pay_bonus(assignment, cents, call["Reason"], call.now)
    remember(call, "bonus", call.request_id)
    return {}


@operation("ListBonusPayments")
def list_bonus_payments(call: Call) -> dict[str, Any]:
    """Return the bonuses of a HIT or of an assignment."""
    rows = Movement.objects.filter(kind=Movement.Kind.BONUS).select_related("worker", "assignment")
    if ("HITId" in call.members) == ("AssignmentId" in call.members):
        raise Refusal("parameter", reason="Give either HITId or AssignmentId.")
    if hit_id := call.get("HITId"):
        rows = rows.filter(hit=lookup.hit_of(hit_id))
    else:
        rows = rows.filter(assignment=lookup.assignment_of(call["AssignmentId"]))
    return page(call, rows, "BonusPayments", documents.bonus)
