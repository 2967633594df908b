"""What goes wrong on marketplaces, where no other test shows it; and whether docs/failures.md tells the truth."""

import ast
import re
from datetime import UTC, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat import presence
from collector.lib import clock
from collector.studies import exclusions
from collector.studies.models import Outcome, Participation
from hits import entering, ledger, lifecycle, paying, reconcile, reviewing, tasks
from hits.models import Assignment, AssignmentState, EntryState, HitState, LedgerEntry, Mark
from tests import factories
from tests.hits import recruiting
from tests.hits.recruiting import VISITORS, launch, talk, visit
from tests.localmarket.market import AMBER, BASIL, FERN, LocalMarket

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| *(\d+) *\|", re.MULTILINE)
NAMED = re.compile(r"`(tests/[\w/]+\.py)::([\w:]+)`")


def names_in(path: str) -> set[str]:
    """Return the names of a file's tests as pytest has them, without parameters."""
    found = set()
    for node in ast.parse((ROOT / path).read_text()).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        before = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        names = [each.name for each in inner if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
        found |= {before + name for name in names if name.startswith("test_")}
    return found


def test_every_failure_mode_has_a_row_and_every_test_that_is_named_exists() -> None:
    text = (ROOT / "docs" / "failures.md").read_text()
    assert [int(number) for number in ROW.findall(text)] == list(range(1, 43))
    named = NAMED.findall(text)
    assert named
    assert [f"{path}::{name}" for path, name in named if name not in names_in(path)] == []
    rows = [line for line in text.splitlines() if ROW.match(line)]
    silent = [line for line in rows if not NAMED.search(line) and "not handled yet" not in line.lower()
              and "cannot occur" not in line.lower()]  # fmt: skip
    assert silent == [], "a row names a test, or says why there is none"


def test_nobody_is_blocked_but_by_a_person() -> None:
    """A block is on a person's record; the cap and exclusions are marks."""
    ours = [path for folder in ("hits", "collector") for path in (ROOT / folder).rglob("*.py")]
    asking = re.compile(r"\bpeople\.block\(|\bmarket\.block\(")
    found = {str(path.relative_to(ROOT)) for path in ours if asking.search(path.read_text())}
    assert found == {"hits/people.py", "collector/desk/people.py"}


@pytest.mark.django_db
class TestOnTheMarketplace:
    @pytest.fixture(autouse=True)
    def _fresh(self) -> None:
        VISITORS.clear()
        presence.renew_lease()

    def approve_and_pay(self, recruitment, speaks) -> None:  # type: ignore[no-untyped-def]
        Assignment.objects.filter(state=AssignmentState.SUBMITTED).update(approve_at=clock.now())
        assert paying.pay_due(recruitment, speaks) == ""

    def end(self, participation: Participation) -> None:
        Participation.objects.filter(pk=participation.pk).update(
            ended_at=clock.now(), outcome=Outcome.NO_PARTNER, fault="nobody"
        )
        participation.refresh_from_db()

    def test_who_returns_a_hit_while_waiting_and_takes_another_is_paid_on_that(self, market: LocalMarket) -> None:
        recruitment, speaks = launch(market)
        amber = visit(market, recruitment, AMBER)
        market.robot(AMBER).post("return", assignment_id=amber.assignment_id)
        assert lifecycle.sync(recruitment, speaks) == 0
        again = visit(market, recruitment, AMBER)
        assert again.participation == amber.participation
        assert again.assignment_id != amber.assignment_id
        self.end(again.participation)
        again.submit()
        lifecycle.sync(recruitment, speaks)
        self.approve_and_pay(recruitment, speaks)
        assert set(LedgerEntry.objects.values_list("state", flat=True)) == {EntryState.PAID}
        assert ledger.paid() == Decimal("0.50")

    def test_who_submits_the_older_of_two_assignments_is_paid_on_the_one_submitted(self, market: LocalMarket) -> None:
        recruitment, speaks = launch(market)
        first = visit(market, recruitment, AMBER)
        second = visit(market, recruitment, AMBER)
        self.end(second.participation)
        market.robot(AMBER).submit(first.assignment_id, receipt=second.finish_page()["fields"]["receipt"])
        lifecycle.sync(recruitment, speaks)
        self.approve_and_pay(recruitment, speaks)
        assert ledger.paid() == Decimal("0.50")

    def test_a_seat_that_was_returned_is_on_offer_again_and_another_may_take_it(self, market: LocalMarket) -> None:
        recruitment, _ = launch(market, open_at_once=2)
        amber = visit(market, recruitment, AMBER)
        market.robot(AMBER).post("return", assignment_id=amber.assignment_id)
        VISITORS.clear()
        basil = visit(market, recruitment, BASIL)
        assert basil.hit_id == amber.hit_id
        assert basil.participation != amber.participation

    def test_a_squatter_costs_one_seat_and_others_are_offered(self, market: LocalMarket) -> None:
        recruitment, speaks = launch(market)
        for hit in lifecycle.open_hits(recruitment):
            market.robot(AMBER).accept(hit.external_id)
        lifecycle.look_after(recruitment, speaks)
        assert market.robot(BASIL).get("hits"), "spare seats are open though two are held and never opened"

    def test_a_hit_that_is_gone_is_closed_and_stops_nothing_else(self, market: LocalMarket) -> None:
        recruitment, speaks = launch(market)
        gone, other = lifecycle.open_hits(recruitment).order_by("pk")
        speaks.expire(gone.external_id)
        market.client().delete_hit(HITId=gone.external_id)
        market.robot(FERN).do(other.external_id)
        assert lifecycle.sync(recruitment, speaks) == 1
        gone.refresh_from_db()
        assert gone.state == HitState.CLOSED
        assert "refused to show a HIT" in gone.trouble

    def test_what_was_submitted_is_kept_here_when_the_marketplace_disposes_of_it(self, market: LocalMarket) -> None:
        recruitment, speaks = launch(market)
        hit = lifecycle.open_hits(recruitment)[0]
        assignment_id = market.robot(FERN).do(hit.external_id, receipt="r", outcome="é 😀")
        lifecycle.sync(recruitment, speaks)
        raw = market.client().get_assignment(AssignmentId=assignment_id)["Assignment"]
        speaks.approve(assignment_id)
        lifecycle.sync(recruitment, speaks)
        market.client().delete_hit(HITId=hit.external_id)
        lifecycle.sync(recruitment, speaks)
        (row,) = Assignment.objects.all()
        assert row.fields == {"receipt": "r", "outcome": "é 😀"}
        assert row.document["Answer"] == raw["Answer"], "word for word"
        assert row.document["SubmitTime"] == raw["SubmitTime"].astimezone(UTC).isoformat()
        assert row.document["AssignmentStatus"] == "Approved", "as it was at last"
        assert set(raw) - set(lifecycle.IDS) <= set(row.document), "ids stand sealed in rows of their own"
        assert set(lifecycle.IDS).isdisjoint(row.document)

    def test_what_waits_for_a_person_is_asked_about_once_an_hour_where_it_is_much(
        self, market: LocalMarket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lifecycle, "FEW", 0)
        recruitment, speaks = launch(market)
        market.robot(FERN).do(lifecycle.open_hits(recruitment)[0].external_id)
        lifecycle.sync(recruitment, speaks)
        (row,) = Assignment.objects.all()
        before = row.hit.synced_at
        lifecycle.sync(recruitment, speaks)
        row.hit.refresh_from_db()
        assert row.hit.synced_at == before
        with clock.travel(timedelta(hours=1, minutes=1)):
            lifecycle.sync(recruitment, speaks)
        row.hit.refresh_from_db()
        assert row.hit.synced_at != before

    def test_a_worker_who_is_gone_fails_one_payment_and_no_other(self, market: LocalMarket) -> None:
        recruitment, speaks = launch(market)
        visitors = [visit(market, recruitment, who) for who in (AMBER, FERN)]
        talk(recruitment, *visitors)
        for visitor in visitors:
            visitor.submit()
        lifecycle.sync(recruitment, speaks)
        gone = factories.participation(
            recruitment.study, factories.worker(marketplace="mturk", environment="local", external_id="A9NOBODY00000"),
            entry={"assignmentId": visitors[0].assignment_id},
        )  # fmt: skip
        entry = ledger.plan(gone.worker_id, gone.study_id, "quality", Decimal("1.00"), "x", "gone", participation=gone)  # type: ignore[arg-type]
        for _ in range(3):
            ledger.send(entry.pk, speaks)
        entry.refresh_from_db()
        assert (entry.state, entry.attempts) == (EntryState.FAILED, 1), "it is not tried for ever"
        self.approve_and_pay(recruitment, speaks)
        assert ledger.paid() == Decimal("5.60")

    def test_all_who_are_marked_are_read_beyond_the_first_hundred(self, market: LocalMarket) -> None:
        speaks = recruiting.adapter(market)
        mark_id = speaks.make_mark("Enough", "Has done enough.")
        market.make_workers(101)
        for index in range(101):
            speaks.exclude(mark_id, f"A9MADE{index:06}")
        assert len(set(speaks.marked(mark_id))) == 101

    def test_a_hit_whose_answer_was_lost_is_found_and_expired_where_recruiting_is_paused(
        self, market: LocalMarket
    ) -> None:
        market.control("faults", operation="CreateHITWithHITType", kind="lost", times=9)
        recruitment, speaks = launch(market)
        assert set(recruitment.hits.values_list("state", flat=True)) == {HitState.PLANNED}
        assert market.robot(BASIL).get("hits"), "somebody could take it, and we know nothing of it"
        market.control("clear-faults")
        lifecycle.pause(recruitment, "A person wants to look.")
        lifecycle.look_after(recruitment, speaks)
        assert not market.robot(BASIL).get("hits")
        assert market.client().list_hits()["NumResults"] == 2, "none was made to find it"
        lifecycle.look_after(recruitment, speaks)
        assert set(recruitment.hits.values_list("state", flat=True)) == {HitState.CLOSED}

    def test_a_worker_whom_the_marketplace_knows_no_more_stops_nobody_else(
        self, market: LocalMarket, admin_client: Client, admin_user: User, settings: Any
    ) -> None:
        recruitment, _ = launch(market)
        settings.LOCALMARKET_URL = market.url
        for worker_id in ("A9NOBODY00000", BASIL):
            exclusions.exclude(
                entering.worker_of("local", worker_id).pk, "Spam.", admin_user, study=recruitment.study_id
            )
        for _ in range(2):
            assert list(tasks.look_after_all().values()) == ["2 HITs are open."]
        assert not market.robot(BASIL).get("hits")
        gone = Mark.objects.get(worker__external_id="A9NOBODY00000")
        assert "not valid for the parameter WorkerId" in gone.trouble
        assert "A9NOBODY00000" not in gone.trouble, "what the marketplace says of somebody is shown without the id"
        assert "does not take it" in admin_client.get(f"/desk/workers/{gone.worker_id}/").content.decode()
        assert list(tasks.reconcile_books().values()) == ["The books agree."]
        gone.refresh_from_db()
        assert gone.trouble, "at night it was tried again"

    def test_a_rejection_that_comes_too_late_is_said_and_the_others_are_paid(
        self, market: LocalMarket, admin_user: User
    ) -> None:
        recruitment, speaks = launch(market)
        visitors = [visit(market, recruitment, who) for who in (AMBER, FERN)]
        talk(recruitment, *visitors)
        for visitor in visitors:
            visitor.submit()
        lifecycle.sync(recruitment, speaks)
        rejected, other = Assignment.objects.order_by("pk")
        reviewing.reject(rejected.pk, admin_user, "It is about another video.", confirmed=True)
        speaks.approve(rejected.external_id)  # the marketplace did, by itself
        assert reviewing.carry_out(recruitment, speaks) == 0
        rejected.refresh_from_db()
        assert "refused to reject" in rejected.trouble
        reviewing.approve([other.pk], admin_user)
        assert paying.pay_due(recruitment, speaks) == ""
        assert LedgerEntry.objects.filter(worker=other.worker_id, state=EntryState.PAID).exists()

    def test_books_are_compared_without_hits_that_the_marketplace_keeps_no_more(self, market: LocalMarket) -> None:
        recruitment, speaks = launch(market)
        visitors = [visit(market, recruitment, who) for who in (AMBER, FERN)]
        talk(recruitment, *visitors)
        for visitor in visitors:
            visitor.submit()
        lifecycle.sync(recruitment, speaks)
        self.approve_and_pay(recruitment, speaks)
        market.client().delete_hit(HITId=visitors[0].hit_id)
        found = reconcile.reconcile(recruitment, speaks)
        assert (found.difference, found.gone) == (0, 1)
        assert 0 < found.ledger < ledger.paid()
