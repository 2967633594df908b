"""Every operation, called through boto3 over HTTP, does its work."""

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path

import botocore.session
import httpx
import pytest
from botocore import xform_name

from tests.localmarket.market import AMBER, BASIL, hit_values, refused

NAMES = botocore.session.get_session().get_service_model("mturk").operation_names
NOTIFICATION = {
    "Destination": "http://127.0.0.1:9/events", "Transport": "SQS", "Version": "2014-08-15",
    "EventTypes": ["HITCreated"],
}  # fmt: skip


def test_every_operation_is_called_in_this_module():
    names = {node.attr for node in ast.walk(ast.parse(Path(__file__).read_text())) if isinstance(node, ast.Attribute)}
    assert len(NAMES) == 39
    assert {xform_name(name) for name in NAMES} <= names


def test_a_client_finds_all_operations_answered(market, mturk):
    """Called with nothing, each is refused for what is missing, or works; none is unknown."""
    for name in NAMES:
        headers = {"X-Amz-Target": f"MTurkRequesterServiceV20170117.{name}", "Authorization": SIGNED}
        response = httpx.post(f"{market.url}/", content=b"{}", headers=headers)
        assert response.json().get("__type") in (None, "ValidationException", "RequestError"), name
        assert response.headers["x-amzn-RequestId"]


SIGNED = (
    "AWS4-HMAC-SHA256 Credential=K/20260101/us-east-1/mturk-requester/aws4_request, SignedHeaders=host, Signature=0"
)


def test_hit_types_hits_and_their_lists(market, mturk):
    shared = {
        name: hit_values()[name]
        for name in ("Title", "Description", "Keywords", "Reward", "AssignmentDurationInSeconds")
    }
    type_id = mturk.create_hit_type(**shared)["HITTypeId"]
    assert mturk.create_hit_type(**shared)["HITTypeId"] == type_id
    assert mturk.create_hit_type(**{**shared, "Reward": "1.01"})["HITTypeId"] != type_id
    rest = {name: hit_values()[name] for name in ("LifetimeInSeconds", "Question")}
    first = mturk.create_hit_with_hit_type(HITTypeId=type_id, **rest)["HIT"]
    second = mturk.create_hit(**hit_values(MaxAssignments=3, RequesterAnnotation="run:7"))["HIT"]
    assert mturk.get_hit(HITId=second["HITId"])["HIT"] == second
    assert first["HITTypeId"] == type_id
    assert second["MaxAssignments"] == second["NumberOfAssignmentsAvailable"] == 3
    assert second["HITStatus"] == "Assignable"
    assert second["Reward"] == "1.00"
    assert abs(second["Expiration"] - second["CreationTime"] - timedelta(hours=1)) < timedelta(seconds=1)
    assert [each["HITId"] for each in mturk.list_hits()["HITs"]] == [second["HITId"], first["HITId"]]
    mturk.update_hit_type_of_hit(HITId=second["HITId"], HITTypeId=type_id)
    assert mturk.get_hit(HITId=second["HITId"])["HIT"]["HITTypeId"] == type_id
    mturk.create_additional_assignments_for_hit(HITId=second["HITId"], NumberOfAdditionalAssignments=2)
    assert mturk.get_hit(HITId=second["HITId"])["HIT"]["MaxAssignments"] == 5


