"""Who may see, preview and accept what, and how workers come to hold qualifications."""

import pytest

from tests.localmarket.market import AMBER, BASIL, CORAL, Refused, hit_values, refused

DAY = 86_400


def publish(mturk, **more) -> str:
    return mturk.create_hit(**hit_values(**more))["HIT"]["HITId"]


NORTH = [{"Country": "US"}, {"Country": "CA"}]
REQUIREMENTS = [
    ("rate", {"QualificationTypeId": "000000000000000000L0", "IntegerValues": [95]}, "GreaterThanOrEqualTo"),
    ("number", {"QualificationTypeId": "00000000000000000040", "IntegerValues": [500]}, "GreaterThanOrEqualTo"),
    ("place", {"QualificationTypeId": "00000000000000000071", "LocaleValues": NORTH}, "In"),
    ("adult", {"QualificationTypeId": "00000000000000000060", "IntegerValues": [1]}, "EqualTo"),
    ("masters", {"QualificationTypeId": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"}, "Exists"),
]  # fmt: skip
MEET = {
    # rate, number approved, US or CA, adult content, Masters
    "A1AMBERFALCON0": "rate number place adult masters",
    "A1DELTAOTTER00": "place",
    "A1EMBERROBIN00": "rate place",  # under a hundred decided, the rate counts as 100
    "A2GALEMARTEN00": "rate number place",
    "A3HAZELJAGUAR0": "rate number adult",
    "A5KITEPANGOLIN": "rate number masters",
}


@pytest.mark.parametrize(("name", "asked", "comparator"), REQUIREMENTS)
def test_workers_meet_the_marketplaces_own_requirements(market, mturk, name, asked, comparator):
    asked = {**asked, "Comparator": comparator, "ActionsGuarded": "DiscoverPreviewAndAccept"}
    hit_id = publish(mturk, MaxAssignments=9, QualificationRequirements=[asked])
    for worker_id, met in MEET.items():
        worker = market.robot(worker_id)
        assert bool(worker.get("hits")) == (name in met.split()), worker_id
        if name in met.split():
            worker.accept(hit_id)
        else:
            with pytest.raises(Refused, match="not_eligible"):
                worker.accept(hit_id)


@pytest.mark.parametrize(
    ("guarded", "sees", "previews"),
    [("Accept", True, True), ("PreviewAndAccept", True, False), ("DiscoverPreviewAndAccept", False, False)],
)
def test_a_guard_hides_as_much_as_it_says(market, mturk, guarded, sees, previews):
    asked = {"QualificationTypeId": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "Comparator": "Exists", "ActionsGuarded": guarded}
    publish(mturk, QualificationRequirements=[asked])
    found = market.robot(CORAL).get("hits")
    assert bool(found) == sees
    if found:
        assert (found[0]["may_preview"], found[0]["may_accept"]) == (previews, False)
        assert found[0]["unmet"] == ["Masters: held"]


def test_less_than_alone_locks_out_who_holds_nothing_and_a_marker_does_not(market, mturk):
    type_id = mturk.create_qualification_type(Name="Count", Description="Done.", QualificationTypeStatus="Active")
    type_id = type_id["QualificationType"]["QualificationTypeId"]
    less = {"QualificationTypeId": type_id, "Comparator": "LessThan", "IntegerValues": [200]}
    absent = {"QualificationTypeId": type_id, "Comparator": "DoesNotExist"}
    counted, marked = (
        publish(mturk, QualificationRequirements=[less]),
        publish(mturk, QualificationRequirements=[absent]),
    )
    with pytest.raises(Refused, match="not_eligible"):
        market.robot(AMBER).accept(counted)
    market.robot(AMBER).accept(marked)
    mturk.associate_qualification_with_worker(
        QualificationTypeId=type_id, WorkerId=BASIL, IntegerValue=200, SendNotification=False
    )
    assert market.robot(BASIL).get("me")["messages"] == []
    for hit_id in (counted, publish(mturk, QualificationRequirements=[absent])):
        with pytest.raises(Refused, match="not_eligible"):
            market.robot(BASIL).accept(hit_id)


def test_an_automatically_granted_type_is_granted_on_request(market, mturk):
    kind = mturk.create_qualification_type(
        Name="Self", Description="Granted.", QualificationTypeStatus="Active", AutoGranted=True, AutoGrantedValue=7
    )["QualificationType"]
    assert market.robot(AMBER).post("ask", qualification_type_id=kind["QualificationTypeId"]) == {"granted": True}
    score = mturk.get_qualification_score(QualificationTypeId=kind["QualificationTypeId"], WorkerId=AMBER)
    assert score["Qualification"]["IntegerValue"] == 7


def test_tests_and_the_marketplaces_own_scores_are_refused(market, mturk):
    shared = {"Description": "d", "QualificationTypeStatus": "Active"}
    with refused("NotSupportedByLocalMarket"):
        mturk.create_qualification_type(Name="Tested", Test="<QuestionForm/>", TestDurationInSeconds=60, **shared)
    with refused("PermissionDeniedException"):
        mturk.get_qualification_score(QualificationTypeId="000000000000000000L0", WorkerId=AMBER)
    mturk.create_qualification_type(Name="Taken", **shared)
    with refused("QualificationTypeAlreadyExists", "already created a QualificationType with this name"):
        mturk.create_qualification_type(Name="Taken", **shared)
    with refused("ParameterValidationError", 'The value "A0NOBODY" is not valid for the parameter WorkerId.'):
        mturk.create_worker_block(WorkerId="A0NOBODY", Reason="Nobody.")
    with refused("QualificationTypeDoesNotExist"):
        publish(mturk, QualificationRequirements=[{"QualificationTypeId": "3NONE", "Comparator": "Exists"}])


def test_a_deleted_name_is_free_after_two_days(market, mturk):
    values = {"Name": "Again", "Description": "d", "QualificationTypeStatus": "Active"}
    kind = mturk.create_qualification_type(**values)["QualificationType"]
    mturk.delete_qualification_type(QualificationTypeId=kind["QualificationTypeId"])
    with refused("QualificationTypeAlreadyExists"):
        mturk.create_qualification_type(**values)
    market.forward(2 * DAY + 1)
    mturk.create_qualification_type(**values)
