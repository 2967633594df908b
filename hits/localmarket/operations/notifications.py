"""How do requesters try out where events go?"""

from typing import Any

from hits.localmarket import events
from hits.localmarket.identifiers import new_id
from hits.localmarket.operations.registry import Call, operation


@operation("SendTestEventNotification")
def send_test_event(call: Call) -> dict[str, Any]:
    """Post a document as if something had happened, faults or not."""
    specification, kind = call["Notification"], call["TestEventType"]
    events.check_specification(specification)
    event = {"HITTypeId": new_id(), "HITId": new_id()}
    if kind.startswith("Assignment"):
        event["AssignmentId"] = new_id()
    events.post(specification["Destination"], kind, call.now, event, faultless=True)
    return {}
