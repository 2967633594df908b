"""Events only hasten asking: doubled, out of order, lost or made up, they change nothing by themselves."""

import json
import time
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from chat import presence
from collector.lib import clock
from hits import heard, lifecycle, tasks
from hits.heard import Heard
from hits.models import Assignment, AssignmentState, Hit, LedgerEntry, Recruitment
from tests.hits.recruiting import VISITORS, launch, visit
from tests.localmarket.market import AMBER, BASIL, FERN, LocalMarket


def document(number: str = "1", kind: str = "AssignmentSubmitted", **more: Any) -> dict[str, Any]:
    event = {"EventType": kind, "EventTimestamp": "2026-06-01T09:00:00Z", "HITTypeId": "T", "HITId": "H"} | more
    return {"EventDocVersion": "2014-08-15", "EventDocId": number, "CustomerId": "A1", "Events": [event]}


def post(client: Client, body: Any, secret: str = "") -> int:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    address = f"/events/{secret or settings.EVENTS_SECRET}/"
    return client.post(address, text, content_type="application/json").status_code


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return for how many seconds later we are to ask, once for each time."""
    spans: list[float] = []
    monkeypatch.setattr(tasks.look_after_hits, "apply_async", lambda countdown: spans.append(countdown))
    return spans


@pytest.mark.django_db
class TestHearing:
    def test_an_event_has_the_marketplace_asked_once_however_often_it_comes(
        self, client: Client, asked: list[float]
    ) -> None:
        assert [post(client, document()) for _ in range(3)] == [204, 204, 204]
        assert asked == [2.0]
        with clock.travel(timedelta(hours=1)):
            assert post(client, document()) == 204
        assert asked == [2.0]

    def test_many_events_at_once_are_one_question_and_a_later_one_is_another(
        self, client: Client, asked: list[float]
    ) -> None:
        for number in range(20):
            post(client, document(str(number)))
        assert asked == [2.0]
        for number in range(20, 23):
            with clock.travel(timedelta(seconds=1.9 * (number - 18))):
                post(client, document(str(number)))
        assert len(asked) == 3, "one that came after the question was put is not covered by it"

    @pytest.mark.parametrize("secret", ["x", "0" * 40])
    def test_without_the_secret_there_is_no_such_page(self, client: Client, asked: list[float], secret: str) -> None:
        assert post(client, document(), secret) == 404
        assert (asked, Heard.objects.count()) == ([], 0)

    @pytest.mark.parametrize(
        "body",
        [
            b"", b"{", b"[]", b"\xff", b"null", {}, {"EventDocId": "1"}, {"EventDocId": 1, "Events": []},
            {"EventDocId": "", "Events": []}, {"EventDocId": "x" * 101, "Events": []},
            {"EventDocId": "a\0", "Events": []}, {"EventDocId": "1", "Events": [1]},
        ],
    )  # fmt: skip
    def test_what_is_no_event_document_is_refused(self, client: Client, asked: list[float], body: Any) -> None:
        assert post(client, body) == 400
        assert (asked, Heard.objects.count()) == ([], 0)

    def test_it_is_only_posted_to(self, client: Client) -> None:
        assert client.get(f"/events/{settings.EVENTS_SECRET}/").status_code == 405

    def test_the_memory_is_bounded(self, client: Client, asked: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(heard, "KEPT", 10)
        monkeypatch.setattr(heard, "PRUNE_EVERY", 5)
        for number in range(40):
            post(client, document(str(number)))
            assert Heard.objects.count() <= 15
        assert Heard.objects.filter(document_id="39").exists(), "the newest are kept"


def wait_for(number: int, seconds: float = 12) -> list[str]:
    """Wait until so many documents were heard, and a moment for one too many."""
    end = time.monotonic() + seconds
    while Heard.objects.count() < number and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.7)
    return list(Heard.objects.values_list("document_id", flat=True))


def all_that_matters() -> list[Any]:
    rows: list[Any] = []
    for model in (Recruitment, Hit, Assignment, LedgerEntry):
        rows += [model.__name__, *model.objects.order_by("pk").values()]  # type: ignore[attr-defined]
    return rows


@pytest.mark.django_db(transaction=True)
class TestTheMarketplaceTells:
    """The running marketplace posts to the running product, with the faults it is set to."""

    @pytest.fixture
    def recruitment(self, market: LocalMarket, live_server, settings, asked) -> Recruitment:  # type: ignore[no-untyped-def]
        settings.PUBLIC_URL = live_server.url
        VISITORS.clear()
        presence.renew_lease()
        self.speaks: Any
        recruitment, self.speaks = launch(market)
        return recruitment

    def test_what_happens_is_heard_and_has_us_ask(
        self, market: LocalMarket, recruitment: Recruitment, asked: list[float]
    ) -> None:
        amber = visit(market, recruitment, AMBER)
        market.robot(AMBER).submit(amber.assignment_id)
        before = all_that_matters()
        assert len(wait_for(3)) >= 2
        assert asked
        assert all_that_matters() == before, "an event by itself changes nothing"
        assert lifecycle.sync(recruitment, self.speaks) == 1

    @pytest.mark.parametrize("fault", ["events_doubled", "events_reordered", "events_lost"])
    def test_faults_change_nothing_and_asking_finds_everything(
        self, market: LocalMarket, recruitment: Recruitment, fault: str
    ) -> None:
        market.control("settings", **{fault: 100})
        amber, fern = visit(market, recruitment, AMBER), visit(market, recruitment, FERN)
        market.robot(AMBER).submit(amber.assignment_id)
        before = all_that_matters()
        if fault == "events_lost":
            assert wait_for(1, seconds=2) == []
        else:
            ids = wait_for(3)
            assert len(ids) == len(set(ids)) >= 3
            deliveries = market.look("state")["deliveries"]
            assert fault != "events_doubled" or deliveries["sent"] >= 2 * len(ids)
        assert all_that_matters() == before
        assert lifecycle.sync(recruitment, self.speaks) == 1
        states = dict(Assignment.objects.values_list("worker__external_id", "state"))
        assert states == {AMBER: AssignmentState.SUBMITTED, fern.worker_id: AssignmentState.SEEN}

    def test_a_forged_event_makes_us_ask_and_nothing_more(
        self, market: LocalMarket, recruitment: Recruitment, asked: list[float], client: Client
    ) -> None:
        visit(market, recruitment, BASIL)
        Heard.objects.all().delete()
        seen = Assignment.objects.get()
        for number, kind in enumerate(["AssignmentApproved", "AssignmentSubmitted", "HITExpired", "HITDisposed"]):
            made_up = document(f"f{number}", kind, HITId=seen.hit.external_id, AssignmentId=seen.external_id)
            assert post(client, made_up) == 204
        assert lifecycle.sync(recruitment, self.speaks) == 0
        seen.refresh_from_db()
        assert (seen.state, seen.hit.state) == (AssignmentState.SEEN, "open")

    def test_a_marketplace_that_takes_no_address_is_recruited_on_all_the_same(
        self, market: LocalMarket, live_server, asked: list[float]
    ) -> None:  # type: ignore[no-untyped-def]
        market.control("faults", operation="UpdateNotificationSettings", kind="error", times=5)
        VISITORS.clear()
        recruitment, _ = launch(market)
        assert lifecycle.open_hits(recruitment).count() == 2
