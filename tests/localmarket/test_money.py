"""Where every cent goes, and what does not happen twice."""

from decimal import Decimal

import pytest

from tests.localmarket.market import AMBER, BASIL, client_of, hit_values, refused

MASTERS = [{"QualificationTypeId": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "Comparator": "Exists"}]


def publish(mturk, **more) -> str:
    return mturk.create_hit(**hit_values(**more))["HIT"]["HITId"]


def balance(mturk) -> tuple[str, str]:
    found = mturk.get_account_balance()
    return found["AvailableBalance"], found["OnHoldBalance"]


@pytest.mark.parametrize(
    ("values", "held"),
    [
        ({"Reward": "1.00"}, "1.20"),
        ({"Reward": "1.00", "MaxAssignments": 9}, "10.80"),
        ({"Reward": "1.00", "MaxAssignments": 10}, "14.00"),
        ({"Reward": "1.00", "QualificationRequirements": MASTERS}, "1.25"),
        ({"Reward": "0.01"}, "0.02"),
        ({"Reward": "0", "MaxAssignments": 2}, "0.02"),
    ],
)
def test_a_hit_holds_what_it_may_cost(market, mturk, values, held):
    publish(mturk, **values)
    assert balance(mturk) == (f"{Decimal(10000) - Decimal(held):.2f}", held)


def test_money_follows_the_work(market, mturk):
    hit_id = publish(mturk, Reward="2.50", MaxAssignments=3)
    assert balance(mturk) == ("9991.00", "9.00")
    first, second = market.robot(AMBER).do(hit_id), market.robot(BASIL).do(hit_id)
    mturk.approve_assignment(AssignmentId=first)
    assert balance(mturk) == ("9991.00", "6.00")
    mturk.reject_assignment(AssignmentId=second, RequesterFeedback="No.")
    assert balance(mturk) == ("9994.00", "3.00")
    mturk.send_bonus(WorkerId=AMBER, AssignmentId=first, BonusAmount="0.33", Reason="Waiting.")
    assert balance(mturk) == ("9993.60", "3.00")
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    assert balance(mturk) == ("9996.60", "0.00")
    mturk.approve_assignment(AssignmentId=second, OverrideRejection=True)
    assert balance(mturk) == ("9993.60", "0.00")
    earned = {each["worker_id"]: each["total"] for each in market.look("books")["workers"]}
    assert (earned[AMBER], earned[BASIL]) == ("2.83", "2.50")
    assert market.robot(AMBER).get("me")["earned_cents"] == 283


def test_the_books_add_up_to_the_balances(market, mturk):
    hit_id = publish(mturk, Reward="0.07", MaxAssignments=12)
    market.control("crowd", hit_id=hit_id, workers=11)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    market.forward(86_401)
    books = market.look("books")
    lines = books["movements"]
    assert f"{sum(Decimal(line['available']) for line in lines):.2f}" == books["available"] == "9998.90"
    assert f"{sum(Decimal(line['on_hold']) for line in lines):.2f}" == books["on_hold"] == "0.00"
    paid = sum(Decimal(line["worker"]) for line in lines)
    fees = -sum(Decimal(line["available"]) for line in lines if line["kind"] == "reward_fee")
    assert (paid, fees) == (Decimal("0.77"), Decimal("0.33"))


def test_nothing_is_published_approved_or_given_without_funds(market, mturk):
    market.control("balance", available="1.19")
    with refused("InsufficientFunds", "insufficient funds"):
        publish(mturk)
    market.control("balance", available="1.20")
    assignment_id = market.robot(AMBER).do(publish(mturk))
    with refused("InsufficientFunds"):
        mturk.send_bonus(WorkerId=AMBER, AssignmentId=assignment_id, BonusAmount="0.01", Reason="None left.")
    market.control("balance", available="-0.01")
    with refused("InsufficientFunds"):
        mturk.approve_assignment(AssignmentId=assignment_id)
    assert mturk.get_assignment(AssignmentId=assignment_id)["Assignment"]["AssignmentStatus"] == "Submitted"
    assert market.look("state")["available"] == "-0.01"
    assert balance(mturk) == ("0.00", "1.20")
    market.forward(86_401)  # by itself it is approved all the same
    assert mturk.get_assignment(AssignmentId=assignment_id)["Assignment"]["AssignmentStatus"] == "Approved"


def test_extending_a_hit_holds_more_or_is_refused(market, mturk):
    hit_id = publish(mturk)
    mturk.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=2)
    assert balance(mturk)[1] == "3.60"
    market.control("balance", available="1.00")
    with refused("InsufficientFunds"):
        mturk.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1)
    assert mturk.get_hit(HITId=hit_id)["HIT"]["MaxAssignments"] == 3


