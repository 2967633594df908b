"""The pure parts: errors, requirements, statuses, fees, documents. Checked over all their values, without a server."""

import ast
import itertools
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hits.localmarket import answers, fees, questions, refusals, requirements, service, states
from hits.localmarket.refusals import Evidence, Refusal
from hits.localmarket.requirements import Step
from tests.localmarket.market import BASE_DIR, question

# --- Errors


def test_every_error_says_how_sure_it_is():
    for entry in refusals.TABLE.values():
        assert entry.code_evidence in Evidence
        assert entry.message_evidence in Evidence
        assert entry.status in (400, 500)
        assert not entry.code.startswith("AWS.")


def test_what_nobody_has_seen_is_marked_assumed():
    assumed = {entry.code for entry in refusals.TABLE.values() if entry.code and entry.code_evidence == "assumed"}
    assert {"HITTypeDoesNotExist", "BonusAlreadyExists", "ExtendHITAlreadyExists"} <= assumed
    assert "HitAlreadyExists" not in assumed


def test_a_modelled_error_looks_as_it_was_seen():
    body = Refusal("hit_missing", id="3ABC").body(1624047673969)
    assert body == {
        "__type": "RequestError",
        "Message": "Hit 3ABC does not exist. (1624047673969)",
        "TurkErrorCode": "AWS.MechanicalTurk.HITDoesNotExist",
    }


def test_every_error_that_is_raised_stands_in_the_table_and_the_other_way_round():
    raised = set()
    for path in (BASE_DIR / "hits" / "localmarket").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Refusal", "refuse_repetition"):
                raised |= {each.value for each in node.args if isinstance(each, ast.Constant)}
    assert raised - {"bonus", "hit", "extension"} == set(refusals.TABLE)


# --- The service's model


def test_the_model_is_checked_further_than_boto3_does():
    with pytest.raises(Refusal) as caught:
        service.read_input("SendBonus", {"WorkerId": "a1", "BonusAmount": "0.9752", "AssignmentId": "X" * 65, "Foo": 1})
    reason = caught.value.details["reason"]
    for part in ("5 validation errors", "'0.9752' at 'bonusAmount'", "null at 'reason'", "less than or equal to 64"):
        assert part in reason
    assert "at 'foo'" in reason


@pytest.mark.parametrize(
    ("operation", "members"),
    [
        ("ListHITs", {"MaxResults": 101}),
        ("ListHITs", {"MaxResults": 0}),
        ("ListHITs", {"NextToken": ""}),
        ("ListReviewableHITs", {"Status": "Disposed"}),
        ("NotifyWorkers", {"Subject": "s", "MessageText": "t", "WorkerIds": ["B1"]}),
        ("GetHIT", {}),
    ],
)
def test_members_outside_their_limits_are_refused(operation, members):
    with pytest.raises(Refusal) as caught:
        service.read_input(operation, members)
    assert caught.value.name == "validation"


@pytest.mark.parametrize(
    ("operation", "members"),
    [
        ("GetHIT", {"HITId": 3}),
        ("UpdateExpirationForHIT", {"HITId": "3A", "ExpireAt": "soon"}),
        ("UpdateExpirationForHIT", {"HITId": "3A", "ExpireAt": 1e300}),
        ("UpdateHITReviewStatus", {"HITId": "3A", "Revert": 1}),
        ("ListHITs", {"MaxResults": True}),
        ("ListHITs", []),
    ],
)
def test_members_of_another_type_are_refused(operation, members):
    with pytest.raises(Refusal) as caught:
        service.read_input(operation, members)
    assert caught.value.name == "serialization"


def test_an_answer_that_breaks_the_model_is_our_own_failure():
    with pytest.raises(Refusal) as caught:
        service.write_output("GetAccountBalance", {"AvailableBalance": "$1"})
    assert caught.value.entry.status == 500


# --- Requirements

US, CA = ("US", "NY"), ("CA", "")
NUMBERS = {
    "LessThan": (False, False, True), "LessThanOrEqualTo": (False, True, True), "GreaterThan": (True, False, False),
    "GreaterThanOrEqualTo": (True, True, False), "EqualTo": (False, True, False), "NotEqualTo": (True, False, True),
    "In": (False, True, False), "NotIn": (True, False, True), "Exists": (True, True, True),
    "DoesNotExist": (False, False, False),
}  # fmt: skip


