"""One contract for all marketplaces: each does what it says it can, and refuses the rest with a sentence.

Mechanical Turk's adapter runs here against the local marketplace, over real HTTP.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest

from collector.lib import clock
from hits import ledger, statement
from hits.ledger import Answer
from hits.marketplace.base import Marketplace, MarketplaceError, NotPossible, Offer
from hits.marketplace.link import Link
from hits.marketplace.mturk import MTurk
from hits.models import EntryKind, EntryState, LedgerEntry
from tests import factories
from tests.hits import recruiting
from tests.localmarket.market import AMBER, LocalMarket

pytestmark = pytest.mark.django_db

OFFER = Offer("Talk about a video", "Ask or answer.", "video", Decimal("0.50"), 3600, 86_400)
URL = "https://lab.example/task/lab/local/?a=1&b=2"
REASON = "The answers are about another video."


@dataclass
class Side:
    """A marketplace, and how its workers submit."""

    speaks: Marketplace
    market: LocalMarket

    def published(self, token: str = "token-1") -> str:
        """Publish a HIT."""
        return self.speaks.publish(self.speaks.offer(OFFER), URL, token, f"lab:{token}", 3600).hit_id

    def submitted(self, **fields: str) -> str:
        """Let a worker submit a new HIT; return the assignment's id."""
        return self.market.robot(AMBER).do(self.published(), **fields)


ADAPTERS: dict[str, Callable[[LocalMarket], Marketplace]] = {
    "link": lambda market: Link(),
    "mturk": recruiting.adapter,
}
WITH_HITS = [made.name for made in (Link, MTurk) if made.capabilities.has_hits]


@pytest.fixture(params=ADAPTERS)
def side(request: pytest.FixtureRequest, market: LocalMarket) -> Side:
    return Side(ADAPTERS[request.param](market), market)


@pytest.fixture(params=WITH_HITS)
def with_hits(request: pytest.FixtureRequest, market: LocalMarket) -> Side:
    return Side(ADAPTERS[request.param](market), market)


def entry(assignment_id: str, kind: EntryKind = EntryKind.REWARD, amount: str = "0.50") -> LedgerEntry:
    part = factories.participation(entry={"assignmentId": assignment_id}, worker=factories.worker(external_id=AMBER))
    key = f"participation-{part.pk}-{kind}"
    planned = ledger.plan(
        part.worker_id, part.study_id, kind, Decimal(amount), "for the dialog", key, participation=part
    )
    return LedgerEntry.objects.select_related("worker", "participation").get(pk=planned.pk)


CALLS: dict[str, tuple[str, Callable[[Marketplace], Any]]] = {
    "offer": ("has_hits", lambda speaks: speaks.offer(OFFER)),
    "tell": ("tells_events", lambda speaks: speaks.tell("T1", "https://lab.example/events/x/")),
    "publish": ("has_hits", lambda speaks: speaks.publish("T1", URL, "token", "lab:1", 3600)),
    "look": ("has_hits", lambda speaks: speaks.look("H1")),
    "hits": ("has_hits", lambda speaks: list(speaks.hits())),
    "renew": ("has_hits", lambda speaks: speaks.renew("H1", clock.now())),
    "expire": ("has_hits", lambda speaks: speaks.expire("H1")),
    "submissions": ("has_hits", lambda speaks: list(speaks.submissions("H1"))),
    "approve": ("has_hits", lambda speaks: speaks.approve("S1")),
    "reject": ("rejects", lambda speaks: speaks.reject("S1", REASON)),
    "make_mark": ("excludes", lambda speaks: speaks.make_mark("Enough", "Has done enough.")),
    "mark_name": ("excludes", lambda speaks: speaks.mark_name("M1")),
    "exclude": ("excludes", lambda speaks: speaks.exclude("M1", AMBER)),
    "include": ("excludes", lambda speaks: speaks.include("M1", AMBER)),
    "marked": ("excludes", lambda speaks: list(speaks.marked("M1"))),
    "block": ("blocks", lambda speaks: speaks.block(AMBER, REASON)),
    "unblock": ("blocks", lambda speaks: speaks.unblock(AMBER)),
    "notify": ("writes", lambda speaks: list(speaks.notify([AMBER], "About your work", "Thank you."))),
    "bonuses": ("has_hits", lambda speaks: list(speaks.bonuses("H1"))),
}