def test_a_hit_from_publication_to_deletion(market, mturk):
    hit_id = mturk.create_hit(**hit_values())["HIT"]["HITId"]
    assignment_id = market.robot(AMBER).do(hit_id, seat="7", note="ünïcode <&>")
    assert mturk.list_reviewable_hits()["HITs"] == [{"HITId": hit_id}]
    mturk.update_hit_review_status(HITId=hit_id)
    assert mturk.list_reviewable_hits(Status="Reviewing")["NumResults"] == 1
    mturk.update_hit_review_status(HITId=hit_id, Revert=True)
    listed = mturk.list_assignments_for_hit(HITId=hit_id, AssignmentStatuses=["Submitted"])["Assignments"]
    assert [each["AssignmentId"] for each in listed] == [assignment_id]
    assert "<QuestionIdentifier>seat</QuestionIdentifier><FreeText>7</FreeText>" in listed[0]["Answer"]
    assert "&#252;n&#239;code &lt;&amp;&gt;" in listed[0]["Answer"]
    mturk.approve_assignment(AssignmentId=assignment_id, RequesterFeedback="Thank you.")
    got = mturk.get_assignment(AssignmentId=assignment_id)
    assert got["Assignment"]["AssignmentStatus"] == "Approved"
    assert got["Assignment"]["WorkerId"] == AMBER
    assert got["HIT"]["NumberOfAssignmentsCompleted"] == 1
    mturk.send_bonus(WorkerId=AMBER, AssignmentId=assignment_id, BonusAmount="0.50", Reason="Waited long.")
    bonus = mturk.list_bonus_payments(HITId=hit_id)["BonusPayments"][0]
    assert (bonus["BonusAmount"], bonus["Reason"], bonus["WorkerId"]) == ("0.50", "Waited long.", AMBER)
    assert mturk.list_bonus_payments(AssignmentId=assignment_id)["NumResults"] == 1
    with refused("NotSupportedByLocalMarket"):
        mturk.get_file_upload_url(AssignmentId=assignment_id, QuestionIdentifier="x")
    mturk.delete_hit(HITId=hit_id)
    with refused("HITDoesNotExist"):
        mturk.get_hit(HITId=hit_id)
    assert mturk.list_hits()["NumResults"] == 0


def test_a_rejection_and_an_early_end(market, mturk):
    hit_id = mturk.create_hit(**hit_values(MaxAssignments=2))["HIT"]["HITId"]
    assignment_id = market.robot(AMBER).do(hit_id)
    mturk.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="Empty.")
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=datetime(1970, 1, 1, tzinfo=UTC))
    assert mturk.get_hit(HITId=hit_id)["HIT"]["HITStatus"] == "Reviewable"
    assert mturk.get_assignment(AssignmentId=assignment_id)["Assignment"]["RequesterFeedback"] == "Empty."


def test_qualification_types_and_scores(market, mturk):
    made = mturk.create_qualification_type(
        Name="Done enough", Description="Has done enough.", QualificationTypeStatus="Active", Keywords="cap"
    )["QualificationType"]
    type_id = made["QualificationTypeId"]
    changed = mturk.update_qualification_type(QualificationTypeId=type_id, Description="Enough.")["QualificationType"]
    assert mturk.get_qualification_type(QualificationTypeId=type_id)["QualificationType"] == changed
    found = mturk.list_qualification_types(Query="done", MustBeRequestable=True, MustBeOwnedByCaller=True)
    assert [each["QualificationTypeId"] for each in found["QualificationTypes"]] == [type_id]
    everything = mturk.list_qualification_types(MustBeRequestable=False)["QualificationTypes"]
    assert "000000000000000000L0" in {each["QualificationTypeId"] for each in everything}
    mturk.associate_qualification_with_worker(QualificationTypeId=type_id, WorkerId=AMBER, IntegerValue=3)
    score = mturk.get_qualification_score(QualificationTypeId=type_id, WorkerId=AMBER)["Qualification"]
    assert (score["IntegerValue"], score["Status"]) == (3, "Granted")
    asking = hit_values(QualificationRequirements=[{"QualificationTypeId": type_id, "Comparator": "DoesNotExist"}])
    hit_id = mturk.create_hit(**asking)["HIT"]["HITId"]
    assert mturk.list_hits_for_qualification_type(QualificationTypeId=type_id)["HITs"][0]["HITId"] == hit_id
    mturk.disassociate_qualification_from_worker(QualificationTypeId=type_id, WorkerId=AMBER, Reason="Reset.")
    with refused("InvalidQualificationState", "Granted"):
        mturk.get_qualification_score(QualificationTypeId=type_id, WorkerId=AMBER)
    listed = mturk.list_workers_with_qualification_type(QualificationTypeId=type_id, Status="Revoked")
    assert [each["WorkerId"] for each in listed["Qualifications"]] == [AMBER]
    mturk.delete_qualification_type(QualificationTypeId=type_id)
    with refused("QualificationTypeDoesNotExist"):
        mturk.get_qualification_type(QualificationTypeId=type_id)


