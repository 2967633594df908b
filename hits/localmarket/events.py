"""What does the marketplace tell those who asked? Writes event documents; ``delivering`` sends them.

Documents are shaped as those in the real service's queues. They are hints: they may come twice, late, out of order or
not at all, and the control page makes them do so.
"""

import random
import time
import uuid
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from hits.localmarket.models import Assignment, Delivery, Hit, Market
from hits.localmarket.refusals import Refusal

VERSION = "2014-08-15"
REQUESTER_ID = "A3LOCALREQUESTER0"
REORDER_SECONDS = 3.0
"""How long a reordered document waits for a later one."""


def check_specification(specification: dict[str, Any]) -> None:
    """Refuse a notification specification that could not be served here."""
    if specification["Transport"] not in ("SQS", "SNS"):
        raise Refusal("transport", reason="Transport is SQS or SNS.")
    if specification["Version"] != VERSION:
        raise Refusal("parameter", reason=f"The only valid Version is {VERSION}.")
    if not specification["EventTypes"]:
        raise Refusal("parameter", reason="EventTypes must not be empty.")
    address = urlsplit(specification["Destination"])
    if address.scheme not in ("http", "https") or not address.hostname:
        raise Refusal("transport", reason="Destination: here it is the http address that documents are posted to.")
    if address.hostname.endswith("amazonaws.com"):
        raise Refusal("transport", reason="Destination: this local marketplace posts to no queue of the real service.")


def tell(kind: str, hit: Hit, at: datetime, assignment: Assignment | None = None) -> None:
    """Tell that something happened, if the HIT's type has somebody who wants to know."""
    specification = hit.type.notification
    if not specification or not hit.type.notification_active or kind not in specification["EventTypes"]:
        return
    if assignment and hit.expires_at <= at and Market.get().silent_after_expiry:
        return
    event = {"HITTypeId": hit.type.type_id, "HITId": hit.hit_id}
    if assignment:
        event["AssignmentId"] = assignment.assignment_id
    post(specification["Destination"], kind, at, event)


def post(destination: str, kind: str, at: datetime, event: dict[str, str], *, faultless: bool = False) -> None:
    """Write one document for a destination, with the faults that are set."""
    document_id = str(uuid.uuid4())
    document = {
        "EventDocVersion": VERSION,
        "EventDocId": document_id,
        "CustomerId": REQUESTER_ID,
        "Events": [{"EventType": kind, "EventTimestamp": at.strftime("%Y-%m-%dT%H:%M:%SZ"), **event}],
    }
    market = Market() if faultless else Market.get()
    reordered = _happens(market.events_reordered)
    row = Delivery(
        document_id=document_id,
        destination=destination,
        document=document,
        next_at=time.time() + (REORDER_SECONDS if reordered else 0),
        waits_for_next=reordered,
        state="lost" if _happens(market.events_lost) else "waiting",
    )
    row.save()
    if row.state == "waiting" and _happens(market.events_doubled):
        row.pk = None
        row.save(force_insert=True)


def _happens(percent: int) -> bool:
    return random.random() * 100 < percent
