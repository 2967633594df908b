"""What a person decides about one participation's pay: more than the rules, a withdrawal, a wait that was returned."""

import uuid
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.lib import clock
from collector.studies import outcomes
from collector.studies.models import Fault, Outcome, Participation, Worker
from hits import compensating, corrections, ledger, lifecycle, paying, settlement, unsubmitted, withdrawing
from hits.compensating import CannotCompensate
from hits.ledger import Answer, Paid
from hits.models import (
    Assignment,
    AssignmentState,
    Compensation,
    EntryKind,
    EntryState,
    LedgerEntry,
    Recruitment,
    Withdrawal,
)
from hits.people import CannotDo
from tests import factories
from tests.hits.recruiting import launch, study, talk, visit
from tests.localmarket.market import AMBER, FERN, LocalMarket

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]
REASON = "The connection failed, and they had done all they could."


def act(client: Client, worker: Worker, action: str, **fields: Any) -> str:
    fields.setdefault("key", str(uuid.uuid4()))
    return client.post(f"/desk/workers/{worker.pk}/{action}/do/", fields, follow=True).content.decode()


def left_after(rounds: int) -> Participation:
    """Return a participation by a link that ended as left after some of ten rounds, worth $2.40 as a whole."""
    made = factories.study(reward=Decimal("2.40"))
    return factories.participation(made, outcome=Outcome.LEFT, fault=Fault.WORKER, rounds_done=rounds)


def pay(part: Participation) -> Decimal:
    return ledger.sum_of(corrections.pay_of(part))


def decide(part: Participation, total: str, who: User, **more: Any) -> LedgerEntry:
    given = {"key": uuid.uuid4(), "confirmed": True, "reason": REASON} | more
    return corrections.correct(part.worker, part.pk, Decimal(total), given.pop("reason"), who, **given)


# More than the rules give


@pytest.mark.parametrize("outcome", [Outcome.LEFT, Outcome.TIMED_OUT])
def test_who_left_is_paid_by_rounds_unless_a_person_decides_otherwise(admin_client: Client, outcome: Outcome) -> None:
    part = left_after(4)
    Participation.objects.update(outcome=outcome)
    settlement.settle(part.pk)
    assert pay(part) == Decimal("0.96")
    fields = {"participation": part.pk, "amount": "2.40", "reason": REASON}
    assert "Confirm" in act(admin_client, part.worker, "correct", **fields)
    assert pay(part) == Decimal("0.96"), "not before it is confirmed"
    page = act(admin_client, part.worker, "correct", confirmed="yes", **fields)
    assert "can be taken back" in page
    assert pay(part) == Decimal("2.40")
    made = LedgerEntry.objects.get(kind=EntryKind.CORRECTION)
    assert (made.amount, made.why, made.who.username) == (Decimal("1.44"), REASON, "admin")  # type: ignore[union-attr]
    assert LedgerEntry.objects.get(kind=EntryKind.REWARD).amount == Decimal("0.96"), "no entry is ever changed"


def test_the_pay_is_worked_out_before_it_is_decided_about(admin_user: User) -> None:
    part = left_after(1)
    assert decide(part, "1.00", admin_user).amount == Decimal("0.76")


@pytest.mark.parametrize(
    ("total", "more", "said"),
    [
        ("0.95", {}, "is not lowered"),
        ("0.96", {}, "is not lowered"),
        ("-1", {}, "is not lowered"),
        ("200", {}, "at most"),
        ("0.965", {}, "whole cents"),
        ("2.00", {"reason": "short"}, "needs a reason"),
        ("2.00", {"confirmed": False}, "Confirm"),
    ],
)
def test_what_cannot_be_decided_says_why(admin_user: User, total: str, more: dict[str, Any], said: str) -> None:
    part = left_after(4)
    with pytest.raises(CannotDo, match=said):
        decide(part, total, admin_user, **more)
    assert not LedgerEntry.objects.filter(kind=EntryKind.CORRECTION).exists()


def test_only_the_worker_s_own_ended_participation_is_decided_about(admin_user: User) -> None:
    running, other = factories.participation(), left_after(4)
    for part, worker in ((running, running.worker), (other, running.worker)):
        with pytest.raises(CannotDo, match="has ended"):
            corrections.correct(worker, part.pk, Decimal(1), REASON, admin_user, uuid.uuid4(), confirmed=True)


