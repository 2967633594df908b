"""What Mechanical Turk says, and what is made of it; against canned answers. The whole loop runs elsewhere."""

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from botocore.stub import Stubber

from collector.lib import clock
from hits.ledger import Answer
from hits.marketplace.base import MarketplaceError
from hits.marketplace.mturk import MTurk
from hits.marketplace.mturk_rows import answers, published, submission
from hits.models import EntryKind, LedgerEntry
from tests import factories
from tests.hits import recruiting

PREFIX = "AWS.MechanicalTurk."


class Stubbed:
    """An adapter whose client gives canned answers, in order."""

    def __init__(self) -> None:
        self.market = MTurk("local", "http://127.0.0.1:9", "key", "secret-that-is-never-shown")
        self.stub = Stubber(self.market._client)

    def says(self, operation: str, answer: dict[str, Any] | None = None, asked: dict[str, Any] | None = None) -> None:
        self.stub.add_response(operation, answer or {}, asked)

    def refuses(self, operation: str, code: str, message: str = "No.", status: int = 400) -> None:
        extra = {"TurkErrorCode": PREFIX + code}
        self.stub.add_client_error(operation, "RequestError", message, status, response_meta=None, **_top(extra))

    def fails(self, operation: str, code: str, status: int = 400) -> None:
        self.stub.add_client_error(operation, code, "Rate exceeded", status)


def _top(extra: dict[str, str]) -> dict[str, Any]:
    return {"modeled_fields": {"TurkErrorCode": extra["TurkErrorCode"]}}


@pytest.fixture
def mturk() -> Any:
    made = Stubbed()
    with made.stub:
        yield made
        made.stub.assert_no_pending_responses()


def hit(**fields: Any) -> dict[str, Any]:
    return {"HIT": {"HITId": "H" * 30, "Reward": "2.40", "RequesterAnnotation": "lab:1"} | fields}


def publish(mturk: Stubbed) -> str:
    return mturk.market.publish("T" * 30, "https://x.example/?a=1&b=2", "token-1", "lab:1", 3600).hit_id


def test_a_hit_is_one_seat_in_a_frame_with_its_token_and_annotation(mturk: Stubbed) -> None:
    frame = (
        '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
        'ExternalQuestion.xsd"><ExternalURL>https://x.example/?a=1&amp;b=2</ExternalURL>'
        "<FrameHeight>0</FrameHeight></ExternalQuestion>"
    )
    mturk.says(
        "create_hit_with_hit_type",
        hit(),
        {
            "HITTypeId": "T" * 30, "MaxAssignments": 1, "LifetimeInSeconds": 3600, "Question": frame,
            "RequesterAnnotation": "lab:1", "UniqueRequestToken": "token-1",
        },
    )  # fmt: skip
    assert publish(mturk) == "H" * 30


def test_a_hit_whose_answer_was_lost_is_found_by_the_id_in_the_message(mturk: Stubbed) -> None:
    mturk.refuses("create_hit_with_hit_type", "HitAlreadyExists", f"The HIT {'H' * 30} exists. (1624047673908)")
    mturk.says("get_hit", hit())
    assert publish(mturk) == "H" * 30


def test_a_hit_whose_answer_was_lost_is_found_by_its_annotation(mturk: Stubbed) -> None:
    mturk.refuses("create_hit_with_hit_type", "HitAlreadyExists")
    rows = [{"HITId": "G" * 30, "RequesterAnnotation": "lab:2"}, {"HITId": "H" * 30, "RequesterAnnotation": "lab:1"}]
    mturk.says("list_hits", {"HITs": rows})
    assert publish(mturk) == "H" * 30


def test_a_hit_that_cannot_be_found_yet_is_looked_for_again(mturk: Stubbed) -> None:
    mturk.refuses("create_hit_with_hit_type", "HitAlreadyExists")
    mturk.says("list_hits", {"HITs": []})
    with pytest.raises(MarketplaceError) as raised:
        publish(mturk)
    assert not raised.value.is_final


