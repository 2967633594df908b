"""Who could not submit is paid by a HIT of their own, once, whatever fails half-way; on a running marketplace."""

import uuid
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat import presence
from collector.lib import clock
from hits import compensating, entering, ledger, paying, tasks
from hits.compensating import CannotCompensate
from hits.marketplace.mturk import MTurk
from hits.models import Compensation, CompensationState, EntryState, LedgerEntry, Recruitment, RecruitmentState
from tests import factories
from tests.hits.recruiting import VISITORS, launch
from tests.localmarket.market import AMBER, BASIL, DALE, LocalMarket, Refused

pytestmark = pytest.mark.django_db
REASON = "Our server was down when you wanted to submit."


@pytest.fixture(autouse=True)
def _fresh() -> None:
    VISITORS.clear()
    presence.renew_lease()


@pytest.fixture
def who(admin_user: User) -> User:
    return admin_user


def planned(recruitment: Recruitment, who: User, worker_id: str = DALE, key: uuid.UUID | None = None) -> Compensation:
    worker = entering.worker_of("local", worker_id)
    return compensating.plan(recruitment, worker, Decimal("1.70"), REASON, who, key or uuid.uuid4())


def step(recruitment: Recruitment, speaks: MTurk) -> None:
    compensating.carry_out(recruitment, speaks)
    paying.pay_due(recruitment, speaks)


def seen_by(market: LocalMarket, worker_id: str) -> list[str]:
    """Return the HITs that pay a worker, as many as they see: one a group, and the ids stand with us."""
    groups = [each for each in market.robot(worker_id).get("hits") if "A payment for you" in each["title"]]
    ids = Compensation.objects.exclude(hit_id="").order_by("-pk").values_list("hit_id", flat=True)
    number = sum(each["hits"] for each in groups)
    return list(ids[:number])


def earned(market: LocalMarket, worker_id: str) -> Decimal:
    (row,) = [row for row in market.look("workers") if row["worker_id"] == worker_id]
    return Decimal(row["rewards"]) + Decimal(row["bonuses"])


def test_only_this_worker_sees_it_and_who_submits_is_paid_once(market: LocalMarket, who: User) -> None:
    recruitment, speaks = launch(market)
    before = earned(market, DALE)
    made = planned(recruitment, who)
    assert made.entry.state == EntryState.PLANNED, "the row is there before anything is sent"
    for _ in range(2):
        step(recruitment, speaks)
    (hit_id,) = seen_by(market, DALE)
    assert seen_by(market, AMBER) == seen_by(market, BASIL) == []
    with pytest.raises(Refused):
        market.robot(AMBER).accept(hit_id)
    market.robot(DALE).do(hit_id, payment=str(made.key))
    for _ in range(3):
        step(recruitment, speaks)
    made.refresh_from_db()
    assert (made.state, made.entry.state) == (CompensationState.DONE, EntryState.PAID)
    assert earned(market, DALE) - before == Decimal("1.70")
    assert list(speaks.marked(made.mark_id)) == [], "the qualification is taken away"


def test_asked_for_twice_it_is_one_and_each_asking_for_another_is_one_more(market: LocalMarket, who: User) -> None:
    recruitment, speaks = launch(market)
    key = uuid.uuid4()
    assert planned(recruitment, who, key=key) == planned(recruitment, who, key=key)
    planned(recruitment, who)
    step(recruitment, speaks)
    assert LedgerEntry.objects.count() == 2
    assert len(seen_by(market, DALE)) == 2
    with pytest.raises(CannotCompensate, match="in the ledger already"):
        compensating.plan(recruitment, factories.worker(marketplace="mturk", environment="local"), Decimal(1), REASON,
                          who, key)  # fmt: skip


@pytest.mark.parametrize("forgotten", ["mark_id", "type_id", "hit_id"])
def test_a_process_killed_before_it_wrote_down_what_it_made_finds_it_again(
    market: LocalMarket, who: User, forgotten: str
) -> None:
    recruitment, speaks = launch(market)
    made = planned(recruitment, who)
    step(recruitment, speaks)
    Compensation.objects.update(**{forgotten: "", "state": CompensationState.PLANNED})
    step(recruitment, speaks)
    known = Compensation.objects.get()
    assert seen_by(market, DALE) == [known.hit_id]
    made.refresh_from_db()
    assert made.state == CompensationState.OFFERED


