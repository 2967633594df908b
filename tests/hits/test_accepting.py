"""How long is left of an assignment? The marketplace tells only afterwards, so it is bounded, never thought more."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from chat import presence
from collector.lib import clock
from collector.lib.rates import Allowances
from collector.studies.models import Participation
from hits import invitations, lifecycle
from hits.models import Hit
from tests.hits.recruiting import VISITORS, launch, visit
from tests.localmarket.market import AMBER, LocalMarket

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> None:
    VISITORS.clear()
    presence.renew_lease()


def free_at(hit: Hit) -> datetime:
    hit.refresh_from_db()
    assert hit.free_at is not None
    return hit.free_at


def test_who_opens_the_page_long_after_accepting_is_told_before_they_agree(market: LocalMarket, client: Client) -> None:
    recruitment, _ = launch(market, assignment_minutes=100)
    hit = lifecycle.open_hits(recruitment)[0].external_id
    entry = {"assignmentId": market.robot(AMBER).accept(hit), "hitId": hit, "workerId": AMBER}
    with clock.travel(timedelta(minutes=18)):
        assert client.get("/task/lab/local/", entry).status_code == 200
    with clock.travel(timedelta(minutes=20)):
        for page in (
            client.get("/task/lab/local/", entry),
            client.post("/task/lab/local/", entry | {"consent": "yes"}),
        ):
            assert page.status_code == 403
            assert "Too little time" in page.content.decode()
    assert not Participation.objects.exists()


def test_a_seat_that_is_seen_free_gives_the_next_worker_all_their_time(market: LocalMarket) -> None:
    recruitment, speaks = launch(market, assignment_minutes=100)
    market.forward(3 * 3600)
    with clock.travel(timedelta(hours=3)):
        lifecycle.sync(recruitment, speaks)
        assert visit(market, recruitment, AMBER).participation is not None


def test_what_is_accepted_between_two_askings_was_accepted_after_the_first(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    hit = lifecycle.open_hits(recruitment)[0]
    lifecycle.sync(recruitment, speaks)
    free = free_at(hit)
    assignment_id = market.robot(AMBER).accept(hit.external_id)
    with clock.travel(timedelta(minutes=50)):
        lifecycle.sync(recruitment, speaks)
    assert free_at(hit) == free, "it was held"
    market.robot(AMBER).submit(assignment_id)
    lifecycle.sync(recruitment, speaks)
    assert free_at(hit) == free, "it is taken"
    (row,) = market.client().list_assignments_for_hit(HITId=hit.external_id)["Assignments"]
    assert free < row["AcceptTime"].astimezone(UTC)


def test_a_seat_that_was_returned_counts_from_when_it_was_free_again(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    hit = lifecycle.open_hits(recruitment)[0]
    assignment_id = market.robot(AMBER).accept(hit.external_id)
    lifecycle.sync(recruitment, speaks)
    free = free_at(hit)
    market.robot(AMBER).post("return", assignment_id=assignment_id)
    lifecycle.sync(recruitment, speaks)
    assert free_at(hit) > free


def test_too_many_from_one_network_are_put_off_and_not_asked_to_return_the_hit(
    market: LocalMarket, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    recruitment, _ = launch(market)
    hit = lifecycle.open_hits(recruitment)[0].external_id
    entry = {"assignmentId": market.robot(AMBER).accept(hit), "hitId": hit, "workerId": AMBER, "consent": "yes"}
    monkeypatch.setattr(invitations, "JOINS", Allowances(0, 0))
    page = client.post("/task/lab/local/", entry)
    assert page.status_code == 429
    assert "Too many people come from your network" in page.content.decode()
    assert "return the HIT" not in page.content.decode()
    assert not Participation.objects.exists()
