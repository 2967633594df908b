"""Both books agree to the cent after all that can happen, and what does not agree is said; on a running marketplace."""

import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from chat import presence
from collector.lib import clock
from collector.studies import exclusions
from hits import compensating, entering, ledger, lifecycle, marking, paying, people, reconcile, tasks
from hits.models import Assignment, EntryState, LedgerEntry, Mark, Reconciliation, Recruitment
from tests.hits.recruiting import VISITORS, launch, talk, visit
from tests.localmarket.market import AMBER, BASIL, DALE, FERN, LocalMarket

pytestmark = pytest.mark.django_db
REASON = "A reason that is long enough to be read."


@pytest.fixture(autouse=True)
def _fresh() -> None:
    VISITORS.clear()
    presence.renew_lease()


@pytest.fixture
def paid(market: LocalMarket) -> tuple[Recruitment, Any]:
    """A dialog that is paid in full."""
    recruitment, speaks = launch(market)
    visitors = [visit(market, recruitment, who) for who in (AMBER, FERN)]
    talk(recruitment, *visitors)
    for visitor in visitors:
        visitor.submit()
    lifecycle.sync(recruitment, speaks)
    Assignment.objects.update(approve_at=clock.now())
    paying.pay_due(recruitment, speaks)
    return recruitment, speaks


def test_rewards_bonuses_and_compensations_are_the_same_in_both_books(
    paid: tuple[Recruitment, Any], market: LocalMarket, admin_user: User
) -> None:
    recruitment, speaks = paid
    worker = entering.worker_of("local", AMBER)
    people.bonus(worker, worker.participations.get().pk, Decimal("1.11"), REASON, admin_user, uuid.uuid4())
    lost = entering.worker_of("local", DALE)
    made = compensating.plan(recruitment, lost, Decimal("0.70"), REASON, admin_user, uuid.uuid4())
    compensating.carry_out(recruitment, speaks)
    made.refresh_from_db()
    market.robot(DALE).do(made.hit_id)
    compensating.carry_out(recruitment, speaks)
    paying.pay_due(recruitment, speaks)
    found = reconcile.reconcile(recruitment, speaks)
    assert (found.ledger, found.marketplace) == (Decimal("7.41"), Decimal("7.41"))
    assert (found.difference, found.in_words) == (0, "")


def test_what_was_sent_past_the_ledger_is_shown_in_words(
    paid: tuple[Recruitment, Any], market: LocalMarket, admin_client: Client
) -> None:
    recruitment, speaks = paid
    done = Assignment.objects.get(worker__external_id=AMBER)
    market.client().send_bonus(WorkerId=AMBER, AssignmentId=done.external_id, BonusAmount="0.25", Reason="Past us.")
    found = reconcile.reconcile(recruitment, speaks)
    assert found.difference == Decimal("0.25")
    page = admin_client.get(f"/desk/recruiting/{recruitment.pk}/").content.decode()
    assert "The marketplace has paid $0.25 more than our ledger says: $5.85, not $5.60." in page
    assert "marketplace&#x27;s own pages" in page


def test_what_the_ledger_calls_paid_and_is_not_there_is_shown(paid: tuple[Recruitment, Any]) -> None:
    recruitment, speaks = paid
    part = LedgerEntry.objects.filter(worker__external_id=AMBER)[0].participation
    ledger.plan(part.worker_id, recruitment.study_id, "quality", Decimal("0.30"), "x", "k", participation=part)  # type: ignore[arg-type,union-attr]
    LedgerEntry.objects.filter(key="k").update(state=EntryState.PAID)
    said = reconcile.reconcile(recruitment, speaks).in_words
    assert "paid $0.30 less" in said
    assert "called paid, and is not there" in said


def test_what_went_to_submissions_we_know_nothing_of_is_told_apart(
    paid: tuple[Recruitment, Any], market: LocalMarket
) -> None:
    recruitment, speaks = paid
    lifecycle.top_up(recruitment, speaks)
    hit = next(each for each in lifecycle.open_hits(recruitment) if not each.assignments.exists())
    assignment_id = market.robot(BASIL).do(hit.external_id, receipt="none")
    speaks.approve(assignment_id)
    said = reconcile.reconcile(recruitment, speaks).in_words
    assert "$0.50 of it went to submissions that we know nothing of" in said
    assert "own pages" not in said


def test_what_was_paid_by_hand_is_in_neither_book(paid: tuple[Recruitment, Any], admin_user: User) -> None:
    recruitment, speaks = paid
    worker = entering.worker_of("local", AMBER)
    entry = people.bonus(worker, worker.participations.get().pk, Decimal(1), REASON, admin_user, uuid.uuid4())
    assert ledger.paid_by_hand(entry, admin_user, "cash")
    assert reconcile.reconcile(recruitment, speaks).difference == 0


def test_marks_are_repaired_both_ways(paid: tuple[Recruitment, Any], admin_user: User) -> None:
    recruitment, speaks = paid
    for who in (AMBER, BASIL):
        worker = entering.worker_of("local", who)
        exclusions.exclude(worker.pk, "Why not.", admin_user, study=recruitment.study_id)
    marking.carry_out(recruitment, speaks)
    speaks.include(recruitment.mark_id, AMBER)  # somebody clicked there
    speaks.exclude(recruitment.mark_id, FERN)
    Mark.objects.filter(worker__external_id=BASIL).delete()  # and here
    Mark.objects.create(recruitment=recruitment, worker=entering.worker_of("local", DALE), at=clock.now())
    found = reconcile.reconcile(recruitment, speaks)
    assert (found.marks_given, found.marks_taken) == (1, 1)
    assert set(speaks.marked(recruitment.mark_id)) == {AMBER, BASIL}
    assert set(Mark.objects.values_list("worker__external_id", flat=True)) == {AMBER, BASIL}
    again = reconcile.reconcile(recruitment, speaks)
    assert (again.marks_given, again.marks_taken) == (0, 0)


def test_the_task_and_the_command_look_at_every_recruitment_and_the_page_says_that_all_is_well(
    paid: tuple[Recruitment, Any], market: LocalMarket, settings, admin_client: Client, capsys
) -> None:  # type: ignore[no-untyped-def]
    recruitment, _ = paid
    settings.LOCALMARKET_URL = market.url
    assert "Not compared yet" in admin_client.get(f"/desk/recruiting/{recruitment.pk}/payments/").content.decode()
    assert list(tasks.reconcile_books().values()) == ["The books agree."]
    call_command("reconcile_hits")
    assert "The books agree." in capsys.readouterr().out
    page = admin_client.get(f"/desk/recruiting/{recruitment.pk}/payments/").content.decode()
    assert "the marketplace and our ledger both say $5.60" in page
    assert Reconciliation.objects.count() == 2
    settings.LOCALMARKET_URL = "http://localhost:9"
    assert "did not answer" in next(iter(tasks.reconcile_books().values()))