def test_it_can_be_taken_back_until_it_is_submitted(market: LocalMarket, who: User) -> None:
    recruitment, speaks = launch(market)
    made, fresh = planned(recruitment, who), planned(recruitment, who, BASIL)
    compensating.take_back(fresh.pk, who)
    step(recruitment, speaks)
    compensating.take_back(made.pk, who)
    step(recruitment, speaks)
    assert seen_by(market, DALE) == seen_by(market, BASIL) == []
    assert set(Compensation.objects.values_list("state", flat=True)) == {CompensationState.WITHDRAWN}
    assert set(LedgerEntry.objects.values_list("state", flat=True)) == {EntryState.UNDONE}
    assert ledger.paid() == 0


def test_who_has_accepted_before_it_was_taken_back_is_paid_all_the_same(market: LocalMarket, who: User) -> None:
    recruitment, speaks = launch(market)
    made = planned(recruitment, who)
    step(recruitment, speaks)
    dale = market.robot(DALE)
    assignment_id = dale.accept(seen_by(market, DALE)[0])
    compensating.take_back(made.pk, who)
    step(recruitment, speaks)
    dale.submit(assignment_id)
    step(recruitment, speaks)
    step(recruitment, speaks)
    made.refresh_from_db()
    assert (made.state, made.entry.state) == (CompensationState.DONE, EntryState.PAID)
    with pytest.raises(CannotCompensate, match="cannot be taken back"):
        compensating.take_back(made.pk, who)


def test_what_was_paid_by_hand_meanwhile_is_offered_no_more(market: LocalMarket, who: User) -> None:
    recruitment, speaks = launch(market)
    made = planned(recruitment, who)
    step(recruitment, speaks)
    assert ledger.paid_by_hand(made.entry, who, "cash")
    step(recruitment, speaks)
    assert seen_by(market, DALE) == []
    assert Compensation.objects.get().state == CompensationState.WITHDRAWN
    assert LedgerEntry.objects.get().state == EntryState.PAID


def test_the_worker_process_goes_on_with_it_when_recruiting_is_over(market: LocalMarket, who: User, settings) -> None:  # type: ignore[no-untyped-def]
    recruitment, speaks = launch(market)
    settings.LOCALMARKET_URL = market.url
    from hits import lifecycle

    lifecycle.expire_all(recruitment, speaks)
    recruitment.hits.update(state="closed")
    Recruitment.objects.update(state=RecruitmentState.DONE)
    assert tasks.look_after_all() == {}
    planned(recruitment, who)
    tasks.look_after_all()
    market.robot(DALE).do(seen_by(market, DALE)[0])
    for _ in range(3):
        tasks.look_after_all()
    assert LedgerEntry.objects.get().state == EntryState.PAID
    assert tasks.look_after_all() == {}


@pytest.mark.parametrize(
    ("amount", "reason", "sentence"),
    [
        ("1.00", "short", "needs a reason"),
        ("0", REASON, "above 0"),
        ("1000", REASON, "ceiling"),
        ("0.001", REASON, "whole cents"),
    ],
)
def test_what_cannot_be_planned_is_said(
    market: LocalMarket, who: User, amount: str, reason: str, sentence: str
) -> None:
    recruitment, _ = launch(market)
    with pytest.raises(CannotCompensate, match=sentence):
        compensating.plan(recruitment, entering.worker_of("local", DALE), Decimal(amount), reason, who, uuid.uuid4())
    with pytest.raises(CannotCompensate, match="did not come from Local"):
        compensating.plan(recruitment, factories.worker(), Decimal(1), REASON, who, uuid.uuid4())
    assert not LedgerEntry.objects.exists()


def test_its_page_says_why_and_submits_to_the_marketplace_only(market: LocalMarket, client: Client, who: User) -> None:
    recruitment, _ = launch(market)
    made = planned(recruitment, who)
    preview = client.get(f"/payment/{made.key}/", {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"})
    assert REASON in preview.content.decode()
    assert "<form" not in preview.content.decode()
    entry = {"assignmentId": "S1", "hitId": "H1", "workerId": DALE}
    page = client.get(f"/payment/{made.key}/", entry)
    assert f'action="{market.url}/mturk/externalSubmit"' in page.content.decode()
    assert f"form-action {market.url}/mturk/externalSubmit" in page["Content-Security-Policy"]
    assert client.get(f"/payment/{uuid.uuid4()}/", entry).status_code == 404
    assert client.get(f"/payment/{made.key}/", entry | {"workerId": "<b>"}).status_code == 404


def test_an_offer_that_nobody_has_taken_yet_is_renewed_before_it_runs_out(market: LocalMarket, who: User) -> None:
    recruitment, speaks = launch(market)
    made = planned(recruitment, who)
    step(recruitment, speaks)
    made.refresh_from_db()
    speaks.renew(made.hit_id, clock.now() + timedelta(hours=3))
    step(recruitment, speaks)
    expires_at = speaks.look(made.hit_id).expires_at
    assert expires_at is not None
    assert expires_at > clock.now() + timedelta(days=29)