def test_decided_twice_by_one_form_it_is_one_and_what_was_paid_is_never_undercut(admin_user: User) -> None:
    part, key = left_after(4), uuid.uuid4()
    first = decide(part, "2.00", admin_user, key=key)
    assert decide(part, "2.00", admin_user, key=key) == first
    LedgerEntry.objects.update(state=EntryState.PAID)
    with pytest.raises(CannotDo, match=r"\$2.00 is announced for it or paid"):
        decide(part, "1.50", admin_user)
    assert decide(part, "2.50", admin_user).amount == Decimal("0.50")


def test_it_can_be_taken_back_until_it_is_sent(admin_client: Client, admin_user: User) -> None:
    part = left_after(4)
    made = decide(part, "2.00", admin_user)
    assert "It is taken back" in act(admin_client, part.worker, "take-back-bonus", entry=made.pk)
    assert pay(part) == Decimal("0.96")
    sent = decide(part, "2.00", admin_user)

    class Payer:
        def pay(self, entry: LedgerEntry) -> Paid:
            return Paid(Answer.PAID, "P1")

        def find(self, entry: LedgerEntry) -> Paid | None:
            raise AssertionError

    ledger.send(sent.pk, Payer())
    assert "cannot be called back" in act(admin_client, part.worker, "take-back-bonus", entry=sent.pk)
    assert pay(part) == Decimal("2.00")


def test_on_a_marketplace_it_is_a_bonus_and_within_the_ceilings(market: LocalMarket, admin_user: User) -> None:
    recruitment, speaks = launch(market)
    amber, fern = (visit(market, recruitment, who) for who in (AMBER, FERN))
    talk(recruitment, amber, fern)
    for visitor in (amber, fern):
        visitor.submit()
    lifecycle.sync(recruitment, speaks)
    settlement.settle_all()
    Recruitment.objects.update(worker_day_ceiling=Decimal(5))
    with pytest.raises(CannotDo, match=r"ceiling of \$5.00 for a worker within a day"):
        decide(amber.participation, "5.50", admin_user)
    made = decide(amber.participation, "4.00", admin_user)
    Assignment.objects.update(approve_at=clock.now())
    recruitment.refresh_from_db()
    assert paying.pay_due(recruitment, speaks) == ""
    made.refresh_from_db()
    assert made.state == EntryState.PAID
    assert ledger.paid(worker=amber.participation.worker) == Decimal("4.00")


# A withdrawal


def withdraw(part: Participation, who: User, **more: Any) -> Withdrawal:
    given = {"confirmed": True, "reason": "They wrote to us."} | more
    return withdrawing.withdraw(part.worker, part.pk, given["reason"], who, confirmed=given["confirmed"])


def test_who_withdraws_loses_nothing_earned_and_it_can_be_undone(admin_client: Client) -> None:
    made = factories.study(reward=Decimal("2.40"), summary_bonus=Decimal("0.80"))
    part = factories.participation(made, outcome=Outcome.COMPLETE, rounds_done=10, wrote_summary=True)
    fields = {"participation": part.pk, "reason": "They wrote to us."}
    assert "Confirm" in act(admin_client, part.worker, "withdraw", **fields)
    assert "Both workers stay paid" in act(admin_client, part.worker, "withdraw", confirmed="yes", **fields)
    part.refresh_from_db()
    assert part.outcome == Outcome.WITHDRAWN
    assert pay(part) == Decimal("3.20"), "what was earned was worked out before"
    assert settlement.settle_all() == 0
    found = Withdrawal.objects.get()
    assert (found.was, found.who.username) == (Outcome.COMPLETE, "admin")
    assert "withdrawn already" in act(admin_client, part.worker, "withdraw", confirmed="yes", **fields)
    assert "taken back" in act(admin_client, part.worker, "undo-withdrawal", withdrawal=found.pk)
    assert "not withdrawn any more" in act(admin_client, part.worker, "undo-withdrawal", withdrawal=found.pk)
    part.refresh_from_db()
    assert (part.outcome, pay(part)) == (Outcome.COMPLETE, Decimal("3.20"))


def test_a_withdrawal_needs_words_a_confirmation_and_an_end(admin_user: User) -> None:
    part = left_after(4)
    for more, said in (({"reason": " "}, "how the worker asked"), ({"confirmed": False}, "Confirm")):
        with pytest.raises(CannotDo, match=said):
            withdraw(part, admin_user, **more)
    with pytest.raises(CannotDo, match="still inside"):
        withdraw(factories.participation(), admin_user)


