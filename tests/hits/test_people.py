"""What a person may do about one worker, from the worker's page to the running marketplace, and how it is undone."""

import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.lib import clock
from collector.studies import exclusions
from collector.studies.admission import Code, Identity, NotAdmitted, admit
from collector.studies.models import Exclusion, Outcome, Worker
from hits import entering, launching, ledger, lifecycle, marking, paying, people, tasks
from hits.models import Assignment, Block, Compensation, EntryKind, EntryState, LedgerEntry, Mark, Note, Recruitment
from tests import factories
from tests.hits import recruiting
from tests.hits.recruiting import launch, talk, visit
from tests.localmarket.market import AMBER, BASIL, FERN, LocalMarket

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]
REASON = "A reason that is long enough to be read."


def act(client: Client, worker: Worker, action: str, **fields: Any) -> str:
    fields.setdefault("key", str(uuid.uuid4()))
    return client.post(f"/desk/workers/{worker.pk}/{action}/do/", fields, follow=True).content.decode()


def offered(market: LocalMarket, worker_id: str) -> bool:
    return bool(market.robot(worker_id).get("hits"))


def amber() -> Worker:
    return entering.worker_of("local", AMBER)


def worked(market: LocalMarket) -> tuple[Recruitment, Any, Worker]:
    recruitment, speaks = launch(market)
    visitors = [visit(market, recruitment, who) for who in (AMBER, FERN)]
    talk(recruitment, *visitors)
    for visitor in visitors:
        visitor.submit()
    lifecycle.sync(recruitment, speaks)
    Assignment.objects.update(approve_at=clock.now())
    paying.pay_due(recruitment, speaks)
    return recruitment, speaks, amber()


# The page


def test_only_staff_sees_it_and_it_alone_shows_the_id(
    client: Client, admin_client: Client, market: LocalMarket
) -> None:
    _, _, worker = worked(market)
    assert Client().get(f"/desk/workers/{worker.pk}/").status_code == 302
    assert Client().post(f"/desk/workers/{worker.pk}/note/do/", {"text": "x"}).status_code == 302
    assert not Note.objects.exists()
    page = admin_client.get(f"/desk/workers/{worker.pk}/").content.decode()
    assert AMBER not in page, "only when it is asked for, which is logged"
    assert AMBER in admin_client.post(f"/desk/workers/{worker.pk}/reveal/").content.decode()
    for part in ("Complete", "$0.50", "rest of the reward", "by the pay rules", "Compensate", "Block"):
        assert part in page, part
    for path in ("/admin/studies/worker/", f"/admin/studies/worker/{worker.pk}/change/", "/admin/hits/ledgerentry/"):
        other = admin_client.get(path).content.decode()
        assert AMBER not in other
        assert f"/desk/workers/{worker.pk}/" in other


def test_a_worker_is_found_by_the_id_they_wrote_and_it_stands_in_no_address(admin_client: Client) -> None:
    worker = factories.worker(external_id="panel-7")
    found = admin_client.post("/desk/workers/", {"worker_id": " panel-7 "})
    assert (found.status_code, found["Location"]) == (302, f"/desk/workers/{worker.pk}/")
    assert "Nobody with this id" in admin_client.post("/desk/workers/", {"worker_id": "panel-8"}).content.decode()
    factories.worker(external_id="panel-7", environment="simulated")
    assert admin_client.post("/desk/workers/", {"worker_id": "panel-7"}).status_code == 200


def test_notes_say_who_and_when_and_are_text_only(admin_client: Client) -> None:
    worker = factories.worker()
    assert "The note is empty" in act(admin_client, worker, "note", text="  ")
    page = act(admin_client, worker, "note", text="Wrote to us <b>kindly</b>.")
    assert "&lt;b&gt;kindly" in page
    assert Note.objects.get().who.username == "admin"
    assert admin_client.post(f"/desk/workers/{worker.pk}/delete/do/").status_code == 404


# Exclusion


