"""HITs and assignments over their lives, time moved and never slept."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.localmarket.market import AMBER, BASIL, Refused, hit_values, refused

DAY = 86_400


def publish(mturk, **more) -> str:
    return mturk.create_hit(**hit_values(**more))["HIT"]["HITId"]


def look(mturk, hit_id: str) -> tuple[str, int, int, int]:
    """Return status, available, pending, completed."""
    hit = mturk.get_hit(HITId=hit_id)["HIT"]
    counts = ("NumberOfAssignmentsAvailable", "NumberOfAssignmentsPending", "NumberOfAssignmentsCompleted")
    return (hit["HITStatus"], *(hit[name] for name in counts))


def status(mturk, assignment_id: str) -> str:
    return mturk.get_assignment(AssignmentId=assignment_id)["Assignment"]["AssignmentStatus"]


def test_the_life_of_a_hit_of_five(market, mturk):
    hit_id = publish(mturk, MaxAssignments=5)
    workers = market.make_workers(6)
    held = [each.accept(hit_id) for each in workers[:3]]
    assert look(mturk, hit_id) == ("Assignable", 2, 3, 0)
    held += [each.accept(hit_id) for each in workers[3:5]]
    for worker, assignment_id in list(zip(workers, held, strict=False))[:2]:
        worker.submit(assignment_id)
    assert look(mturk, hit_id) == ("Unassignable", 0, 3, 0)
    workers[2].post("return", assignment_id=held[2])
    assert look(mturk, hit_id) == ("Assignable", 1, 2, 0)
    workers[5].do(hit_id)
    for worker, assignment_id in list(zip(workers, held, strict=False))[3:]:
        worker.submit(assignment_id)
    assert look(mturk, hit_id) == ("Reviewable", 0, 0, 0)
    mturk.approve_assignment(AssignmentId=held[0])
    assert look(mturk, hit_id) == ("Reviewable", 0, 0, 1)


def test_a_worker_has_one_place_in_a_hit_and_does_it_once(market, mturk):
    hit_id = publish(mturk, MaxAssignments=3)
    amber = market.robot(AMBER)
    assignment_id = amber.accept(hit_id)
    with pytest.raises(Refused, match="already"):
        amber.accept(hit_id)
    amber.submit(assignment_id)
    with pytest.raises(Refused, match="submitted_before"):
        amber.submit(assignment_id)
    with pytest.raises(Refused, match="already"):
        amber.accept(hit_id)
    assert mturk.list_assignments_for_hit(HITId=hit_id)["NumResults"] == 1


def test_a_returned_hit_can_be_taken_again(market, mturk):
    hit_id = publish(mturk)
    amber = market.robot(AMBER)
    amber.post("return", assignment_id=amber.accept(hit_id))
    amber.do(hit_id)
    assert look(mturk, hit_id) == ("Reviewable", 0, 0, 0)


def test_a_last_place_goes_to_one(market, mturk):
    hit_id = publish(mturk)
    market.robot(AMBER).accept(hit_id)
    with pytest.raises(Refused, match="none_left"):
        market.robot(BASIL).accept(hit_id)


def test_a_submission_needs_an_answer(market, mturk):
    amber = market.robot(AMBER)
    assignment_id = amber.accept(publish(mturk))
    with pytest.raises(Refused, match="no_answer"):
        amber.post("submit", assignment_id=assignment_id, answers={"hitId": "reserved"})


def test_an_assignment_is_abandoned_at_its_deadline(market, mturk):
    hit_id = publish(mturk, AssignmentDurationInSeconds=60)
    amber = market.robot(AMBER)
    assignment_id = amber.accept(hit_id)
    market.forward(61)
    with pytest.raises(Refused, match="not_held"):
        amber.submit(assignment_id)
    assert amber.get("assignments")[0]["status"] == "Abandoned"
    assert look(mturk, hit_id) == ("Assignable", 1, 0, 0)


def test_who_has_accepted_may_submit_after_the_expiry(market, mturk):
    hit_id = publish(mturk, MaxAssignments=2, LifetimeInSeconds=60)
    amber = market.robot(AMBER)
    assignment_id = amber.accept(hit_id)
    market.forward(61)
    assert look(mturk, hit_id)[0] == "Unassignable"
    with pytest.raises(Refused, match="expired"):
        market.robot(BASIL).accept(hit_id)
    amber.submit(assignment_id)
    assert look(mturk, hit_id)[0] == "Reviewable"


def test_a_hit_expires_now_with_a_time_in_the_past_and_lives_on_with_one_in_the_future(market, mturk):
    hit_id = publish(mturk)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=datetime(2015, 1, 1, tzinfo=UTC))
    assert look(mturk, hit_id)[0] == "Reviewable"
    assert market.robot(AMBER).get("hits") == []
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=datetime.now(UTC) + timedelta(hours=2))
    assert look(mturk, hit_id)[0] == "Assignable"
    market.robot(AMBER).accept(hit_id)


def test_work_is_approved_by_itself_and_then_cannot_be_rejected(market, mturk):
    hit_id = publish(mturk, AutoApprovalDelayInSeconds=3 * DAY)
    assignment_id = market.robot(AMBER).do(hit_id)
    market.forward(3 * DAY - 60)
    assert status(mturk, assignment_id) == "Submitted"
    market.forward(61)
    got = mturk.get_assignment(AssignmentId=assignment_id)["Assignment"]
    assert got["AssignmentStatus"] == "Approved"
    assert got["ApprovalTime"] == got["AutoApprovalTime"]
    with refused("InvalidAssignmentState", "Submitted"):
        mturk.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="Too late.")


def test_a_long_jump_does_everything_at_its_own_time(market, mturk):
    hit_id = publish(mturk, MaxAssignments=3, AssignmentDurationInSeconds=60, AutoApprovalDelayInSeconds=120)
    market.robot(AMBER).do(hit_id)
    market.robot(BASIL).accept(hit_id)
    market.forward(10 * DAY)
    assert look(mturk, hit_id) == ("Reviewable", 2, 0, 1)
    lines = [line["kind"] for line in market.look("books")["movements"]][::-1]
    assert lines == ["deposit", "hold", "release", "reward", "reward_fee", "release"]
    times = [line["at"] for line in market.look("books")["movements"]][::-1]
    assert times == sorted(times)


def test_a_rejection_can_be_overridden_for_thirty_days(market, mturk):
    hit_id = publish(mturk, MaxAssignments=2)
    first, second = market.robot(AMBER).do(hit_id), market.robot(BASIL).do(hit_id)
    for assignment_id in (first, second):
        mturk.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="No.")
    with refused("InvalidAssignmentState", "Submitted"):
        mturk.approve_assignment(AssignmentId=first)
    market.forward(29 * DAY)
    mturk.approve_assignment(AssignmentId=first, OverrideRejection=True)
    assert status(mturk, first) == "Approved"
    market.forward(2 * DAY)
    with refused("InvalidAssignmentState", "30 days"):
        mturk.approve_assignment(AssignmentId=second, OverrideRejection=True)


def test_a_hit_is_deleted_only_when_all_its_work_is_decided(market, mturk):
    hit_id = publish(mturk)
    with refused("InvalidHITState", "'Assignable'"):
        mturk.delete_hit(HITId=hit_id)
    assignment_id = market.robot(AMBER).do(hit_id)
    with refused("InvalidHITState", "'Reviewable'.  This operation can be called with a status of: Reviewing, Rev"):
        mturk.delete_hit(HITId=hit_id)
    mturk.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="No.")
    mturk.delete_hit(HITId=hit_id)
    with refused("HITDoesNotExist"):
        mturk.list_assignments_for_hit(HITId=hit_id)
    with refused("HITDoesNotExist"):
        mturk.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)


def test_a_hit_disposes_of_itself_after_120_quiet_days(market, mturk):
    hit_id = publish(mturk)
    market.robot(AMBER).do(hit_id)
    market.forward(120 * DAY)  # approved after a day
    assert look(mturk, hit_id)[0] == "Reviewable"
    market.forward(2 * DAY)
    with refused("HITDoesNotExist"):
        mturk.get_hit(HITId=hit_id)


def test_nine_places_cannot_become_ten(market, mturk):
    hit_id = publish(mturk, MaxAssignments=9)
    with refused("InvalidMaximumAssignmentsIncrease"):
        mturk.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1)
    ten = publish(mturk, MaxAssignments=10)
    mturk.create_additional_assignments_for_hit(HITId=ten, NumberOfAdditionalAssignments=90)
    assert look(mturk, ten) == ("Assignable", 100, 0, 0)


def test_a_type_cannot_change_once_somebody_accepted(market, mturk):
    hit_id, other = publish(mturk), mturk.create_hit(**hit_values(Title="Other"))["HIT"]["HITTypeId"]
    market.robot(AMBER).accept(hit_id)
    with refused("InvalidHITState"):
        mturk.update_hit_type_of_hit(HITId=hit_id, HITTypeId=other)
    with refused("HITTypeDoesNotExist"):
        mturk.update_hit_type_of_hit(HITId=hit_id, HITTypeId="3NONE")


def test_reviewing_needs_a_reviewable_hit(market, mturk):
    hit_id = publish(mturk)
    with refused("InvalidHITState"):
        mturk.update_hit_review_status(HITId=hit_id)
    with refused("InvalidHITState"):
        mturk.update_hit_review_status(HITId=hit_id, Revert=True)


def test_a_submission_becomes_visible_after_the_lag(market, mturk):
    market.control("settings", submission_lag=30)
    hit_id = publish(mturk)
    assignment_id = market.robot(AMBER).do(hit_id)
    assert look(mturk, hit_id) == ("Unassignable", 0, 1, 0)
    assert mturk.list_assignments_for_hit(HITId=hit_id)["NumResults"] == 0
    with refused("InvalidAssignmentState", "status of: null"):
        mturk.approve_assignment(AssignmentId=assignment_id)
    with refused("AssignmentDoesNotExist"):
        mturk.send_bonus(WorkerId=AMBER, AssignmentId=assignment_id, BonusAmount="1.00", Reason="Early.")
    market.forward(31)
    assert look(mturk, hit_id)[0] == "Reviewable"
    mturk.approve_assignment(AssignmentId=assignment_id)


def test_a_new_hit_can_only_be_expired_at_first(market, mturk):
    market.control("settings", creation_lag=10)
    hit_id = publish(mturk, MaxAssignments=2)
    with refused("InvalidHITState"):
        mturk.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1)
    with refused("InvalidHITState"):
        mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=datetime.now(UTC) + timedelta(hours=3))
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    market.forward(11)
    mturk.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1)


def test_a_returned_id_goes_to_the_next_worker_where_that_is_set(market, mturk):
    market.control("settings", reuse_assignment_ids=True)
    hit_id = publish(mturk)
    amber, basil = market.robot(AMBER), market.robot(BASIL)
    given_back = amber.accept(hit_id)
    amber.post("return", assignment_id=given_back)
    assert basil.do(hit_id) == given_back
    assert mturk.get_assignment(AssignmentId=given_back)["Assignment"]["WorkerId"] == BASIL
    assert amber.get("assignments")[0]["status"] == "Returned"


@pytest.mark.parametrize(
    "values",
    [
        {"Title": "x" * 129}, {"Title": " "}, {"Description": "x" * 2001}, {"Keywords": "x" * 1001},
        {"LifetimeInSeconds": 29}, {"LifetimeInSeconds": 31_536_001}, {"AssignmentDurationInSeconds": 29},
        {"AutoApprovalDelayInSeconds": 2_592_001}, {"MaxAssignments": 0}, {"RequesterAnnotation": "x" * 256},
        {"RequesterAnnotation": "ü"}, {"Question": None}, {"Question": "<ExternalQuestion>"},
        {"HITLayoutId": "3LAYOUT", "Question": None},
    ],
)  # fmt: skip
def test_values_outside_their_limits_are_refused_and_leave_nothing(market, mturk, values):
    with pytest.raises(mturk.exceptions.RequestError):
        mturk.create_hit(**hit_values(**values))
    assert mturk.list_hits()["NumResults"] == 0
    assert mturk.get_account_balance()["OnHoldBalance"] == "0.00"
