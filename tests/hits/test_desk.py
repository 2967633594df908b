"""The researcher's pages about recruiting: nothing changes by reading, and every decision is a person's."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from kombu.exceptions import OperationalError

from collector.lib import clock
from collector.studies.models import Study
from hits import ledger, lifecycle, paying, tasks
from hits.models import Asked, Assignment, AssignmentState, Environment, Hit, Recruitment, RecruitmentState
from tests import factories
from tests.hits import recruiting
from tests.hits.recruiting import launch, talk, visit
from tests.localmarket.market import AMBER, FERN, LocalMarket

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]


@pytest.fixture
def draft(market: LocalMarket, settings) -> Recruitment:  # type: ignore[no-untyped-def]
    settings.LOCALMARKET_URL = market.url
    return recruiting.recruitment(recruiting.study())


def act(client: Client, recruitment: Recruitment, action: str, **fields: str):  # type: ignore[no-untyped-def]
    return client.post(f"/desk/recruiting/{recruitment.pk}/{action}/do/", fields, follow=True)


@pytest.mark.parametrize("path", ["", "preview/", "review/"])
def test_only_staff_sees_the_pages(client: Client, draft: Recruitment, path: str) -> None:
    assert client.get(f"/desk/recruiting/{draft.pk}/{path}").status_code == 302


def test_a_draft_shows_who_may_work_the_cost_and_the_wage(admin_client: Client, draft: Recruitment) -> None:
    page = admin_client.get(f"/desk/recruiting/{draft.pk}/").content.decode()
    for part in ("At least 95 %", "US or CA", "GreaterThanOrEqualTo", "of a budget of $200.00", "An hour of it"):
        assert part in page
    assert "Who comes through the invitation link is not verified" in page
    draft.refresh_from_db()
    assert draft.asked == "", "reading a page asks for nothing"


def test_a_draft_is_seen_as_workers_will_see_it_before_they_accept(admin_client: Client, draft: Recruitment) -> None:
    Study.objects.filter(pk=draft.study_id).update(instructions="Only you two know **this**.")
    page = admin_client.get(f"/desk/recruiting/{draft.pk}/preview/").content.decode()
    assert "Only you two know <strong>this</strong>." in page
    assert "This is a preview" in page
    assert f"/desk/recruiting/{draft.pk}/preview/" in admin_client.get(f"/desk/recruiting/{draft.pk}/").content.decode()


def test_a_launch_is_asked_for_and_carried_out_by_the_worker(admin_client: Client, draft: Recruitment) -> None:
    assert "Asked for: launch" in act(admin_client, draft, "launch").content.decode()
    assert lifecycle.open_hits(draft).count() == 0, "the page did not wait for the marketplace"
    tasks.look_after_all()
    draft.refresh_from_db()
    assert (draft.asked, draft.state) == ("", RecruitmentState.PILOT)
    page = admin_client.get(f"/desk/recruiting/{draft.pk}/").content.decode()
    assert "pilot batch" in page
    assert "$9,998.80" in page, "what is held for two seats"


def test_what_stands_against_a_launch_is_shown(admin_client: Client, draft: Recruitment) -> None:
    Recruitment.objects.update(budget=Decimal(1))
    page = admin_client.get(f"/desk/recruiting/{draft.pk}/").content.decode()
    assert "over the study&#x27;s budget of $1.00" in page
    act(admin_client, draft, "launch")
    tasks.look_after_all()
    draft.refresh_from_db()
    assert draft.state == RecruitmentState.DRAFT
    assert "budget" in draft.why


def test_live_is_confirmed_with_the_number_typed(admin_client: Client, draft: Recruitment) -> None:
    Recruitment.objects.update(environment=Environment.LIVE)
    assert "Live costs real money" in act(admin_client, draft, "launch", confirmation="yes").content.decode()
    draft.refresh_from_db()
    assert draft.asked == ""
    act(admin_client, draft, "launch", confirmation="5")
    draft.refresh_from_db()
    assert draft.asked == Asked.LAUNCH
    assert "ALLOW_LIVE" in tasks.look_after_all()[str(draft)]


def test_pausing_expires_what_is_open_and_going_on_offers_again(admin_client: Client, market: LocalMarket) -> None:
    recruitment, _ = launch(market)
    act(admin_client, recruitment, "expire")
    tasks.look_after_all()
    recruitment.refresh_from_db()
    assert recruitment.state == RecruitmentState.PAUSED
    assert not market.robot(AMBER).get("hits")
    act(admin_client, recruitment, "launch")
    tasks.look_after_all()
    recruitment.refresh_from_db()
    assert recruitment.state == RecruitmentState.PILOT, "nobody has looked at the pilot yet"
    assert market.robot(AMBER).get("hits")


def test_what_was_paused_after_its_pilot_goes_on_to_the_whole(admin_client: Client, market: LocalMarket) -> None:
    recruitment, _ = launch(market, pilot_dialogs=1, dialogs_wanted=2)
    talk(recruitment, *(visit(market, recruitment, who) for who in (AMBER, FERN)))
    act(admin_client, recruitment, "expire")
    tasks.look_after_all()
    act(admin_client, recruitment, "launch")
    tasks.look_after_all()
    recruitment.refresh_from_db()
    assert recruitment.state == RecruitmentState.RUNNING


def test_what_nobody_decides_the_marketplace_approves_and_the_ledger_follows(market: LocalMarket) -> None:
    recruitment, speaks = recruiting.submitted(market)
    market.forward(73 * 3600)
    lifecycle.sync(recruitment, speaks)
    assert set(Assignment.objects.values_list("state", flat=True)) == {AssignmentState.APPROVED}
    assert paying.pay_due(recruitment, speaks) == ""
    assert ledger.paid() == Decimal("5.60")


def test_a_marketplace_that_is_away_is_said_and_stops_nothing_else(draft: Recruitment, settings) -> None:  # type: ignore[no-untyped-def]
    settings.LOCALMARKET_URL = "http://localhost:9"
    said = tasks.look_after_all()[str(draft)]
    assert "did not answer" in said


def test_a_task_queue_that_is_away_fails_no_page(monkeypatch: pytest.MonkeyPatch, caplog) -> None:  # type: ignore[no-untyped-def]
    def away() -> None:
        raise OperationalError("Connection refused")

    monkeypatch.undo()
    monkeypatch.setattr(tasks.look_after_hits, "delay", away)
    tasks.look_after_hits_soon()
    assert "at the next beat" in caplog.text


def test_who_is_behind_with_deciding_is_told_and_fewer_seats_are_on_offer(
    admin_client: Client, draft: Recruitment
) -> None:
    draft.open_at_once = 8
    hit = Hit.objects.create(
        recruitment=draft, environment="local", endpoint="", reward=1, planned_at=clock.now(), external_id="H1"
    )
    late = clock.now() - timedelta(hours=25)
    for number in range(lifecycle.MANY_LATE + 1):
        assert lifecycle.seats_at_once(draft) == 8
        assert "waited for a decision" not in admin_client.get(f"/desk/recruiting/{draft.pk}/").content.decode()
        Assignment.objects.create(
            hit=hit, external_id=f"A{number}", worker=factories.worker(), state="submitted", submitted_at=late
        )
    assert lifecycle.seats_at_once(draft) == 4
    assert "fewer seats are on offer" in admin_client.get(f"/desk/recruiting/{draft.pk}/").content.decode()
    Assignment.objects.update(approve_at=clock.now())
    assert lifecycle.seats_at_once(draft) == 8, "they are approved by themselves"