@pytest.mark.parametrize(
    ("code", "status", "is_final"), [("ThrottlingException", 400, False), ("ServiceFault", 503, False)]
)
def test_a_passing_trouble_may_be_tried_again(mturk: Stubbed, code: str, status: int, is_final: bool) -> None:
    for _ in range(3):
        mturk.fails("get_account_balance", code, status)
    with pytest.raises(MarketplaceError) as raised:
        mturk.market.balance()
    assert raised.value.is_final is is_final
    mturk.stub._queue.clear()


def test_a_refusal_is_final_and_holds_no_secret(mturk: Stubbed) -> None:
    mturk.refuses("get_hit", "HITDoesNotExist", "Hit 3PR3 does not exist. (1624047673969)")
    with pytest.raises(MarketplaceError) as raised:
        mturk.market.look("H" * 30)
    assert raised.value.is_final
    assert raised.value.code == "gone"
    assert "secret" not in str(raised.value)


def test_without_credentials_it_says_so_in_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(MarketplaceError, match="No credentials for Mechanical Turk were found"):
        MTurk("local", "http://127.0.0.1:9").balance()


def test_a_marketplace_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MarketplaceError, match="did not answer when asked to tell the balance") as raised:
        MTurk("local", "http://127.0.0.1:9", "key", "secret").balance()
    assert not raised.value.is_final


@pytest.mark.parametrize(("state", "is_fine"), [("Approved", True), ("Rejected", False)])
def test_what_is_approved_already_is_approved(mturk: Stubbed, state: str, is_fine: bool) -> None:
    mturk.refuses("approve_assignment", "InvalidAssignmentState")
    mturk.says("get_assignment", {"Assignment": {"AssignmentId": "A1", "AssignmentStatus": state}})
    if is_fine:
        mturk.market.approve("A1")
    else:
        with pytest.raises(MarketplaceError):
            mturk.market.approve("A1")


def test_a_rejection_needs_a_reason(mturk: Stubbed) -> None:
    with pytest.raises(MarketplaceError, match="needs a reason"):
        mturk.market.reject("A1", "  ")


def test_all_submissions_are_read_page_by_page_until_no_token_is_left(mturk: Stubbed) -> None:
    row = {"HITId": "H" * 30, "WorkerId": "A123", "AssignmentStatus": "Submitted"}
    mturk.says("list_assignments_for_hit", {"NextToken": "n1", "Assignments": [row | {"AssignmentId": "S1"}]})
    mturk.says("list_assignments_for_hit", {"NextToken": "n2", "Assignments": []})
    mturk.says("list_assignments_for_hit", {"Assignments": [row | {"AssignmentId": "S2"}]})
    assert [each.assignment_id for each in mturk.market.submissions("H" * 30)] == ["S1", "S2"]


def test_what_a_page_sent_is_read_and_what_is_no_answer_is_nothing() -> None:
    document = (
        '<?xml version="1.0" encoding="ASCII"?><QuestionFormAnswers xmlns="http://mechanicalturk.amazonaws.com/'
        'AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"><Answer><QuestionIdentifier>receipt'
        "</QuestionIdentifier><FreeText>42:abc</FreeText></Answer></QuestionFormAnswers>"
    )
    assert answers(document) == {"receipt": "42:abc"}
    assert answers("no <xml") == {}
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'
    assert answers(bomb) == {}


# Money


def entry(kind: EntryKind = EntryKind.WAITING, assignment: str = "S1") -> LedgerEntry:
    worker = factories.worker(external_id="A123")
    part = factories.participation(worker=worker, entry={"assignmentId": assignment} if assignment else {})
    from hits import ledger

    return ledger.plan(worker.pk, part.study_id, kind, Decimal("0.45"), "for 240 s of waiting", "k", participation=part)


