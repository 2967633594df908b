"""What is written to a worker from the desk: sent once by the worker process, and what became of it stands there."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.lib import clock, tokens
from collector.studies.models import Worker
from hits import entering, lifecycle, mailing, tasks
from hits.mailing import CannotWrite
from hits.models import Message, MessageState, Recruitment, RecruitmentState
from tests import factories
from tests.hits.recruiting import launch
from tests.localmarket.market import AMBER, BASIL, LocalMarket

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]


@pytest.fixture
def amber(market: LocalMarket) -> Worker:
    """A worker whose work was approved."""
    recruitment, speaks = launch(market)
    speaks.approve(market.robot(AMBER).do(lifecycle.open_hits(recruitment)[0].external_id))
    return entering.worker_of("local", AMBER)


def write(worker: Worker, who: User, **fields: Any) -> Message:
    given = {"subject": "About your work", "text": "Thank you.", "key": uuid.uuid4(), "confirmed": True} | fields
    return mailing.write(worker, who=who, **given)


def post(client: Client, worker: Worker, **fields: str) -> str:
    given = {"subject": "About your work", "text": "Thank <b>you</b>.", "key": str(uuid.uuid4()), "confirmed": "yes"}
    return client.post(f"/desk/workers/{worker.pk}/write/do/", given | fields, follow=True).content.decode()


def mail(market: LocalMarket, worker_id: str = AMBER) -> list[dict[str, str]]:
    return list(market.robot(worker_id).get("me")["messages"])


def test_a_message_is_sent_once_though_the_form_and_the_task_come_twice(
    admin_client: Client, market: LocalMarket, amber: Worker
) -> None:
    key = str(uuid.uuid4())
    for _ in range(2):
        assert "sent within a minute" in post(admin_client, amber, key=key)
    assert mail(market) == [], "a page waits for no marketplace"
    for _ in range(2):
        tasks.look_after_all()
    (sent,) = mail(market)
    assert sent["subject"] == "About your work"
    said, where = sent["text"].split("\n\n")
    assert said == "Thank <b>you</b>."
    assert f"/mine/{tokens.mint_for_worker(amber.pk)}/" in where
    page = admin_client.get(f"/desk/workers/{amber.pk}/").content.decode()
    assert "Thank &lt;b&gt;you&lt;/b&gt;." in page
    assert "admin; sent" in page


def test_whom_the_marketplace_does_not_reach_is_said(admin_client: Client, market: LocalMarket, amber: Worker) -> None:
    basil = entering.worker_of("local", BASIL)
    post(admin_client, basil)
    tasks.look_after_all()
    page = admin_client.get(f"/desk/workers/{basil.pk}/").content.decode()
    assert "not sent. You have not approved or rejected work" in page


@pytest.mark.parametrize("kind", ["lost", "slow"])
def test_what_may_have_been_sent_is_not_sent_again(
    market: LocalMarket, amber: Worker, admin_user: User, settings: Any, kind: str
) -> None:
    settings.MARKETPLACE_TIMEOUT = 0.3
    market.control("faults", operation="NotifyWorkers", kind=kind, seconds=0.6 if kind == "slow" else 0)
    made = write(amber, admin_user)
    for _ in range(3):
        tasks.look_after_all()
    made.refresh_from_db()
    assert made.state == MessageState.UNKNOWN
    assert "may have reached them" in made.trouble


@pytest.mark.parametrize("kind", ["error", "throttled"])
def test_what_was_certainly_not_sent_is_sent_later(
    market: LocalMarket, amber: Worker, admin_user: User, kind: str
) -> None:
    market.control("faults", operation="NotifyWorkers", kind=kind)
    made = write(amber, admin_user)
    tasks.look_after_all()
    made.refresh_from_db()
    assert (made.state, bool(made.trouble), mail(market)) == (MessageState.PLANNED, True, [])
    tasks.look_after_all()
    made.refresh_from_db()
    assert (made.state, made.trouble, len(mail(market))) == (MessageState.SENT, "", 1)


def test_what_a_killed_process_was_sending_is_perhaps_sent(admin_user: User) -> None:
    made = write(factories.worker(marketplace="mturk", environment="local"), admin_user)
    Message.objects.update(state=MessageState.SENDING)
    assert mailing.carry_out("local", object()) == 0  # type: ignore[arg-type]
    assert Message.objects.get().state == MessageState.SENDING, "it may be at it just now"
    with clock.travel(timedelta(minutes=16)):
        mailing.carry_out("local", object())  # type: ignore[arg-type]
    made.refresh_from_db()
    assert made.state == MessageState.UNKNOWN


def test_it_is_sent_also_when_recruiting_is_over(market: LocalMarket, amber: Worker, admin_user: User) -> None:
    tasks.look_after_all()
    Recruitment.objects.update(state=RecruitmentState.DONE)
    for _ in range(3):
        tasks.look_after_all()
    write(amber, admin_user)
    tasks.look_after_all()
    assert len(mail(market)) == 1
    assert tasks.look_after_all() == {}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"subject": " "}, "needs a subject"),
        ({"text": ""}, "needs a subject and a text"),
        ({"subject": "x" * 201}, "at most 200"),
        ({"text": "x" * 4097}, "at most 200 characters, a text 4,096"),
        ({"confirmed": False}, "Confirm"),
    ],
)
def test_what_cannot_be_sent_is_said(admin_user: User, fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CannotWrite, match=sentence):
        write(factories.worker(marketplace="mturk", environment="local"), admin_user, **fields)
    assert not Message.objects.exists()


def test_who_came_by_a_link_is_offered_no_form(admin_client: Client) -> None:
    worker = factories.worker()
    page = admin_client.get(f"/desk/workers/{worker.pk}/").content.decode()
    assert "Write to them" not in page
    assert "has no mailbox with us" in page
    assert "carries no messages" in post(admin_client, worker)