def test_qualification_requests(market, mturk):
    type_id = mturk.create_qualification_type(
        Name="On request", Description="Ask.", QualificationTypeStatus="Active", RetryDelayInSeconds=3600
    )["QualificationType"]["QualificationTypeId"]
    amber, basil = market.robot(AMBER), market.robot(BASIL)
    assert amber.post("ask", qualification_type_id=type_id) == {"granted": False}
    basil.post("ask", qualification_type_id=type_id)
    first, second = mturk.list_qualification_requests(QualificationTypeId=type_id)["QualificationRequests"]
    mturk.accept_qualification_request(QualificationRequestId=first["QualificationRequestId"], IntegerValue=9)
    mturk.reject_qualification_request(QualificationRequestId=second["QualificationRequestId"], Reason="No.")
    score = mturk.get_qualification_score(QualificationTypeId=type_id, WorkerId=AMBER)["Qualification"]
    assert score["IntegerValue"] == 9
    with refused("InvalidQualificationRequestState"):
        mturk.accept_qualification_request(QualificationRequestId=second["QualificationRequestId"])
    with pytest.raises(Exception, match="not_requestable"):
        basil.post("ask", qualification_type_id=type_id)
    market.forward(3601)
    basil.post("ask", qualification_type_id=type_id)


def test_workers_are_blocked_told_and_let_back(market, mturk):
    hit_id = mturk.create_hit(**hit_values(MaxAssignments=2))["HIT"]["HITId"]
    mturk.approve_assignment(AssignmentId=market.robot(AMBER).do(hit_id))
    told = mturk.notify_workers(Subject="Thanks", MessageText="Well done.", WorkerIds=[AMBER, BASIL, "A0NOBODY"])
    failures = {each["WorkerId"]: each["NotifyWorkersFailureCode"] for each in told["NotifyWorkersFailureStatuses"]}
    assert failures == {BASIL: "HardFailure", "A0NOBODY": "HardFailure"}
    assert market.robot(AMBER).get("me")["messages"] == [{"subject": "Thanks", "text": "Well done."}]
    mturk.create_worker_block(WorkerId=BASIL, Reason="Spam.")
    assert mturk.list_worker_blocks()["WorkerBlocks"] == [{"WorkerId": BASIL, "Reason": "Spam."}]
    assert market.robot(BASIL).get("hits") == []
    mturk.delete_worker_block(WorkerId=BASIL)
    mturk.delete_worker_block(WorkerId=BASIL)
    assert len(market.robot(BASIL).get("hits")) == 1


def test_notifications_and_review_policies(market, mturk):
    policy = {"PolicyName": "SimplePlurality/2011-09-01", "Parameters": [{"Key": "QuestionIds", "Values": ["a"]}]}
    hit = mturk.create_hit(**hit_values(HITReviewPolicy=policy))["HIT"]
    mturk.update_notification_settings(HITTypeId=hit["HITTypeId"], Notification=NOTIFICATION, Active=True)
    mturk.update_notification_settings(HITTypeId=hit["HITTypeId"], Active=False)
    mturk.send_test_event_notification(Notification=NOTIFICATION, TestEventType="Ping")
    results = mturk.list_review_policy_results_for_hit(HITId=hit["HITId"])
    assert results["HITReviewPolicy"] == policy
    assert results["HITReviewReport"] == {"ReviewResults": [], "ReviewActions": []}
    with refused("InvalidParameterValue"):
        mturk.create_hit(**hit_values(AssignmentReviewPolicy={"PolicyName": "Mine"}))


def test_the_account_has_a_balance(market, mturk):
    balance = mturk.get_account_balance()
    assert (balance["AvailableBalance"], balance["OnHoldBalance"]) == ("10000.00", "0.00")