@pytest.mark.django_db
class TestPaying:
    def test_a_bonus_carries_the_entry_s_token_and_words(self, mturk: Stubbed) -> None:
        owed = entry()
        reason = f"Waiting for 240 s of waiting ({owed.token})"
        asked = {
            "WorkerId": "A123", "AssignmentId": "S1", "BonusAmount": "0.45", "Reason": reason,
            "UniqueRequestToken": owed.token,
        }  # fmt: skip
        mturk.says("send_bonus", {}, asked)
        assert mturk.market.pay(owed).answer == Answer.PAID

    def test_a_reward_is_paid_by_approving(self, mturk: Stubbed) -> None:
        mturk.says("approve_assignment", {}, {"AssignmentId": "S1", "OverrideRejection": False})
        assert mturk.market.pay(entry(EntryKind.REWARD)).answer == Answer.PAID

    def test_a_used_token_is_paid_when_the_payment_is_there_and_refused_when_not(self, mturk: Stubbed) -> None:
        owed = entry()
        there = {"BonusPayments": [{"Reason": f"Waiting for 240 s of waiting ({owed.token})"}]}
        mturk.refuses("send_bonus", "SomethingAboutTheToken")
        mturk.says("list_bonus_payments", there)
        assert mturk.market.pay(owed).answer == Answer.PAID
        mturk.refuses("send_bonus", "SomethingElse")
        mturk.says("list_bonus_payments", {"BonusPayments": [{"Reason": "another"}]})
        assert mturk.market.pay(owed).answer == Answer.FAILED
        mturk.refuses("send_bonus", "SomethingAboutTheToken")
        mturk.refuses("list_bonus_payments", "PermissionDeniedException")
        assert mturk.market.pay(owed).answer == Answer.UNKNOWN, "an earlier try may have paid it"

    @pytest.mark.parametrize(
        ("code", "message", "answer"),
        [
            ("InsufficientFunds", "This Requester has insufficient funds", Answer.NO_MONEY),
            ("AssignmentDoesNotExist", "It does not exist.", Answer.LATER),
            ("InvalidAssignmentState", "This operation can be called with a status of: null", Answer.LATER),
            ("PermissionDeniedException", "No.", Answer.FAILED),
        ],
    )
    def test_each_refusal_has_its_meaning(self, mturk: Stubbed, code: str, message: str, answer: Answer) -> None:
        mturk.refuses("send_bonus", code, message)
        mturk.says("list_bonus_payments", {"BonusPayments": []})
        assert mturk.market.pay(entry()).answer == answer

    def test_without_an_assignment_there_is_nothing_to_pay_on(self, mturk: Stubbed) -> None:
        said = mturk.market.pay(entry(assignment=""))
        assert said.answer == Answer.FAILED
        assert "compensate" in said.trouble

    def test_a_bonus_is_found_among_many_pages_or_is_certainly_not_there(self, mturk: Stubbed) -> None:
        owed = entry()
        mine = {"Reason": f"Waiting for 240 s of waiting ({owed.token})"}
        mturk.says("list_bonus_payments", {"NextToken": "n", "BonusPayments": [{"Reason": "x"}]})
        mturk.says("list_bonus_payments", {"BonusPayments": [mine]})
        found = mturk.market.find(owed)
        assert found is not None
        assert found.answer == Answer.PAID
        mturk.says("list_bonus_payments", {"BonusPayments": []})
        assert mturk.market.find(owed) is None

    def test_what_cannot_be_looked_up_is_unknown(self, mturk: Stubbed) -> None:
        mturk.refuses("list_bonus_payments", "PermissionDeniedException")
        found = mturk.market.find(entry())
        assert found is not None
        assert found.answer == Answer.UNKNOWN


def test_what_is_kept_of_a_submission_can_be_stored_whatever_a_browser_has_sent(db: None) -> None:
    row = {
        "AssignmentId": "S1", "HITId": "H1", "WorkerId": "A1", "AssignmentStatus": "Submitted",
        "SubmitTime": datetime(2026, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=-5))), "Answer": "a\x00b\ud83dc",
    }  # fmt: skip
    document = submission(row).document
    assert document["SubmitTime"] == "2026-01-02T08:04:00+00:00"
    assert document["Answer"] == "a\ufffdb?c"
    worker = factories.worker(external_id="A1")
    hit = recruiting.recruitment(factories.study()).hits.create(environment="local", reward=1, planned_at=clock.now())
    kept = hit.assignments.create(external_id="S1", worker=worker, document=document)
    kept.refresh_from_db()
    assert kept.document == document


@pytest.mark.parametrize("question", ["", "<", "<HTMLQuestion/>", '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'])
def test_a_question_that_shows_no_address_has_none(question: str) -> None:
    assert published({"HITId": "H1", "Question": question}).url == ""