def test_withdrawn_work_that_was_submitted_is_approved_and_paid_as_the_partner_s(
    market: LocalMarket, admin_user: User
) -> None:
    recruitment, speaks = launch(market)
    amber, fern = (visit(market, recruitment, who) for who in (AMBER, FERN))
    talk(recruitment, amber, fern)
    for visitor in (amber, fern):
        visitor.submit()
    lifecycle.sync(recruitment, speaks)
    amber.participation.refresh_from_db()
    withdraw(amber.participation, admin_user)
    assert list(Assignment.objects.exclude(decision="").values_list("worker__external_id", flat=True)) == [AMBER]
    Assignment.objects.filter(decision="").update(approve_at=clock.now())
    paying.pay_due(recruitment, speaks)
    assert ledger.paid() == Decimal("5.60"), "both are paid all of it"
    amber.participation.refresh_from_db()
    assert amber.participation.outcome == Outcome.WITHDRAWN


# Who waited and returned


@pytest.fixture
def waited(market: LocalMarket) -> tuple[Recruitment, Any, Participation]:
    """A worker who waited five minutes, gave up and returned the HIT."""
    recruitment, speaks = launch(market, study=study(waiting_pay=Decimal("0.15")))
    amber = visit(market, recruitment, AMBER)
    outcomes.end(amber.participation.pk, Outcome.LEFT, Fault.WORKER, waited_seconds=300)
    market.robot(AMBER).post("return", assignment_id=amber.assignment_id)
    amber.participation.refresh_from_db()
    return recruitment, speaks, amber.participation


def test_who_waited_and_returned_is_listed_with_what_the_rules_give(
    waited: tuple[Recruitment, Any, Participation], admin_client: Client
) -> None:
    recruitment, speaks, part = waited
    assert unsubmitted.listed(recruitment) == [], "as far as we know they may still submit"
    with clock.travel(timedelta(seconds=5)):
        lifecycle.sync(recruitment, speaks)
        (found,) = unsubmitted.listed(recruitment)
        assert (found.participation, found.amount, found.why) == (part, Decimal("0.60"), "for 300 s of waiting")
        page = admin_client.get(f"/desk/recruiting/{recruitment.pk}/payments/").content.decode()
        assert "Compensate $0.60" in page
        assert AMBER not in page
        assert "1 person waited or worked" in admin_client.get(f"/desk/recruiting/{recruitment.pk}/").content.decode()


def test_when_the_time_of_the_assignment_is_over_it_needs_no_question(
    waited: tuple[Recruitment, Any, Participation],
) -> None:
    recruitment, _, part = waited
    with clock.travel(timedelta(hours=3)):
        assert [each.participation for each in unsubmitted.listed(recruitment)] == [part]


def test_one_click_compensates_and_it_stands_for_what_the_rules_had_planned(
    waited: tuple[Recruitment, Any, Participation], admin_client: Client, market: LocalMarket
) -> None:
    recruitment, speaks, part = waited
    key = str(uuid.uuid4())
    url = f"/desk/recruiting/{recruitment.pk}/payments/compensate/do/"
    with clock.travel(timedelta(hours=3)):
        settlement.settle_all()
        assert pay(part) == Decimal("1.10"), "what submitting would have paid, and the waiting"
        for _ in range(2):
            page = admin_client.post(url, {"id": part.pk, "key": key}, follow=True).content.decode()
            assert "A HIT of $0.60 that only they see" in page
        assert "Nobody who is owed anything" in page
        again = admin_client.post(url, {"id": part.pk, "key": str(uuid.uuid4())}, follow=True).content.decode()
        assert "compensated already" in again
        assert "Open the page again" in admin_client.post(url, {"id": part.pk}, follow=True).content.decode()
        made = Compensation.objects.get()
        assert pay(part) == made.amount == Decimal("0.60"), "it is owed once"
        assert set(LedgerEntry.objects.filter(replaced_by=made.entry).values_list("state", flat=True)) == {"undone"}
        for _ in range(2):
            compensating.carry_out(recruitment, speaks)
        made.refresh_from_db()
        market.robot(AMBER).do(made.hit_id, payment=str(made.key))
        for _ in range(3):
            compensating.carry_out(recruitment, speaks)
            paying.pay_due(recruitment, speaks)
        assert ledger.paid(worker=part.worker) == Decimal("0.60")


