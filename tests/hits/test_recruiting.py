"""From the launch to the last cent, against a running marketplace that speaks Mechanical Turk's protocol."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client

from chat import presence
from collector.lib import clock
from collector.studies.models import Outcome, Participation, State
from hits import entering, launching, ledger, lifecycle, marking, paying, receipts
from hits.launching import CannotLaunch
from hits.marketplace.base import MarketplaceError
from hits.models import (
    Assignment,
    AssignmentState,
    EntryState,
    Hit,
    HitState,
    LedgerEntry,
    Mark,
    Recruitment,
    RecruitmentState,
)
from tests import factories
from tests.hits import recruiting
from tests.hits.recruiting import VISITORS, launch, talk, visit
from tests.localmarket.market import AMBER, BASIL, CORAL, DALE, FERN, HAZEL, JADE, LocalMarket

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> None:
    VISITORS.clear()
    presence.renew_lease()


def offered(market: LocalMarket, worker_id: str) -> bool:
    return bool(market.robot(worker_id).get("hits"))


def earned(market: LocalMarket) -> Decimal:
    """Return what all workers have got, by the marketplace's own books."""
    return sum((Decimal(row["rewards"]) + Decimal(row["bonuses"]) for row in market.look("workers")), Decimal(0))


def decide(recruitment: Recruitment) -> None:
    Assignment.objects.filter(hit__recruitment=recruitment).update(approve_at=clock.now())


# Launching


def test_a_launch_offers_a_few_seats_to_those_who_may_and_hides_them_from_others(market: LocalMarket) -> None:
    recruitment, _ = launch(market)
    assert lifecycle.open_hits(recruitment).count() == 2
    assert recruitment.state == RecruitmentState.PILOT
    assert [offered(market, who) for who in (AMBER, BASIL, CORAL, FERN)] == [True] * 4
    assert not offered(market, DALE), "80 % approved, 120 of them"
    assert not offered(market, HAZEL), "in Mexico"
    assert not offered(market, JADE), "in Great Britain"