@pytest.mark.parametrize("whole", ["study", "collection"])
def test_who_is_excluded_sees_no_offer_until_they_are_included_again(
    admin_client: Client, market: LocalMarket, whole: str
) -> None:
    recruitment, speaks = launch(market)
    worker = amber()
    target = f"{whole}-{recruitment.study_id if whole == 'study' else recruitment.study.collection_id}"
    assert "Say why" in act(admin_client, worker, "exclude", target=target, reason="")
    assert "Excluded" in act(admin_client, worker, "exclude", target=target, reason="Same person twice.")
    tasks.look_after_all()
    assert not offered(market, AMBER)
    assert offered(market, BASIL)
    assert list(speaks.marked(recruitment.mark_id)) == [AMBER]
    pk = Exclusion.objects.get().pk
    assert "may take part again" in act(admin_client, worker, "include", exclusion=pk)
    assert "not excluded any more" in act(admin_client, worker, "include", exclusion=pk)
    tasks.look_after_all()
    assert offered(market, AMBER)
    assert not Mark.objects.exists()
    assert Exclusion.objects.get().ended_by.username == "admin", "what was undone stays as history"  # type: ignore[union-attr]


def test_who_was_excluded_before_a_launch_never_sees_it(market: LocalMarket, admin_user: User, settings) -> None:  # type: ignore[no-untyped-def]
    settings.LOCALMARKET_URL = market.url
    made = recruiting.recruitment(recruiting.study())
    exclusions.exclude(amber().pk, "Was in the pilot.", admin_user, study=made.study_id)
    launching.launch(made, recruiting.adapter(market))
    assert not offered(market, AMBER)


def test_including_again_takes_no_mark_from_who_is_at_the_cap(market: LocalMarket, admin_user: User) -> None:
    recruitment, speaks, worker = worked(market)
    recruitment.study.collection.cap = 1
    recruitment.study.collection.save()
    exclusions.exclude(worker.pk, "Why not.", admin_user, study=recruitment.study_id)
    marking.carry_out(recruitment, speaks)
    exclusions.include(Exclusion.objects.get().pk, admin_user)
    marking.carry_out(recruitment, speaks)
    assert AMBER in speaks.marked(recruitment.mark_id)


def test_at_the_door_our_own_list_is_asked_for_workers_of_a_link_too(admin_user: User) -> None:
    study, worker = factories.study(), factories.worker()
    identity = Identity(worker.marketplace, worker.environment, worker.external_id)
    exclusions.exclude(worker.pk, "Wrote nonsense.", admin_user, collection=study.collection_id)
    with pytest.raises(NotAdmitted) as refused:
        admit(study, identity)
    assert refused.value.code == Code.EXCLUDED
    assert "nonsense" not in refused.value.sentence
    exclusions.include(Exclusion.objects.get().pk, admin_user)
    assert admit(study, identity).is_new


def test_who_is_inside_may_finish(admin_user: User) -> None:
    study, worker = factories.study(), factories.worker()
    identity = Identity(worker.marketplace, worker.environment, worker.external_id)
    inside = admit(study, identity)
    exclusions.exclude(worker.pk, "Wrote nonsense.", admin_user, study=study.pk)
    assert admit(study, identity).participation == inside.participation


# A bonus by hand


def test_a_bonus_by_hand_is_paid_once_and_says_who_gave_it(admin_client: Client, market: LocalMarket) -> None:
    recruitment, speaks, worker = worked(market)
    before, key = ledger.paid(), str(uuid.uuid4())
    part = worker.participations.get().pk
    for _ in range(2):
        page = act(admin_client, worker, "bonus", participation=part, amount="1.25", reason=REASON, key=key)
        assert "as soon as this work is approved" in page
    entry = LedgerEntry.objects.get(kind=EntryKind.QUALITY)
    assert entry.who is not None
    paying.pay_due(recruitment, speaks)
    paying.pay_due(recruitment, speaks)
    assert ledger.paid() - before == Decimal("1.25")
    assert Decimal("1.25") in set(speaks.bonuses(Assignment.objects.get(worker=worker).hit.external_id))
    assert "cannot be called back" in act(admin_client, worker, "take-back-bonus", entry=entry.pk)


def test_a_bonus_is_taken_back_before_it_was_sent_and_never_an_entry_of_the_pay_rules(
    admin_client: Client, market: LocalMarket
) -> None:
    recruitment, speaks, worker = worked(market)
    part = worker.participations.get().pk
    act(admin_client, worker, "bonus", participation=part, amount="1.25", reason=REASON)
    entry = LedgerEntry.objects.get(kind=EntryKind.QUALITY)
    assert "was not sent" in act(admin_client, worker, "take-back-bonus", entry=entry.pk)
    paying.pay_due(recruitment, speaks)
    entry.refresh_from_db()
    assert entry.state == EntryState.UNDONE
    rule = LedgerEntry.objects.filter(worker=worker, who=None).first()
    assert rule is not None
    assert not ledger.take_back(rule, User.objects.get())


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"amount": "much"}, "no number"),
        ({"amount": "NaN"}, "no number"),
        ({"amount": "-1"}, "above 0"),
        ({"amount": "500"}, "at most $100"),
        ({"reason": "good"}, "needs a reason"),
        ({"participation": "0"}, "has ended"),
        ({"key": "x"}, "Open the page again"),
    ],
)
def test_a_bonus_that_cannot_be_is_said_and_nothing_is_owed(
    admin_client: Client, fields: dict[str, str], sentence: str
) -> None:
    part = factories.participation(outcome=Outcome.COMPLETE)
    given = {"participation": part.pk, "amount": "1.00", "reason": REASON} | fields
    assert sentence in act(admin_client, part.worker, "bonus", **given)
    assert not LedgerEntry.objects.exists()