def test_a_bonus_needs_a_worker_who_submitted(market, mturk):
    hit_id = publish(mturk, MaxAssignments=2)
    amber = market.robot(AMBER)
    assignment_id = amber.accept(hit_id)
    bonus = {"BonusAmount": "1.00", "AssignmentId": assignment_id, "Reason": "Thanks."}
    with refused("AssignmentDoesNotExist"):
        mturk.send_bonus(WorkerId=AMBER, **bonus)
    amber.submit(assignment_id)
    with refused("AssignmentDoesNotExist"):
        mturk.send_bonus(WorkerId=BASIL, **bonus)
    with refused("ValidationException", "bonusAmount"):
        mturk.send_bonus(WorkerId=AMBER, **{**bonus, "BonusAmount": "0.9752"})
    with refused("InvalidParameterValue"):
        mturk.send_bonus(WorkerId=AMBER, **{**bonus, "BonusAmount": "0.00"})
    mturk.send_bonus(WorkerId=AMBER, **bonus)


# --- Once


def test_a_token_publishes_once_within_a_day(market, mturk):
    values = hit_values(UniqueRequestToken="run:1")
    hit_id = mturk.create_hit(**values)["HIT"]["HITId"]
    with refused("HitAlreadyExists", hit_id):
        mturk.create_hit(**values)
    type_id = mturk.get_hit(HITId=hit_id)["HIT"]["HITTypeId"]
    rest = {name: values[name] for name in ("LifetimeInSeconds", "Question", "UniqueRequestToken")}
    with refused("HitAlreadyExists"):
        mturk.create_hit_with_hit_type(HITTypeId=type_id, **rest)
    assert mturk.list_hits()["NumResults"] == 1
    market.forward(86_401)
    mturk.create_hit_with_hit_type(HITTypeId=type_id, **rest)


def test_a_token_whose_call_was_refused_is_free(market, mturk):
    market.control("balance", available="0.00")
    values = hit_values(UniqueRequestToken="run:2")
    with refused("InsufficientFunds"):
        mturk.create_hit(**values)
    market.control("balance", available="10.00")
    mturk.create_hit(**values)


def test_a_token_pays_a_bonus_and_extends_once(market, mturk):
    hit_id = publish(mturk)
    assignment_id = market.robot(AMBER).do(hit_id)
    bonus = {"WorkerId": AMBER, "BonusAmount": "1.00", "AssignmentId": assignment_id, "Reason": "Thanks."}
    mturk.send_bonus(UniqueRequestToken="b1", **bonus)
    with refused("BonusAlreadyExists"):
        mturk.send_bonus(UniqueRequestToken="b1", **bonus)
    assert mturk.list_bonus_payments(AssignmentId=assignment_id)["NumResults"] == 1
    more = {"HITId": hit_id, "NumberOfAdditionalAssignments": 1, "UniqueRequestToken": "b1"}
    mturk.create_additional_assignments_for_hit(**more)
    with refused("ExtendHITAlreadyExists"):
        mturk.create_additional_assignments_for_hit(**more)
    assert mturk.get_hit(HITId=hit_id)["HIT"]["MaxAssignments"] == 2


# --- Long lists


@pytest.mark.parametrize(("number", "size", "pages"), [(101, 100, [100, 1]), (1001, 100, [100] * 10 + [1])])
def test_a_paginator_finds_every_assignment_once(market, mturk, number, size, pages):
    hit_id = publish(mturk, Reward="0.01", MaxAssignments=number)
    market.control("crowd", hit_id=hit_id, workers=number)
    paginator = mturk.get_paginator("list_assignments_for_hit")
    found = list(paginator.paginate(HITId=hit_id, MaxResults=size))
    assert [each["NumResults"] for each in found] == pages
    ids = [each["AssignmentId"] for page in found for each in page["Assignments"]]
    assert len(set(ids)) == len(ids) == number


def test_a_full_last_page_is_followed_by_an_empty_one(market, mturk):
    for number in range(4):
        publish(mturk, Title=f"HIT {number}")
    first = mturk.list_hits(MaxResults=2)
    second = mturk.list_hits(MaxResults=2, NextToken=first["NextToken"])
    third = mturk.list_hits(MaxResults=2, NextToken=second["NextToken"])
    assert [each["NumResults"] for each in (first, second, third)] == [2, 2, 0]
    assert "NextToken" not in third
    titles = [each["Title"] for page in (first, second) for each in page["HITs"]]
    assert titles == ["HIT 3", "HIT 2", "HIT 1", "HIT 0"]


def test_a_token_of_another_list_is_refused(market, mturk):
    for number in range(2):
        publish(mturk, Title=f"HIT {number}")
    token = mturk.list_hits(MaxResults=1)["NextToken"]
    for wrong in (token, "nonsense"):
        with refused("InvalidParameterValue"):
            mturk.list_worker_blocks(NextToken=wrong)


# --- Lost answers


def test_a_lost_answer_makes_boto3_publish_twice_and_a_token_prevents_it(market):
    patient = client_of(market.url, attempts=3)
    market.control("faults", operation="CreateHIT", kind="lost")
    patient.create_hit(**hit_values())
    assert patient.list_hits()["NumResults"] == 2
    market.control("faults", operation="CreateHIT", kind="lost")
    with refused("HitAlreadyExists"):
        patient.create_hit(**hit_values(UniqueRequestToken="run:3"))
    assert patient.list_hits()["NumResults"] == 3
