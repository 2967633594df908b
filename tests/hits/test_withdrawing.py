"""A worker withdraws by themselves on the last page: until when, what it changes, and that it costs them nothing."""

import io
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client

from chat import presence
from chat.models import Dialog
from collector.lib import clock
from collector.studies import promises, versions
from collector.studies.admission import token_of
from collector.studies.models import Outcome, Participation
from hits import ledger, lifecycle, paying, statement, tasks
from hits.models import EntryState, LedgerEntry, Withdrawal
from tests import factories
from tests.hits.recruiting import VISITORS, launch, talk, visit
from tests.localmarket.market import AMBER, FERN, LocalMarket

pytestmark = pytest.mark.django_db
ASKED = "Withdraw what you wrote"


def ended(outcome: Outcome = Outcome.COMPLETE, days: int = 14) -> Participation:
    """Return the Answerer's part of a dialog that is worth $2.40."""
    study = factories.study(reward=Decimal("2.40"), withdrawal_days=days, researcher="Ada, ada@example.org")
    dialog = factories.finished_dialog(study=study)
    parts = Participation.objects.filter(study=study)
    parts.update(outcome=outcome, ended_at=clock.now(), rounds_done=10)
    return parts.get(seats__dialog=dialog, seats__role="answerer")


def post(part: Participation, **fields: str) -> str:
    return Client().post(f"/w/{token_of(part)}/finish/", fields, follow=True).content.decode()


def page(part: Participation) -> str:
    return Client().get(f"/w/{token_of(part)}/finish/").content.decode()


def test_a_worker_withdraws_on_the_last_page_and_the_whole_dialog_leaves_the_data() -> None:
    part = ended()
    shown = page(part)
    assert ASKED in shown
    assert "After that, ask Ada, ada@example.org." in shown
    post(part)
    assert Dialog.objects.in_data().exists(), "without the tick nothing happens"
    shown = post(part, withdraw="yes")
    assert "You have withdrawn" in shown
    assert ASKED not in shown
    assert not Dialog.objects.in_data().exists()
    assert Withdrawal.objects.get().who is None
    assert list(LedgerEntry.objects.values_list("worker", "amount")) == [(part.worker_id, Decimal("2.40"))]
    post(part, withdraw="yes")
    assert Withdrawal.objects.count() == 1


def test_the_days_are_those_of_the_version_that_the_worker_agreed_to() -> None:
    part = ended()
    type(part.study).objects.update(withdrawal_days=300)
    assert part.ended_at is not None
    last = part.ended_at + timedelta(days=14)
    assert f"You can do so for 13 more days, until {last:%-d %B %Y, %H:%M} (UTC). After that, ask" in page(part)
    with clock.travel(timedelta(days=13, hours=23)):
        assert "You can do so for less than a day, until " in page(part)
    with clock.travel(timedelta(days=14)):
        assert ASKED not in page(part)
        assert "You have withdrawn" not in post(part, withdraw="yes")
    assert Dialog.objects.in_data().exists()


@pytest.mark.parametrize(("outcome", "days"), [(Outcome.COMPLETE, 0), (Outcome.NO_PARTNER, 14)])
def test_it_is_not_offered_where_the_study_does_not_or_nothing_was_written(outcome: Outcome, days: int) -> None:
    part = ended(outcome, days)
    assert ASKED not in page(part)
    post(part, withdraw="yes")
    assert not Withdrawal.objects.exists()


def test_who_still_takes_part_is_sent_back_to_the_task() -> None:
    part = factories.participation()
    assert Client().post(f"/w/{token_of(part)}/finish/", {"withdraw": "yes"}).status_code == 302
    assert not Withdrawal.objects.exists()


def test_a_worker_reads_before_until_when_they_can_withdraw() -> None:
    pays = versions.DEFAULTS | {"reward": "2.40"}
    assert promises.withdrawal(pays) == (
        "You can withdraw on the last page, for 14 days after the end. What you wrote is then left out, with the whole "
        "dialog, of all that is published later. Both of you stay paid."
    )
    assert promises.withdrawal(versions.DEFAULTS | {"kind": "summary", "withdrawal_days": 0}) == (
        "You can withdraw by writing to the researcher. What you wrote is then left out of all that is published later."
    )
    study = factories.study(withdrawal_days=9)
    assert "for 9 days after the end" in Client().get(f"/join/{study.slug}/?participant=ab12").content.decode()


def test_what_is_paid_stays_in_the_statement_under_a_number_of_ours() -> None:
    part = ended()
    post(part, withdraw="yes")

    def written() -> str:
        out = io.StringIO()
        assert statement.write(LedgerEntry.objects.all(), out) == 1
        return out.getvalue()

    assert part.worker.external_id in written(), "it is still to be paid"
    LedgerEntry.objects.update(state=EntryState.PAID)
    assert part.worker.external_id not in written()
    assert f",worker {part.worker_id},reward,2.40," in written()


def test_work_that_is_submitted_after_it_was_withdrawn_is_approved_at_once(
    market: LocalMarket, monkeypatch: pytest.MonkeyPatch
) -> None:
    VISITORS.clear()
    presence.renew_lease()
    monkeypatch.setattr(tasks, "look_after_hits_soon", lambda: None)  # the worker process is not there
    recruitment, speaks = launch(market)
    amber, fern = (visit(market, recruitment, who) for who in (AMBER, FERN))
    talk(recruitment, amber, fern)
    assert "'self'" in Client().get(f"/w/{token_of(amber.participation)}/finish/")["Content-Security-Policy"]
    assert "You have withdrawn" in post(amber.participation, withdraw="yes")
    amber.submit()
    fern.submit()
    lifecycle.sync(recruitment, speaks)
    assert not paying.pay_due(recruitment, speaks)
    assert ledger.paid(worker=amber.participation.worker) > 0
    assert ledger.paid(worker=fern.participation.worker) == 0, "their work waits for a person as ever"