# Compensation


def test_compensating_from_the_page_and_taking_it_back(admin_client: Client, market: LocalMarket) -> None:
    recruitment, _ = launch(market)
    worker = entering.worker_of("local", BASIL)
    given = {"recruitment": recruitment.pk, "amount": "2.00", "reason": REASON, "key": str(uuid.uuid4())}
    for _ in range(2):
        assert "only they see" in act(admin_client, worker, "compensate", **given)
    made = Compensation.objects.get()
    tasks.look_after_all()
    assert "on offer to this worker" in admin_client.get(f"/desk/workers/{worker.pk}/").content.decode()
    assert "no such" in act(admin_client, amber(), "take-back-compensation", compensation=made.pk)
    act(admin_client, worker, "take-back-compensation", compensation=made.pk)
    tasks.look_after_all()
    made.refresh_from_db()
    assert made.state == "withdrawn"
    assert "ceiling" in act(admin_client, worker, "compensate", **given | {"amount": "101"})


# The hard block


def test_a_block_needs_a_reason_and_a_confirmation_says_what_it_does_and_is_undone(
    admin_client: Client, market: LocalMarket
) -> None:
    launch(market)
    worker = amber()
    page = admin_client.get(f"/desk/workers/{worker.pk}/").content.decode()
    assert "can lose the account and their income" in page
    assert page.index("Where they may not take part") < page.index("last resort")
    assert "needs a reason" in act(admin_client, worker, "block", reason="bad", confirmed="yes")
    assert "Confirm that you mean it" in act(admin_client, worker, "block", reason=REASON)
    act(admin_client, worker, "block", reason=REASON, confirmed="yes")
    tasks.look_after_all()
    assert not offered(market, AMBER)
    assert "let back" in act(admin_client, worker, "unblock")
    assert "not blocked" in act(admin_client, worker, "unblock")
    tasks.look_after_all()
    assert offered(market, AMBER)
    assert Block.objects.get().undone_at is not None


def test_no_fault_leaves_somebody_blocked_who_was_let_back(market: LocalMarket, admin_user: User) -> None:
    _, speaks = launch(market)
    worker = amber()
    market.control("faults", operation="CreateWorkerBlock", kind="lost", times=9)
    people.block(worker, REASON, admin_user, confirmed=True)
    assert people.carry_out_blocks("local", speaks) == 0
    assert "did not answer" in Block.objects.get().trouble
    market.control("clear-faults")
    people.unblock(worker, admin_user)
    assert people.carry_out_blocks("local", speaks) == 1
    assert people.carry_out_blocks("local", speaks) == 0
    assert offered(market, AMBER)


def test_a_worker_of_a_link_is_offered_no_block_and_no_compensation(admin_client: Client) -> None:
    worker = factories.worker()
    page = admin_client.get(f"/desk/workers/{worker.pk}/").content.decode()
    assert "last resort" not in page
    assert "Compensat" not in page
    assert "Only a marketplace can block" in act(admin_client, worker, "block", reason=REASON, confirmed="yes")


def test_who_took_part_in_a_study_that_this_one_follows_is_not_offered_it_nor_let_in(market: LocalMarket) -> None:
    pilot = factories.study()
    factories.participation(study=pilot, worker=amber())
    after = recruiting.study()
    after.not_after.add(pilot)
    recruitment, _ = launch(market, study=after)
    assert not offered(market, AMBER)
    assert offered(market, BASIL)
    assert any(f"did not take part in {pilot.name}" in said for said in launching.preview(recruitment, None).words)
    with pytest.raises(NotAdmitted) as refused:
        admit(after, Identity("mturk", "local", AMBER))
    assert refused.value.code == Code.TOOK_PART
    after.not_after.clear()
    tasks.look_after_all()
    assert offered(market, AMBER)
