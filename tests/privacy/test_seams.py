"""Where removing a person meets what is under way elsewhere: pay, letters, offers, judges, marketplaces."""

import pytest

from collector.exports.normalising import normalised
from collector.privacy import erasing
from collector.privacy.erasing import REMOVED, CannotErase
from collector.relevance.models import Item
from collector.studies.models import Worker
from hits import settlement
from tests import factories

ID = "A1PLANTEDWORKER9"

pytestmark = pytest.mark.django_db


def of_marketplace(external_id: str = ID) -> Worker:
    return factories.worker(marketplace="mturk", environment="sandbox", external_id=external_id)


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
