"""Events arrive where they were asked for: whole, doubled, out of order, or not at all."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.localmarket.market import AMBER, BASIL, hit_values, refused

ALL = [
    "AssignmentAccepted", "AssignmentAbandoned", "AssignmentReturned", "AssignmentSubmitted", "AssignmentRejected",
    "AssignmentApproved", "HITCreated", "HITExpired", "HITReviewable", "HITExtended", "HITDisposed", "Ping",
]  # fmt: skip


class Box:
    """An address that keeps what is posted to it, in the order of arrival."""

    def __init__(self) -> None:
        self.documents: list[dict] = []
        self.failures = 0
        box = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                box.failures, fails = max(box.failures - 1, 0), box.failures > 0
                if not fails:
                    box.documents.append(json.loads(body))
                self.send_response(503 if fails else 200)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/events"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def kinds(self, number: int, seconds: float = 12) -> list[str]:
        """Wait for that many documents, and a moment for one too many; return their kinds."""
        end = time.monotonic() + seconds
        while len(self.documents) < number and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.7)
        return [each["Events"][0]["EventType"] for each in self.documents]


@pytest.fixture
def box() -> Iterator[Box]:
    box = Box()
    yield box
    box.server.shutdown()


def specification(box: Box, **more) -> dict:
    return {"Destination": box.url, "Transport": "SQS", "Version": "2014-08-15", "EventTypes": ALL} | more


def publish(mturk, box: Box, **more) -> str:
    """Publish a HIT of a type whose events go to the box."""
    shared = {
        name: value
        for name, value in hit_values(**more).items()
        if name not in ("LifetimeInSeconds", "Question", "MaxAssignments")
    }
    type_id = mturk.create_hit_type(**shared)["HITTypeId"]
    mturk.update_notification_settings(HITTypeId=type_id, Notification=specification(box), Active=True)
    rest = {name: hit_values(**more)[name] for name in ("LifetimeInSeconds", "Question", "MaxAssignments")}
    return mturk.create_hit_with_hit_type(HITTypeId=type_id, **rest)["HIT"]["HITId"]


def test_everything_that_happens_to_a_hit_is_told(market, mturk, box):
    hit_id = publish(mturk, box, MaxAssignments=2, AssignmentDurationInSeconds=60)
    amber, basil = market.robot(AMBER), market.robot(BASIL)
    amber.post("return", assignment_id=amber.accept(hit_id))
    basil.accept(hit_id)
    market.forward(61)
    first, second = amber.do(hit_id), basil.do(hit_id)
    mturk.approve_assignment(AssignmentId=first)
    mturk.reject_assignment(AssignmentId=second, RequesterFeedback="No.")
    mturk.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    mturk.delete_hit(HITId=hit_id)
    expected = [
        "HITCreated", "AssignmentAccepted", "AssignmentReturned", "AssignmentAccepted", "AssignmentAbandoned",
        "AssignmentAccepted", "AssignmentSubmitted", "AssignmentAccepted", "HITReviewable", "AssignmentSubmitted",
        "AssignmentApproved", "AssignmentRejected", "HITExtended", "HITExpired", "HITReviewable", "HITDisposed",
    ]  # fmt: skip
    assert box.kinds(len(expected)) == expected
    document = box.documents[1]
    assert set(document) == {"EventDocVersion", "EventDocId", "CustomerId", "Events"}
    assert document["EventDocVersion"] == "2014-08-15"
    event = document["Events"][0]
    assert set(event) == {"EventType", "EventTimestamp", "HITTypeId", "HITId", "AssignmentId"}
    assert event["HITId"] == hit_id
    assert AMBER not in json.dumps(box.documents)


def test_a_test_event_comes_at_once_and_without_faults(market, mturk, box):
    market.control("settings", events_lost=100, events_doubled=100)
    mturk.send_test_event_notification(Notification=specification(box), TestEventType="AssignmentSubmitted")
    assert box.kinds(1) == ["AssignmentSubmitted"]


def test_events_are_doubled_with_one_document_id(market, mturk, box):
    market.control("settings", events_doubled=100)
    publish(mturk, box)
    assert box.kinds(2) == ["HITCreated", "HITCreated"]
    assert len({each["EventDocId"] for each in box.documents}) == 1


def test_events_are_lost(market, mturk, box):
    market.control("settings", events_lost=100)
    market.robot(AMBER).do(publish(mturk, box))
    market.control("settings", events_lost=0)
    publish(mturk, box, Title="Another")
    assert box.kinds(1) == ["HITCreated"]
    assert market.look("state")["deliveries"]["lost"] >= 3


def test_an_event_comes_after_a_later_one(market, mturk, box):
    market.control("settings", events_reordered=100)
    hit_id = publish(mturk, box)
    market.control("settings", events_reordered=0)
    market.robot(AMBER).accept(hit_id)
    assert box.kinds(2) == ["AssignmentAccepted", "HITCreated"]


def test_an_address_that_fails_is_tried_again(market, mturk, box):
    box.failures = 1
    publish(mturk, box)
    assert box.kinds(1) == ["HITCreated"]


def test_paused_notifications_and_unwanted_kinds_are_not_sent(market, mturk, box):
    hit_id = publish(mturk, box)
    assert box.kinds(1) == ["HITCreated"]
    type_id = mturk.get_hit(HITId=hit_id)["HIT"]["HITTypeId"]
    mturk.update_notification_settings(HITTypeId=type_id, Active=False)
    assignment_id = market.robot(AMBER).accept(hit_id)
    only = specification(box, EventTypes=["AssignmentReturned"])
    mturk.update_notification_settings(HITTypeId=type_id, Notification=only, Active=True)
    market.robot(AMBER).post("return", assignment_id=assignment_id)
    market.robot(AMBER).accept(hit_id)
    assert box.kinds(2) == ["HITCreated", "AssignmentReturned"]


def test_an_expired_hit_is_silent_where_that_is_set(market, mturk, box):
    market.control("settings", silent_after_expiry=True)
    hit_id = publish(mturk, box)
    amber = market.robot(AMBER)
    assignment_id = amber.accept(hit_id)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    amber.submit(assignment_id)
    assert box.kinds(4) == ["HITCreated", "AssignmentAccepted", "HITExpired", "HITReviewable"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"Destination": "arn:aws:sns:us-east-1:1:topic"}, "InvalidTransportEndpoint"),
        ({"Destination": "https://sqs.us-east-1.amazonaws.com/1/queue"}, "InvalidTransportEndpoint"),
        ({"Transport": "Email"}, "InvalidTransportEndpoint"),
        ({"Version": "2006-05-05"}, "InvalidParameterValue"),
        ({"EventTypes": []}, "InvalidParameterValue"),
    ],
)
def test_a_specification_that_cannot_be_served_is_refused(market, mturk, box, more, code):
    with refused(code):
        mturk.send_test_event_notification(Notification=specification(box, **more), TestEventType="Ping")