def test_launching_again_makes_no_double(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    launching.launch(recruitment, speaks)
    assert market.client().list_hits()["NumResults"] == 2


def test_a_launch_that_broke_half_way_goes_on_without_a_double(market: LocalMarket) -> None:
    market.control("faults", operation="CreateHITWithHITType", kind="lost", times=3)
    recruitment, speaks = launch(market)
    assert Hit.objects.filter(state=HitState.PLANNED).count() >= 1
    market.control("clear-faults")
    lifecycle.top_up(recruitment, speaks)
    assert market.client().list_hits()["NumResults"] == 2
    assert Hit.objects.filter(state=HitState.OPEN).count() == 2
    assert recruitment.state == RecruitmentState.PILOT


@pytest.mark.parametrize(
    ("study", "fields", "sentence"),
    [
        ({"state": State.DRAFT}, {}, "The study's state is draft; set it to open in the study's form."),
        ({"reward": Decimal(0)}, {}, "no reward"),
        ({}, {"budget": Decimal(10)}, "over the study's budget of \\$10.00"),
        ({}, {"dialogs_wanted": 5000, "budget": Decimal(99_999)}, "over the account's balance"),
        ({"minutes": 60}, {}, "write down why"),
        ({}, {"countries": "USA"}, "'USA' is no country code"),
        ({}, {"required_types": "none of these"}, "'none of these' is no id"),
        ({}, {"assignment_minutes": 90}, "90 are too few"),
    ],
)
def test_what_stands_against_a_launch_is_said_and_nothing_is_published(
    market: LocalMarket, study: dict[str, object], fields: dict[str, object], sentence: str
) -> None:
    with pytest.raises(CannotLaunch, match=sentence):
        launch(market, study=recruiting.study(**study), **fields)
    assert market.client().list_hits()["NumResults"] == 0


def test_a_low_wage_needs_a_written_reason(market: LocalMarket) -> None:
    recruitment, _ = launch(
        market, study=recruiting.study(minutes=60), wage_reason="A class exercise, agreed by the ERB."
    )
    assert lifecycle.open_hits(recruitment).exists()


def test_other_qualifications_than_were_asked_for_stop_the_launch(
    market: LocalMarket, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = lifecycle.qualifications.differences
    monkeypatch.setattr(lifecycle.qualifications, "differences", lambda asked, found: real(asked, found[1:]))
    recruitment, _ = launch(market)
    assert recruitment.state == RecruitmentState.PAUSED
    assert "other qualifications than were asked for" in recruitment.why
    assert not lifecycle.open_hits(recruitment).exists()
    assert not offered(market, AMBER)


def test_live_needs_a_setting_and_keys_are_never_in_the_sentence() -> None:
    from hits.marketplace import environments

    with pytest.raises(MarketplaceError, match="ALLOW_LIVE"):
        environments.adapter("live")


# Coming in


def test_a_preview_asks_no_database_makes_nothing_and_shows_the_pay(
    market: LocalMarket, client: Client, django_assert_num_queries
) -> None:  # type: ignore[no-untyped-def]
    launch(market)
    with django_assert_num_queries(0):
        page = client.get("/task/lab/local/", {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H1"})
    assert page.status_code == 200
    assert "$2.40 for your part" in page.content.decode()
    assert not Participation.objects.exists()


def test_the_frame_may_stand_on_the_marketplace_and_nowhere_else(market: LocalMarket, client: Client) -> None:
    launch(market)
    policy = client.get("/task/lab/local/")["Content-Security-Policy"]
    assert "https://worker.mturk.com" in policy
    assert "X-Frame-Options" not in client.get("/task/lab/local/")


def test_opening_the_same_assignment_again_goes_on_where_the_worker_was(market: LocalMarket) -> None:
    recruitment, _ = launch(market)
    amber = visit(market, recruitment, AMBER)
    entry = {"assignmentId": amber.assignment_id, "hitId": amber.hit_id, "workerId": AMBER}
    again = amber.client.get("/task/lab/local/", entry)
    assert again.status_code == 302
    assert again["Location"].startswith("/w/")
    assert amber.client.post("/task/lab/local/", entry | {"consent": "yes"}).status_code == 302
    assert Participation.objects.count() == 1


@pytest.mark.parametrize(
    "entry",
    [
        {"assignmentId": "S1", "hitId": "H1", "workerId": "nobody"},
        {"assignmentId": "S1", "hitId": "H1", "workerId": f"{AMBER},{AMBER}"},
        {"assignmentId": "<b>", "hitId": "H1", "workerId": AMBER},
        {"assignmentId": "S1", "hitId": "", "workerId": AMBER},
    ],
)
def test_ids_that_no_marketplace_gives_are_refused(market: LocalMarket, client: Client, entry: dict[str, str]) -> None:
    launch(market)
    page = client.get("/task/lab/local/", entry)
    assert page.status_code == 403
    assert "return the HIT" in page.content.decode()


def test_a_hit_of_another_study_lets_nobody_in(market: LocalMarket, client: Client) -> None:
    launch(market)
    entry = {"assignmentId": "S1", "hitId": "H1", "workerId": AMBER, "consent": "yes"}
    assert client.post("/task/lab/local/", entry).status_code == 403
    assert not Participation.objects.exists()


def test_an_assignment_id_that_comes_back_with_another_worker_is_another_attempt(market: LocalMarket) -> None:
    recruitment, _ = launch(market)
    amber = visit(market, recruitment, AMBER)
    entry = {"assignmentId": amber.assignment_id, "hitId": amber.hit_id, "workerId": BASIL, "consent": "yes"}
    assert Client().post("/task/lab/local/", entry).status_code == 302
    assert Assignment.objects.filter(external_id=amber.assignment_id).count() == 2
    assert Participation.objects.count() == 2


def test_with_too_little_time_left_no_dialog_is_begun(market: LocalMarket) -> None:
    recruitment, _ = launch(market, assignment_minutes=100)
    amber = visit(market, recruitment, AMBER)
    entry = {"assignmentId": amber.assignment_id, "hitId": amber.hit_id, "workerId": AMBER}
    with clock.travel(timedelta(minutes=80)):
        page = amber.client.get("/task/lab/local/", entry)
    assert page.status_code == 403
    assert "Too little time" in page.content.decode()


# The whole way


def a_dialog(market: LocalMarket, recruitment: Recruitment, *who: str):  # type: ignore[no-untyped-def]
    visitors = [visit(market, recruitment, each) for each in who]
    pair = talk(recruitment, *visitors)
    return visitors, pair


def test_two_workers_are_paid_to_the_cent_and_both_books_agree(market: LocalMarket) -> None:
    before = recruiting.adapter(market).balance()
    recruitment, speaks = launch(market)
    visitors, pair = a_dialog(market, recruitment, AMBER, FERN)
    for visitor in visitors:
        visitor.submit()
    assert lifecycle.sync(recruitment, speaks) == 2
    assert lifecycle.sync(recruitment, speaks) == 0, "the same again is no news"
    decide(recruitment)
    assert paying.pay_due(recruitment, speaks) == ""
    assert paying.pay_due(recruitment, speaks) == "", "and nothing is paid twice"
    entries = LedgerEntry.objects.all()
    assert {entry.state for entry in entries} == {EntryState.PAID}
    questioner = entries.filter(worker=pair.questioner.worker_id)
    assert {entry.kind: str(entry.amount) for entry in questioner} == {
        "reward": "0.50", "share": "1.90", "summary": "0.80"
    }  # fmt: skip
    owed = ledger.paid()
    assert owed == Decimal("5.60")
    assert earned(market) == owed
    spent = before - speaks.balance()
    assert spent == owed + Decimal("0.10") * 2 + Decimal("0.38") * 2 + Decimal("0.16")


def test_the_last_page_submits_to_the_hit_s_own_environment_whatever_the_frame_said(market: LocalMarket) -> None:
    recruitment, _ = launch(market)
    (amber, _), _ = a_dialog(market, recruitment, AMBER, FERN)
    form = amber.finish_page()
    assert form["action"] == f"{market.url}/mturk/externalSubmit"
    assert form["fields"]["assignmentId"] == amber.assignment_id
    entry = {"assignmentId": amber.assignment_id, "hitId": amber.hit_id, "workerId": AMBER,
             "turkSubmitTo": "https://evil.example"}  # fmt: skip
    page = amber.client.get("/task/lab/local/", entry, follow=True)
    assert "evil.example" not in page.content.decode()
    assert f"form-action {market.url}/mturk/externalSubmit" in page["Content-Security-Policy"]


def test_the_last_page_can_be_opened_again_until_the_marketplace_has_the_work(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    (amber, _), _ = a_dialog(market, recruitment, AMBER, FERN)
    assert not amber.finish_page()["is_submitted"]
    amber.submit()
    assert not amber.finish_page()["is_submitted"], "only the marketplace's word counts"
    lifecycle.sync(recruitment, speaks)
    assert amber.finish_page()["is_submitted"]


def test_a_submission_that_we_do_not_know_is_linked_by_its_receipt(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    (amber, _), _ = a_dialog(market, recruitment, AMBER, FERN)
    amber.submit()
    Assignment.objects.all().delete()
    lifecycle.sync(recruitment, speaks)
    found = Assignment.objects.get()
    assert (found.participation_id, found.linked_by) == (amber.participation.pk, "receipt")


def test_a_submission_without_a_receipt_is_kept_for_a_person(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    hit = lifecycle.open_hits(recruitment)[0]
    market.robot(BASIL).do(hit.external_id, receipt="1.1:forged")
    lifecycle.sync(recruitment, speaks)
    found = Assignment.objects.get()
    assert (found.participation_id, found.state) == (None, AssignmentState.SUBMITTED)
    assert paying.due(recruitment) == []


def test_a_receipt_is_for_its_own_worker_only() -> None:
    part = factories.participation()
    receipt = receipts.receipt_of(part)
    assert receipts.participation_of(receipt, part.worker_id) == part.pk
    assert receipts.participation_of(receipt, part.worker_id + 1) is None
    for forged in ("", "x", receipt[:-2] + "zz"):
        assert receipts.participation_of(forged, part.worker_id) is None


def test_who_found_no_partner_submits_and_is_paid_for_coming(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    amber = visit(market, recruitment, AMBER)
    Participation.objects.update(ended_at=clock.now(), outcome=Outcome.NO_PARTNER, fault="nobody")
    amber.participation.refresh_from_db()
    amber.submit()
    lifecycle.sync(recruitment, speaks)
    decide(recruitment)
    assert paying.pay_due(recruitment, speaks) == ""
    assert ledger.paid() == Decimal("0.50")


def test_complete_work_is_approved_by_itself_where_the_study_says_so(market: LocalMarket) -> None:
    recruitment, speaks = launch(market, approve_after_hours=2)
    visitors, _ = a_dialog(market, recruitment, AMBER, FERN)
    for visitor in visitors:
        visitor.submit()
    lifecycle.sync(recruitment, speaks)
    paying.pay_due(recruitment, speaks)
    assert ledger.paid() == 0
    with clock.travel(timedelta(hours=2, minutes=1)):
        paying.pay_due(recruitment, speaks)
    assert ledger.paid() == Decimal("5.60")


# What goes wrong


def test_without_money_payments_and_offers_wait_and_say_so(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    visitors, _ = a_dialog(market, recruitment, AMBER, FERN)
    for visitor in visitors:
        visitor.submit()
    lifecycle.sync(recruitment, speaks)
    decide(recruitment)
    market.control("balance", available="0.00")
    stopped = paying.pay_due(recruitment, speaks)
    assert "not enough money" in stopped
    assert recruitment.state == RecruitmentState.PAUSED
    market.control("balance", available="100.00")
    assert paying.pay_due(recruitment, speaks) == ""
    assert ledger.paid() == Decimal("5.60")


def test_the_budget_of_a_study_is_never_passed(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    visitors, _ = a_dialog(market, recruitment, AMBER, FERN)
    for visitor in visitors:
        visitor.submit()
    lifecycle.sync(recruitment, speaks)
    decide(recruitment)
    recruitment.budget = Decimal("3.00")
    assert "the ceiling of $2.50 for the study, its budget without fees" in paying.pay_due(recruitment, speaks)
    assert ledger.paid() <= Decimal("3.00")


# How many


def test_seats_are_topped_up_as_they_are_taken_and_never_beyond_what_is_wanted(market: LocalMarket) -> None:
    recruitment, speaks = launch(market, pilot_dialogs=1, dialogs_wanted=2)
    assert lifecycle.seats_wanted(recruitment) == 2
    visit(market, recruitment, AMBER)
    lifecycle.look_after(recruitment, speaks)
    assert lifecycle.seats_wanted(recruitment) == 1
    assert market.client().list_hits()["NumResults"] == 2


def test_half_a_dialog_that_came_to_nothing_calls_in_two_and_who_writes_a_summary_stands_for_two() -> None:
    made = recruiting.recruitment(recruiting.study(), state=RecruitmentState.RUNNING)
    study = made.study
    factories.participation(study, outcome=Outcome.COMPLETE, rounds_done=1)
    factories.participation(study, outcome=Outcome.TIMED_OUT, rounds_done=1)
    assert lifecycle.seats_wanted(made) == 10, "nobody is called in whom nobody would meet"
    factories.participation(study, outcome=Outcome.COMPLETE, rounds_done=1)
    last = factories.participation(study, rounds_done=1)
    assert lifecycle.seats_wanted(made) == 8
    type(last).objects.filter(pk=last.pk).update(
        outcome=Outcome.COMPLETE, wrote_summary=True, ended_at=clock.now(), fault="nobody"
    )
    assert lifecycle.seats_wanted(made) == 8


def test_a_pilot_stops_by_itself_and_goes_on_when_a_person_says_so(market: LocalMarket) -> None:
    recruitment, speaks = launch(market, pilot_dialogs=1, dialogs_wanted=2)
    visitors, _ = a_dialog(market, recruitment, AMBER, FERN)
    for visitor in visitors:
        visitor.submit()
    lifecycle.look_after(recruitment, speaks)
    assert recruitment.state == RecruitmentState.PILOTED
    assert not offered(market, BASIL), "what is left over is expired"
    recruitment.state = RecruitmentState.RUNNING
    recruitment.save()
    lifecycle.look_after(recruitment, speaks)
    assert offered(market, BASIL)


def test_a_paused_study_offers_nothing_and_lets_people_inside_finish(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    amber, fern = visit(market, recruitment, AMBER), visit(market, recruitment, FERN)
    recruitment.study.state = State.PAUSED
    recruitment.study.save()
    lifecycle.look_after(recruitment, speaks)
    assert not offered(market, BASIL)
    recruitment.study.state = State.OPEN
    recruitment.study.save()
    talk(recruitment, amber, fern)
    amber.submit()
    assert lifecycle.sync(recruitment, speaks) == 1


def test_who_reached_the_cap_is_marked_and_sees_no_offer_any_more(market: LocalMarket) -> None:
    made = recruiting.study()
    made.collection.cap = 1
    made.collection.save()
    recruitment, speaks = launch(market, study=made)
    visitors, _ = a_dialog(market, recruitment, AMBER, FERN)
    assert marking.carry_out(recruitment, speaks) == 2
    assert marking.carry_out(recruitment, speaks) == 0
    assert set(speaks.marked(recruitment.mark_id)) == {AMBER, FERN}
    assert Mark.objects.count() == 2
    lifecycle.top_up(recruitment, speaks)
    assert not offered(market, AMBER)
    assert offered(market, BASIL)
    assert all(visitor.finish_page()["fields"] for visitor in visitors), "who is over the cap is paid all the same"


def test_expiring_ends_all_offers(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    assert lifecycle.expire_all(recruitment, speaks) == 2
    assert not offered(market, AMBER)


def test_entries_of_the_marketplace_are_read_as_it_sends_them(client: Client) -> None:
    from django.http import QueryDict

    assert entering.read(QueryDict("assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1")) is None
    assert entering.read(QueryDict("")) is None
    found = entering.read(QueryDict(f"assignmentId=S1&hitId=H1&workerId=AX&workerId={AMBER}"))
    assert found == entering.Entry("S1", "H1", AMBER)