@pytest.mark.parametrize("call", CALLS)
def test_only_what_the_capabilities_leave_out_is_not_possible_and_it_is_said(side: Side, call: str) -> None:
    capability, do = CALLS[call]
    try:
        do(side.speaks)
        refused = None
    except MarketplaceError as error:
        refused = error
    assert isinstance(refused, NotPossible) is not getattr(side.speaks.capabilities, capability)
    if isinstance(refused, NotPossible):
        assert refused.is_final
        assert refused.sentence.startswith("An invitation link cannot ")
        assert refused.sentence.endswith(".")


def test_a_balance_is_told_where_there_is_one_and_is_otherwise_not_known(side: Side) -> None:
    balance = side.speaks.balance()
    assert (balance is not None) is side.speaks.capabilities.has_balance
    assert balance is None or balance == Decimal("10000.00")


def test_the_same_offer_is_the_same_type(with_hits: Side) -> None:
    assert with_hits.speaks.offer(OFFER) == with_hits.speaks.offer(OFFER)


def test_the_same_token_is_the_same_hit(with_hits: Side) -> None:
    first = with_hits.published("token-1")
    assert with_hits.published("token-1") == first
    assert with_hits.published("token-2") != first


def test_a_hit_is_seen_as_it_is_and_is_gone_from_the_list_once_expired(with_hits: Side) -> None:
    hit_id = with_hits.published()
    found = with_hits.speaks.look(hit_id)
    assert (found.hit_id, found.available, found.reward, found.annotation) == (hit_id, 1, OFFER.reward, "lab:token-1")
    assert with_hits.market.robot(AMBER).get("hits")
    with_hits.speaks.expire(hit_id)
    with_hits.speaks.expire(hit_id)
    assert not with_hits.market.robot(AMBER).get("hits")
    until = clock.now() + timedelta(hours=2)
    with_hits.speaks.renew(hit_id, until)
    expires_at = with_hits.speaks.look(hit_id).expires_at
    assert expires_at is not None
    assert abs(expires_at - until) < timedelta(seconds=2)


def test_who_is_inside_an_expired_hit_may_submit(with_hits: Side) -> None:
    hit_id = with_hits.published()
    amber = with_hits.market.robot(AMBER)
    assignment_id = amber.accept(hit_id)
    with_hits.speaks.expire(hit_id)
    amber.submit(assignment_id)
    assert [each.assignment_id for each in with_hits.speaks.submissions(hit_id)] == [assignment_id]


def test_a_submission_says_who_and_what(with_hits: Side) -> None:
    hit_id = with_hits.published()
    assert list(with_hits.speaks.submissions(hit_id)) == []
    assignment_id = with_hits.market.robot(AMBER).do(hit_id, receipt="1.2:é")
    (found,) = with_hits.speaks.submissions(hit_id)
    assert (found.assignment_id, found.hit_id, found.worker_id) == (assignment_id, hit_id, AMBER)
    assert (found.state, found.fields) == ("submitted", {"receipt": "1.2:é"})
    assert found.submitted_at is not None
    assert found.auto_approval_at == found.submitted_at + timedelta(days=1)


def test_approving_twice_pays_once(with_hits: Side) -> None:
    before = with_hits.speaks.balance()
    assignment_id = with_hits.submitted()
    for _ in range(2):
        with_hits.speaks.approve(assignment_id, "Thank you.")
    after = with_hits.speaks.balance()
    assert before is not None
    assert after is not None
    assert before - after == Decimal("0.60")


def test_a_rejection_needs_a_reason_and_can_be_taken_back(with_hits: Side) -> None:
    assignment_id = with_hits.submitted()
    with pytest.raises(MarketplaceError, match="needs a reason"):
        with_hits.speaks.reject(assignment_id, "  ")
    for _ in range(2):
        with_hits.speaks.reject(assignment_id, REASON)
    with pytest.raises(MarketplaceError):
        with_hits.speaks.approve(assignment_id)
    with_hits.speaks.approve(assignment_id, in_spite_of_rejection=True)


