"""Where removing a person meets what is under way elsewhere: pay, letters, offers, judges, marketplaces."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet

from collector.exports.normalising import normalised
from collector.lib import clock
from collector.operations import alarms
from collector.privacy import erasing, removing
from collector.privacy.erasing import REMOVED, CannotErase
from collector.relevance.models import Item
from collector.studies.admission import Identity, admit
from collector.studies.models import Worker
from hits import compensating, corrections, letters, lifecycle, mailing, people, reviewing, settlement
from hits.mailing import CannotWrite
from hits.models import Assignment, Letter, Message
from hits.people import CannotDo
from tests import factories
from tests.hits import recruiting
from tests.localmarket.market import AMBER, FERN, LocalMarket

ID = "A1PLANTEDWORKER9"
REASON = "A reason that is long enough to be read."

pytestmark = pytest.mark.django_db


def of_marketplace(external_id: str = ID) -> Worker:
    return factories.worker(marketplace="mturk", environment="sandbox", external_id=external_id)


def erased() -> Worker:
    """Return a worker of a marketplace who was erased."""
    worker = of_marketplace()
    erasing.erase(worker, None, confirmed=True)
    return Worker.objects.get(pk=worker.pk)


@pytest.mark.parametrize("keeps", [True, False])
def test_nobody_is_erased_before_their_pay_is_worked_out(keeps: bool) -> None:
    """That is done each half minute; what is worked out afterwards could not be paid."""
    part = factories.participation(factories.study(reward=2), of_marketplace(), outcome="complete", rounds_done=10)
    with pytest.raises(CannotErase, match="still owed"):
        erasing.erase(part.worker, None, keep_texts=keeps, confirmed=True)
    assert Worker.objects.get().external_id == ID


def test_what_programs_did_is_owed_nothing_and_hinders_nothing() -> None:
    part = factories.participation(outcome="complete", is_simulated=True)
    erasing.erase(part.worker, None, confirmed=True)
    assert not Worker.objects.get(pk=part.worker_id).external_digest


def test_answers_that_judges_are_offered_are_removed_as_exports_write_them() -> None:
    texts = [("Who's there?", "It's a man, I'd say."), ("What next?", "Yes.")]
    dialog = factories.finished_dialog(texts, "A summary.")
    factories.finished_dialog([("Who else?", "yes.")], "Another.")
    options = [normalised(text) for text in ("It's a man, I'd say.", "Yes.", "Nobody's there.")]
    item = Item.objects.create(study=dialog.study, dialog=dialog, round=1, gt_index=0, options=options)
    settlement.settle_all()
    answerer = dialog.seats.get(role="answerer").worker
    answerer.ledger.all().delete()
    erasing.erase(answerer, None, confirmed=True)
    item.refresh_from_db()
    assert item.options == [REMOVED, *options[1:]], "somebody else has said yes as well"


def test_a_letter_of_somebody_erased_waits_for_no_answer() -> None:
    with clock.stopped():
        part = factories.participation(worker=of_marketplace(), outcome="study_ended")
        settlement.settle_all()
        Letter.objects.create(worker=part.worker, participation=part, text="Who are you?", at=part.ended_at)
        with clock.travel(timedelta(days=20)):
            assert [each.name for each in alarms.everything() if each.study] == ["letters"]
            erasing.erase(part.worker, None, confirmed=True)
            assert not [each for each in alarms.everything() if each.study]
    assert not letters.unanswered().exists()


def test_nothing_is_sent_to_or_planned_for_somebody_erased() -> None:
    """A marketplace would refuse for ever, or it would stand owed for ever."""
    worker, ada, key = erased(), User.objects.create_user("ada"), uuid.uuid4()
    recruitment = recruiting.recruitment(factories.study(), environment="sandbox")
    part = factories.participation(recruitment.study, worker, outcome="complete")
    with pytest.raises(CannotWrite, match="id was removed"):
        mailing.write(worker, "Thanks", "You were fine.", ada, key, confirmed=True)
    with pytest.raises(CannotDo, match="id was removed"):
        people.block(worker, REASON, ada, confirmed=True)
    with pytest.raises(CannotDo, match="id was removed"):
        people.bonus(worker, part.pk, recruitment.budget / 100, REASON, ada, key)
    with pytest.raises(CannotDo, match="id was removed"):
        corrections.correct(worker, part.pk, recruitment.budget / 10, REASON, ada, key, confirmed=True)
    with pytest.raises(compensating.CannotCompensate, match="id was removed"):
        compensating.plan(recruitment, worker, recruitment.budget / 100, REASON, ada, key)
    assert not Message.objects.exists()
    assert not worker.blocks.exists()
    assert not worker.ledger.exists()


def test_who_writes_after_being_erased_is_answered_on_their_page() -> None:
    """The link to it still opens: there is no mail, but what they ask may be answered."""
    worker = erased()
    asked = letters.write(worker, None, "Is all of it gone?", uuid.uuid4())
    assert letters.unanswered().get() == asked
    letters.answer(worker, asked.pk, "Yes.", User.objects.create_user("ada"), confirmed=True)
    assert not letters.unanswered().exists()
    assert not Message.objects.exists()


def test_rejected_work_keeps_no_id_and_its_ids_do_not_come_back(market: LocalMarket, fresh: None) -> None:
    """What it would have earned stays planned for ever; and its HIT is asked for news once more after the rejection."""
    ada = User.objects.create_user("ada")
    recruitment, speaks = recruiting.submitted(market)
    row = Assignment.objects.get(worker__external_id=AMBER)
    settlement.settle_all()
    assert row.worker.ledger.exists()
    reviewing.reject(row.pk, ada, REASON, confirmed=True)
    with pytest.raises(CannotErase, match="not decided"):
        erasing.erase(row.worker, ada, confirmed=True)
    reviewing.carry_out(recruitment, speaks)
    erasing.erase(row.worker, ada, confirmed=True)
    lifecycle.sync(recruitment, speaks)
    assert not Worker.objects.filter(external_id=AMBER).exists()
    assert Assignment.objects.count() == 2
    assert row.hit not in lifecycle.open_hits(recruitment)
    with pytest.raises(reviewing.CannotDecide, match="ids of this worker were removed"):
        reviewing.undo_rejection(row.pk, ada)
    row.refresh_from_db()
    assert not reviewing.may_be_taken_back(row)


def test_an_id_goes_after_its_time_though_the_work_was_rejected(market: LocalMarket, fresh: None) -> None:
    recruitment, speaks = recruiting.submitted(market)
    settlement.settle_all()
    for worker_id in (AMBER, FERN):
        row = Assignment.objects.get(worker__external_id=worker_id)
        reviewing.reject(row.pk, User.objects.get_or_create(username="ada")[0], REASON, confirmed=True)
    reviewing.carry_out(recruitment, speaks)
    Assignment.objects.filter(worker__external_id=FERN).update(decision="approve")  # being taken back: that is owed
    with clock.travel(timedelta(days=181)):
        removing.run()
    assert [bool(each.external_id) for each in Worker.objects.order_by("pk")] == [False, True]


def test_who_is_erased_while_they_come_again_is_a_stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their row was found, and is erased before its lock is had."""
    study, known = factories.study(), factories.worker()
    who, found = Identity("link", "live", known.external_id), QuerySet.get_or_create

    def slow(rows: Any, *args: Any, **fields: Any) -> Any:
        made = found(rows, *args, **fields)
        if made[0] == known:
            removing.forget_ids([known.pk])
        return made

    monkeypatch.setattr(QuerySet, "get_or_create", slow)
    part = admit(study, who).participation
    assert part.worker != known
    assert part.worker.external_id == who.external_id


def test_who_comes_again_while_ids_are_removed_stays_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were on the list, and are admitted before the rows are locked."""
    with clock.stopped():
        worker, other, study = factories.worker(), factories.worker(), factories.study()
        with clock.travel(timedelta(days=181)):
            lock = QuerySet.select_for_update

            def late(rows: Any, **options: Any) -> Any:
                monkeypatch.setattr(QuerySet, "select_for_update", lock)
                admit(study, Identity("link", "live", worker.external_id))
                return rows.select_for_update(**options)

            (step,) = removing.BY_RULE["ids"](clock.now() - timedelta(days=180))
            assert set(step.rows) == {worker, other}
            monkeypatch.setattr(QuerySet, "select_for_update", late)
            step.run()
    assert [bool(each.external_id) for each in (Worker.objects.get(pk=worker.pk), Worker.objects.get(pk=other.pk))] == [
        True, False,
    ]  # fmt: skip
