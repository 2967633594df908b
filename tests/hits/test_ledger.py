"""Every amount is paid exactly once, whatever is lost, repeated, or killed in between."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import connections

from collector.lib import clock
from hits import ledger
from hits.ledger import Answer, CeilingReached, Ceilings, Paid
from hits.models import EntryKind, EntryState, LedgerEntry
from tests import factories

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """The process ended here."""


class Market:
    """A marketplace that pays, knows tokens for 24 hours, and can be told what goes wrong."""

    def __init__(self) -> None:
        self.tokens: dict[str, datetime] = {}
        self.payments: list[tuple[int, Decimal, str]] = []
        self.before: Callable[[], Paid | None] = lambda: None
        self.after: Callable[[], Paid | None] = lambda: None

    def pay(self, entry: LedgerEntry) -> Paid:
        if said := self.before():
            return said
        known = self.tokens.get(entry.token)
        if known is None or clock.now() - known > timedelta(hours=24):
            self.tokens[entry.token] = clock.now()
            self.payments.append((entry.worker_id, entry.amount, entry.token))
        return self.after() or Paid(Answer.PAID, reference="B123")

    def find(self, entry: LedgerEntry) -> Paid | None:
        if any(token == entry.token for _, _, token in self.payments):
            return Paid(Answer.PAID, reference="B123")
        return None


def dies() -> Paid:
    raise Killed


def says(answer: Answer, trouble: str = "") -> Callable[[], Paid]:
    return lambda: Paid(answer, trouble=trouble)


@pytest.fixture
def market() -> Market:
    return Market()


def entry(amount: str = "2.40", key: str = "reason-1", **fields: object) -> LedgerEntry:
    worker, study = fields.pop("worker", None) or factories.worker(), fields.pop("study", None) or factories.study()
    return ledger.plan(worker.pk, study.pk, EntryKind.REWARD, Decimal(amount), "for the dialog", key)  # type: ignore[attr-defined]


def state(of: LedgerEntry) -> str:
    return LedgerEntry.objects.get(pk=of.pk).state


# Planning


def test_a_reason_is_owed_once() -> None:
    first = entry()
    again = entry(worker=first.worker, study=first.study)
    assert again.pk == first.pk
    assert LedgerEntry.objects.count() == 1


@pytest.mark.parametrize("other", [{"amount": "2.41"}, {"worker": True}])
def test_a_reason_does_not_stand_for_two_amounts_or_workers(other: dict[str, object]) -> None:
    first = entry()
    fields = {"worker": first.worker, "study": first.study} | other
    if other.get("worker"):
        fields["worker"] = factories.worker()
    with pytest.raises(ValueError, match="in the ledger already"):
        entry(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("amount", ["0", "-1", "0.005"])
def test_only_whole_cents_above_zero_are_owed(amount: str) -> None:
    with pytest.raises(ValueError, match="no amount"):
        entry(amount)


# Sending


def test_what_is_planned_is_paid_and_not_again(market: Market) -> None:
    owed = entry()
    assert ledger.send(owed.pk, market) == EntryState.PAID
    assert ledger.send(owed.pk, market) == EntryState.PAID
    assert len(market.payments) == 1
    owed.refresh_from_db()
    assert (owed.reference, owed.attempts, owed.trouble) == ("B123", 1, "")


def test_a_refused_payment_has_failed_with_its_reason_and_a_person_may_try_again(market: Market) -> None:
    owed = entry()
    market.before = says(Answer.FAILED, "The worker is gone.")
    assert ledger.send(owed.pk, market) == EntryState.FAILED
    assert LedgerEntry.objects.get().trouble == "The worker is gone."
    assert ledger.send(owed.pk, market) == EntryState.FAILED, "a program does not try again"
    market.before = lambda: None
    ledger.retry(owed, User(username="ada"))
    assert ledger.send(owed.pk, market) == EntryState.PAID


def test_only_a_failed_payment_is_tried_again(market: Market) -> None:
    owed = entry()
    ledger.send(owed.pk, market)
    ledger.retry(owed, User(username="ada"))
    assert state(owed) == EntryState.PAID


def test_what_may_be_sent_later_stays_planned(market: Market) -> None:
    owed = entry()
    market.before = says(Answer.LATER, "Not submitted yet.")
    assert ledger.send(owed.pk, market) == EntryState.PLANNED
    market.before = lambda: None
    assert ledger.send(owed.pk, market) == EntryState.PAID


# Not knowing


@pytest.mark.parametrize("was_paid", [True, False])
def test_a_lost_answer_is_looked_up_before_anything_is_sent_again(market: Market, was_paid: bool) -> None:
    owed = entry()
    setattr(market, "after" if was_paid else "before", says(Answer.UNKNOWN, "The answer was lost."))
    assert ledger.send(owed.pk, market) == EntryState.UNKNOWN
    assert ledger.send(owed.pk, market) == EntryState.UNKNOWN, "nothing is sent while it is not known"
    market.before = market.after = lambda: None
    assert ledger.resolve(owed.pk, market) == (EntryState.PAID if was_paid else EntryState.PLANNED)
    assert ledger.send(owed.pk, market) == EntryState.PAID
    assert len(market.payments) == 1


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("hours", [0.5, 30])
def test_a_process_killed_while_sending_pays_once(market: Market, moment: str, hours: float) -> None:
    owed = entry()
    setattr(market, moment, dies)
    with pytest.raises(Killed):
        ledger.send(owed.pk, market)
    assert state(owed) == EntryState.SENDING
    assert ledger.send(owed.pk, market) == EntryState.SENDING, "another process leaves it alone"
    assert ledger.give_up_on_the_dead() == 0, "it may still be under way"
    market.before = market.after = lambda: None
    with clock.travel(timedelta(hours=hours)):
        assert ledger.give_up_on_the_dead() == 1
        ledger.resolve(owed.pk, market)
        assert ledger.send(owed.pk, market) == EntryState.PAID
    assert len(market.payments) == 1


def test_a_payment_that_appears_only_after_it_was_looked_up_is_kept_single_by_its_token(market: Market) -> None:
    owed = entry()
    market.after = says(Answer.UNKNOWN)
    ledger.send(owed.pk, market)
    market.after = lambda: None
    visible, market.payments = market.payments, []
    assert ledger.resolve(owed.pk, market) == EntryState.PLANNED
    market.payments = visible
    assert ledger.send(owed.pk, market) == EntryState.PAID
    assert len(market.payments) == 1


def test_what_was_sent_longer_ago_than_a_token_lives_is_looked_up_first(market: Market) -> None:
    owed = entry()
    market.before = says(Answer.LATER)
    ledger.send(owed.pk, market)
    market.before = lambda: None
    with clock.travel(timedelta(hours=25)):
        assert ledger.send(owed.pk, market) == EntryState.UNKNOWN
        assert ledger.resolve(owed.pk, market) == EntryState.PLANNED
        assert ledger.send(owed.pk, market) == EntryState.PAID
    assert len(market.payments) == 1


def test_what_cannot_be_looked_up_stays_unknown(market: Market) -> None:
    owed = entry()
    market.after = says(Answer.UNKNOWN)
    ledger.send(owed.pk, market)
    market.find = lambda entry: Paid(Answer.UNKNOWN)  # type: ignore[method-assign]
    assert ledger.resolve(owed.pk, market) == EntryState.UNKNOWN


def test_what_is_known_needs_no_looking_up(market: Market) -> None:
    owed = entry()
    assert ledger.resolve(owed.pk, market) == EntryState.PLANNED
    ledger.send(owed.pk, market)
    assert ledger.resolve(owed.pk, market) == EntryState.PAID


# Limits


def test_without_money_payments_wait_and_it_is_said(market: Market) -> None:
    owed = [entry(key=f"reason-{n}") for n in range(3)]
    market.before = says(Answer.NO_MONEY)
    assert "not enough money" in ledger.pay_all(market, [each.pk for each in owed])
    assert {state(each) for each in owed} == {EntryState.PLANNED}
    assert [LedgerEntry.objects.get(pk=each.pk).attempts for each in owed] == [1, 0, 0]
    market.before = lambda: None
    assert ledger.pay_all(market, [each.pk for each in owed]) == ""
    assert len(market.payments) == 3


def test_what_is_put_off_does_not_stop_the_others(market: Market) -> None:
    owed = [entry(key=f"reason-{n}") for n in range(2)]
    market.before = says(Answer.LATER)
    assert ledger.pay_all(market, [each.pk for each in owed]) == ""
    assert [LedgerEntry.objects.get(pk=each.pk).attempts for each in owed] == [1, 1]


@pytest.mark.parametrize(
    ("ceilings", "whom"),
    [
        (Ceilings(worker_and_day=Decimal(5)), "a worker within a day"),
        (Ceilings(day=Decimal(5)), "all within a day"),
        (Ceilings(study=Decimal(5)), "the study, its budget without fees"),
    ],
)
def test_no_ceiling_is_passed_and_the_sentence_says_which(market: Market, ceilings: Ceilings, whom: str) -> None:
    first = entry()
    owed = [first, *(entry(key=f"reason-{n}", worker=first.worker, study=first.study) for n in (2, 3))]
    stopped = ledger.pay_all(market, [each.pk for each in owed], ceilings)
    assert f"would pass the ceiling of $5.00 for {whom} ($4.80 so far)" in stopped
    assert [state(each) for each in owed] == [EntryState.PAID, EntryState.PAID, EntryState.PLANNED]


def test_ceilings_count_what_may_have_been_paid(market: Market) -> None:
    first = entry()
    market.after = says(Answer.UNKNOWN)
    ledger.send(first.pk, market)
    with pytest.raises(CeilingReached):
        ledger.send(entry(key="reason-2", worker=first.worker).pk, market, Ceilings(worker_and_day=Decimal(3)))


def test_what_was_paid_is_summed_by_study_and_worker(market: Market) -> None:
    first, second = entry(), entry("1.00", "reason-2")
    for owed in (first, second):
        ledger.send(owed.pk, market)
    assert ledger.paid() == Decimal("3.40")
    assert ledger.paid(study=first.study) == Decimal("2.40")
    assert ledger.paid(worker=second.worker) == Decimal("1.00")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_many_processes_paying_the_same_entries_pay_each_once(market: Market) -> None:
    owed = [entry(key=f"reason-{n}").pk for n in range(10)]

    def work(_: int) -> None:
        try:
            ledger.pay_all(market, owed)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert len(market.payments) == 10
    assert set(LedgerEntry.objects.values_list("state", flat=True)) == {EntryState.PAID}