def test_what_is_approved_is_not_rejected(with_hits: Side) -> None:
    assignment_id = with_hits.submitted()
    with_hits.speaks.approve(assignment_id)
    with pytest.raises(MarketplaceError) as caught:
        with_hits.speaks.reject(assignment_id, REASON)
    assert caught.value.is_final


def test_marks_are_given_and_taken_as_often_as_one_likes(with_hits: Side) -> None:
    speaks = with_hits.speaks
    mark_id = speaks.make_mark("Enough", "Has done enough.")
    assert speaks.make_mark("Enough", "Has done enough.") == mark_id
    assert speaks.mark_name(mark_id) == "Enough"
    for _ in range(2):
        speaks.exclude(mark_id, AMBER)
    assert list(speaks.marked(mark_id)) == [AMBER]
    for _ in range(2):
        speaks.include(mark_id, AMBER)
    assert list(speaks.marked(mark_id)) == []
    assert not with_hits.market.robot(AMBER).get("me")["messages"], "nobody got mail about it"


def test_who_is_blocked_sees_nothing_until_they_are_let_back(with_hits: Side) -> None:
    with_hits.published()
    for _ in range(2):
        with_hits.speaks.block(AMBER, REASON)
    assert not with_hits.market.robot(AMBER).get("hits")
    for _ in range(2):
        with_hits.speaks.unblock(AMBER)
    assert with_hits.market.robot(AMBER).get("hits")


def test_workers_are_written_to_a_hundred_at_a_time_and_who_is_not_reached_is_named(with_hits: Side) -> None:
    """Only those whose work was decided can be reached."""
    with_hits.speaks.approve(with_hits.submitted())
    with_hits.market.make_workers(101)
    strangers = [f"A9MADE{index:06}" for index in range(101)]
    said = dict(with_hits.speaks.notify([*strangers, AMBER, "A9NOBODY"], "About your work", "Thank you."))
    assert list(said) == [*strangers, AMBER, "A9NOBODY"]
    assert said[AMBER] == ""
    assert all("not approved or rejected work" in said[each] for each in strangers)
    assert "does not exist" in said["A9NOBODY"]
    (mail,) = with_hits.market.robot(AMBER).get("me")["messages"]
    assert (mail["subject"], mail["text"]) == ("About your work", "Thank you.")
    assert [call["operation"] for call in with_hits.market.look("calls")].count("NotifyWorkers") == 2


def test_our_clock_is_compared_with_theirs_where_they_have_one(side: Side) -> None:
    side.speaks.balance()
    ahead = side.speaks.ahead()
    assert (ahead is not None) is side.speaks.capabilities.has_balance
    assert ahead is None or abs(ahead) < timedelta(minutes=1)
    with clock.travel(timedelta(minutes=6)):
        side.speaks.balance()
        assert side.speaks.ahead() is None or side.speaks.ahead() > timedelta(minutes=5)  # type: ignore[operator]


@pytest.mark.parametrize("kind", [EntryKind.REWARD, EntryKind.SUMMARY])
def test_what_was_paid_is_found_and_what_was_not_is_certainly_not_there(side: Side, kind: EntryKind) -> None:
    owed = entry(side.submitted() if side.speaks.capabilities.has_hits else "", kind)
    assert side.speaks.find(owed) is None
    said = [side.speaks.pay(owed).answer for _ in range(2)]
    if side.speaks.capabilities.pays:
        found = side.speaks.find(owed)
        assert said == [Answer.PAID, Answer.PAID]
        assert found is not None
        assert found.answer == Answer.PAID
    else:
        assert said == [Answer.LATER, Answer.LATER]
        assert side.speaks.find(owed) is None


def test_what_a_link_cannot_pay_stays_planned_for_the_statement_however_long_it_takes() -> None:
    owed = entry("")
    for hours in (0, 1, 30, 31):
        with clock.travel(timedelta(hours=hours)):
            ledger.send(owed.pk, Link())
            assert ledger.resolve(owed.pk, Link()) == EntryState.PLANNED
    out = StringIO()
    statement.write(LedgerEntry.objects.filter(state=EntryState.PLANNED), out)
    assert "0.50" in out.getvalue()
    assert ledger.paid() == 0