def test_a_compensation_that_is_taken_back_lets_the_rules_stand_again(
    waited: tuple[Recruitment, Any, Participation], admin_user: User
) -> None:
    recruitment, speaks, part = waited
    with clock.travel(timedelta(hours=3)):
        made = unsubmitted.compensate(recruitment, part.pk, admin_user, uuid.uuid4())
        compensating.take_back(made.pk, admin_user)
        compensating.carry_out(recruitment, speaks)
        assert pay(part) == Decimal("1.10")
        assert [each.participation for each in unsubmitted.listed(recruitment)] == [part], "and they are listed again"
        with pytest.raises(CannotCompensate, match="submitted meanwhile"):
            unsubmitted.compensate(recruitment, 10**6, admin_user, uuid.uuid4())


def test_what_a_person_had_decided_comes_with_it_and_who_submitted_is_not_listed(
    waited: tuple[Recruitment, Any, Participation], admin_user: User
) -> None:
    recruitment, _, part = waited
    decide(part, "2.10", admin_user)
    with clock.travel(timedelta(hours=3)):
        (found,) = unsubmitted.listed(recruitment)
        assert (found.amount, found.why) == (Decimal("1.60"), f"for 300 s of waiting; {REASON}")
        Assignment.objects.update(state=AssignmentState.SUBMITTED)
        assert unsubmitted.listed(recruitment) == []


# The page of payments


def test_the_page_shows_sums_ceilings_books_and_what_needs_a_person(admin_client: Client, market: LocalMarket) -> None:
    recruitment, speaks = launch(market, day_ceiling=Decimal(50))
    amber, fern = (visit(market, recruitment, who) for who in (AMBER, FERN))
    talk(recruitment, amber, fern)
    for visitor in (amber, fern):
        visitor.submit()
    lifecycle.sync(recruitment, speaks)
    Assignment.objects.update(approve_at=clock.now())
    paying.pay_due(recruitment, speaks)
    LedgerEntry.objects.filter(kind=EntryKind.SUMMARY).update(state=EntryState.FAILED, trouble="Refused so.")
    address = f"/desk/recruiting/{recruitment.pk}/payments/"
    page = " ".join(admin_client.get(address).content.decode().split())
    assert "Paid</th><td>$4.80" in page
    assert "Failed</th><td>$0.80" in page
    assert '$4.80 <span class="muted">of $50.00' in page, "the ceiling of a day"
    assert '$2.40 <span class="muted">of $100.00' in page, "of a worker"
    assert '$4.80 <span class="muted">of $166.66' in page, "of the study: the budget of 200 without 20 % fees"
    assert "Refused so." in page
    assert "Not compared yet" in page
    failed = LedgerEntry.objects.get(kind=EntryKind.SUMMARY).pk
    assert (
        "tried again within a minute"
        in admin_client.post(f"{address}retry/do/", {"id": failed}, follow=True).content.decode()
    )
    assert "It has not failed" in admin_client.post(f"{address}retry/do/", {"id": failed}, follow=True).content.decode()
    assert Client().get(address).status_code == 302


def test_the_ceiling_of_a_day_stops_payments_and_says_so(market: LocalMarket) -> None:
    recruitment, speaks = launch(market, day_ceiling=Decimal("1.00"))
    amber, fern = (visit(market, recruitment, who) for who in (AMBER, FERN))
    talk(recruitment, amber, fern)
    for visitor in (amber, fern):
        visitor.submit()
    lifecycle.sync(recruitment, speaks)
    Assignment.objects.update(approve_at=clock.now())
    assert "ceiling of $1.00 for all within a day" in paying.pay_due(recruitment, speaks)
    assert ledger.paid() == Decimal("1.00")


def test_play_money_uses_up_no_ceiling_of_real_money(market: LocalMarket) -> None:
    recruitment, _ = launch(market)
    other = factories.worker(marketplace="mturk", environment="sandbox")
    entry = ledger.plan(other.pk, recruitment.study_id, EntryKind.REWARD, Decimal(9), "x", "k")
    LedgerEntry.objects.filter(pk=entry.pk).update(state=EntryState.PAID, first_sent_at=clock.now())
    live = factories.worker(marketplace="mturk", environment="live")
    owed = ledger.plan(live.pk, recruitment.study_id, EntryKind.REWARD, Decimal(2), "x", "k2")

    class Payer:
        def pay(self, entry: LedgerEntry) -> Paid:
            return Paid(Answer.PAID, "P1")

        def find(self, entry: LedgerEntry) -> Paid | None:
            raise AssertionError

    ceilings = ledger.Ceilings(Decimal(5), Decimal(5), Decimal(5))
    assert ledger.send(owed.pk, Payer(), ceilings) == EntryState.PAID