@pytest.mark.parametrize("comparator", NUMBERS)
def test_numbers_are_compared(comparator):
    asked = {"QualificationTypeId": "3A", "Comparator": comparator, "IntegerValues": [95]}
    assert tuple(requirements.meets(asked, value) for value in (96, 95, 94)) == NUMBERS[comparator]
    assert requirements.meets(asked, None) == (comparator == "DoesNotExist"), "all others need it to be held"


@pytest.mark.parametrize(
    ("comparator", "places", "us", "ca"),
    [
        ("EqualTo", [{"Country": "US"}], True, False),
        ("EqualTo", [{"Country": "US", "Subdivision": "NY"}], True, False),
        ("EqualTo", [{"Country": "US", "Subdivision": "WA"}], False, False),
        ("NotEqualTo", [{"Country": "US"}], False, True),
        ("In", [{"Country": "US"}, {"Country": "CA"}], True, True),
        ("NotIn", [{"Country": "GB"}, {"Country": "CA"}], True, False),
    ],
)
def test_places_are_compared(comparator, places, us, ca):
    asked = {"QualificationTypeId": requirements.LOCALE, "Comparator": comparator, "LocaleValues": places}
    assert (requirements.meets(asked, US), requirements.meets(asked, CA)) == (us, ca)


@pytest.mark.parametrize(
    ("more", "step"),
    [
        ({}, Step.ACCEPT),
        ({"ActionsGuarded": "Accept"}, Step.ACCEPT),
        ({"ActionsGuarded": "PreviewAndAccept"}, Step.PREVIEW),
        ({"ActionsGuarded": "DiscoverPreviewAndAccept"}, Step.DISCOVER),
        ({"RequiredToPreview": True}, Step.PREVIEW),
        ({"RequiredToPreview": False}, Step.ACCEPT),
    ],
)
def test_a_requirement_guards_a_step(more, step):
    assert requirements.guards({"QualificationTypeId": "3A", "Comparator": "Exists", **more}) == step


def _asked(comparator, **more):
    return {"QualificationTypeId": "3A", "Comparator": comparator, **more}


def _places(comparator, number, **more):
    places = [{"Country": "US"}] * number
    return {"QualificationTypeId": requirements.LOCALE, "Comparator": comparator, "LocaleValues": places, **more}


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        (_asked("In", IntegerValues=list(range(15))), True),
        (_asked("In", IntegerValues=list(range(16))), False),
        (_asked("EqualTo", IntegerValues=[1, 2]), False),
        (_asked("EqualTo"), False),
        (_asked("Exists"), True),
        (_asked("Exists", IntegerValues=[1]), False),
        (_asked("EqualTo", LocaleValues=[{"Country": "US"}]), False),
        (_asked("EqualTo", IntegerValues=[1], RequiredToPreview=True, ActionsGuarded="Accept"), False),
        (_places("In", 30), True),
        (_places("In", 31), False),
        (_places("EqualTo", 2), False),
        (_places("LessThan", 1), False),
        (_places("EqualTo", 1, IntegerValues=[1]), False),
    ],
)
def test_requirements_are_refused_as_the_manual_says(asked, right):
    assert (requirements.problem_with([asked]) is None) == right


def test_a_hit_has_at_most_ten_requirements():
    assert requirements.problem_with([_asked("Exists")] * 10) is None
    assert requirements.problem_with([_asked("Exists")] * 11)


# --- Statuses


@pytest.mark.parametrize(
    ("pending", "handed_in", "expired", "status"),
    [
        (0, 0, False, "Assignable"), (3, 0, False, "Assignable"), (3, 2, False, "Unassignable"),
        (2, 2, False, "Assignable"), (0, 5, False, "Reviewable"), (0, 0, True, "Reviewable"),
        (1, 0, True, "Unassignable"), (0, 2, True, "Reviewable"),
    ],
)  # fmt: skip
def test_a_status_follows_from_the_counts(pending, handed_in, expired, status):
    counts = states.Counts(5, pending, handed_in)
    assert states.status_of(counts, expired=expired, reviewing=False, disposed=False) == status


def test_a_status_is_never_without_a_reason():
    for most, pending, handed_in in itertools.product(range(1, 4), range(4), range(4)):
        if pending + handed_in > most:
            continue
        for expired, reviewing, disposed in itertools.product((True, False), repeat=3):
            counts = states.Counts(most, pending, handed_in)
            status = states.status_of(counts, expired=expired, reviewing=reviewing, disposed=disposed)
            assert (status == "Disposed") == disposed
            assert not (status.startswith("Review") and pending)
            assert not (status == "Assignable" and expired)


# --- Fees


@pytest.mark.parametrize(
    ("cents", "assignments", "masters", "fee"),
    [
        (100, 1, False, 20), (100, 9, False, 20), (100, 10, False, 40), (100, 1, True, 25), (100, 10, True, 45),
        (0, 1, False, 1), (1, 1, False, 1), (5, 1, False, 1), (7, 1, False, 1), (8, 1, False, 2), (13, 1, False, 3),
        (50, 1, True, 13),
    ],
)  # fmt: skip
def test_fees_to_the_cent(cents, assignments, masters, fee):
    assert fees.reward_fee(cents, assignments, masters) == fee


def test_a_bonus_costs_a_fifth_and_at_least_a_cent():
    assert [fees.bonus_fee(cents) for cents in (1, 100, 333)] == [1, 20, 67]


@pytest.mark.parametrize(("text", "cents"), [("1", 100), ("1.", 100), ("0.5", 50), ("12.34", 1234), ("0.29", 29)])
def test_amounts_are_read_without_a_float(text, cents):
    assert fees.to_cents(text) == cents


# --- Documents


def test_a_question_keeps_its_own_query():
    url = questions.read(question("https://example.org/t?a=1&amp;b=%C3%BC")).url
    task = questions.address(url, hit_id="3H", submit_to="http://localhost:1", assignment_id="3A", worker_id="A1")
    assert task.startswith("https://example.org/t?a=1&b=%C3%BC&assignmentId=3A&hitId=3H&workerId=A1&turkSubmitTo=http")
    preview = questions.address(url, hit_id="3H", submit_to="http://localhost:1")
    assert "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE" in preview
    assert "workerId" not in preview


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ("no xml", "question_xml"),
        ("<QuestionForm/>", "not_here"),
        ("<Other><FrameHeight>0</FrameHeight></Other>", "question_xml"),
        ('<!DOCTYPE x [<!ENTITY e "e">]><ExternalQuestion/>', "question_xml"),
        (question().replace("<FrameHeight>0</FrameHeight>", ""), "question_xml"),
        (question("javascript:alert(1)"), "parameter"),
        (question("http://a/" + "x" * 65_535), "parameter"),
    ],
)
def test_a_question_that_cannot_be_shown_is_refused(document, name):
    with pytest.raises(Refusal) as caught:
        questions.read(document)
    assert caught.value.name == name


def test_answers_are_xml_whatever_a_worker_types():
    fields = answers.fields_of([("assignmentId", "3A"), ("hitId", "3H"), ("a", "1"), ("a", "2"), ("b", "\x00<&>ü😀")])
    root = ElementTree.fromstring(answers.to_xml(fields))
    found = {each[0].text: each[1].text for each in root}
    assert found == {"a": "2", "b": "<&>ü😀"}


# --- A product of its own


def test_the_local_marketplace_imports_nothing_of_the_rest_and_the_rest_nothing_of_it():
    for path in BASE_DIR.glob("*/**/*.py"):
        own = path.is_relative_to(BASE_DIR / "hits" / "localmarket")
        if not own and path.relative_to(BASE_DIR).parts[0] not in ("collector", "chat", "hits"):
            continue
        for name in _imported(path):
            ours = name == "hits.localmarket" or name.startswith("hits.localmarket.")
            assert not (ours and not own), f"{path} imports {name}"
            assert not (own and not ours and name.split(".")[0] in ("hits", "chat", "collector", "tests")), path


def _imported(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{each.name}" for each in node.names)
