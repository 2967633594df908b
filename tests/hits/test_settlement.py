"""What each end is worth, to the cent, and that it is written down once."""

from decimal import Decimal

import pytest

from collector.studies.models import Fault, Outcome
from hits import settlement
from hits.models import EntryKind, LedgerEntry, Settlement
from hits.settlement import Facts, Rates, owed
from tests import factories

RATES = Rates(Decimal("2.40"), Decimal("0.80"), Decimal("0.15"), Decimal("0.50"), Decimal("0.10"))


def facts(outcome: Outcome, fault: Fault = Fault.NOBODY, **more: object) -> Facts:
    return Facts(outcome, fault, **{"rounds": 10, "rounds_done": 10} | more)  # type: ignore[arg-type]


def amounts(given: Facts, rates: Rates = RATES) -> dict[str, str]:
    return {due.kind: str(due.amount) for due in owed(given, rates)}


@pytest.mark.parametrize(
    ("given", "due"),
    [
        (facts(Outcome.COMPLETE), {"reward": "2.40"}),
        (facts(Outcome.COMPLETE, wrote_summary=True), {"reward": "2.40", "summary": "0.80"}),
        (facts(Outcome.COMPLETE, rounds_done=14), {"reward": "3.36"}),
        (facts(Outcome.PARTNER_LEFT, Fault.PARTNER, rounds_done=0), {"reward": "2.40"}),
        (facts(Outcome.PARTNER_LEFT, Fault.NOBODY, rounds_done=3), {"reward": "2.40"}),
        (facts(Outcome.TECHNICAL_FAILURE, Fault.US, rounds_done=0), {"reward": "2.40"}),
        (facts(Outcome.TIMED_OUT, Fault.NOBODY, rounds_done=7), {"reward": "2.40"}),
        (facts(Outcome.TIMED_OUT, Fault.WORKER, rounds_done=7), {"reward": "1.68"}),
        (facts(Outcome.LEFT, Fault.WORKER, rounds_done=0), {}),
        (facts(Outcome.LEFT, Fault.WORKER, rounds_done=1), {"reward": "0.24"}),
        (facts(Outcome.LEFT, Fault.NOBODY, rounds_done=10), {"reward": "2.40"}),
        (facts(Outcome.WITHDRAWN, rounds_done=5), {"reward": "1.20"}),
        (facts(Outcome.WITHDRAWN, rounds_done=10, wrote_summary=True), {"reward": "2.40", "summary": "0.80"}),
        (facts(Outcome.NO_PARTNER, rounds_done=0), {"reward": "0.50"}),
        (facts(Outcome.STUDY_ENDED, Fault.US, rounds_done=0), {"reward": "0.50"}),
        (facts(Outcome.SCREENED_OUT, rounds_done=0), {"reward": "0.10"}),
    ],
)
def test_each_end_is_paid_by_the_published_rules(given: Facts, due: dict[str, str]) -> None:
    assert amounts(given) == due


def test_every_outcome_has_a_rule() -> None:
    for outcome in Outcome:
        assert owed(facts(outcome), RATES)[0].kind == EntryKind.REWARD


@pytest.mark.parametrize(
    ("seconds", "due"), [(0, None), (60, None), (61, "0.01"), (120, "0.15"), (360, "0.75"), (361, "0.76")]
)
def test_waiting_is_paid_after_the_first_minute_and_parts_of_a_cent_count(seconds: int, due: str | None) -> None:
    assert amounts(facts(Outcome.NO_PARTNER, waited_seconds=seconds)).get("waiting") == due


def test_a_third_of_a_cent_is_rounded_up() -> None:
    rates = Rates(Decimal("1.00"))
    assert amounts(facts(Outcome.LEFT, rounds=3, rounds_done=1), rates) == {"reward": "0.34"}


def test_a_study_that_pays_nothing_owes_nothing() -> None:
    assert amounts(facts(Outcome.COMPLETE, waited_seconds=600, wrote_summary=True), Rates(Decimal(0))) == {}


@pytest.mark.django_db
class TestSettling:
    def participation(self, **fields: object):  # type: ignore[no-untyped-def]
        study = factories.study(reward=Decimal("2.40"), summary_bonus=Decimal("0.80"), waiting_pay=Decimal("0.15"))
        given = {"outcome": Outcome.COMPLETE, "rounds_done": 10, "wrote_summary": True, "waited_seconds": 90}
        return factories.participation(study, **given | fields)

    def test_what_is_owed_is_written_down_once_however_often_it_is_asked(self) -> None:
        part = self.participation()
        assert settlement.settle_all() == 1
        assert settlement.settle_all() == 0
        assert not settlement.settle(part.pk)
        found = LedgerEntry.objects.filter(participation=part)
        assert {entry.kind: str(entry.amount) for entry in found} == {
            "reward": "2.40", "summary": "0.80", "waiting": "0.08"
        }  # fmt: skip

    def test_the_rules_of_the_version_that_the_worker_saw_count(self) -> None:
        part = self.participation()
        study = part.study
        study.reward = Decimal("0.10")
        study.save()
        settlement.settle(part.pk)
        assert LedgerEntry.objects.get(kind="reward").amount == Decimal("2.40")

    def test_an_open_participation_is_not_settled(self) -> None:
        part = factories.participation()
        assert not settlement.settle(part.pk)
        assert settlement.settle_all() == 0
        assert not Settlement.objects.exists()

    def test_a_program_is_owed_nothing_and_is_done_with(self) -> None:
        self.participation(is_simulated=True)
        assert settlement.settle_all() == 1
        assert not LedgerEntry.objects.exists()

    def test_one_that_cannot_be_settled_does_not_stop_the_others(self) -> None:
        broken, sound = self.participation(), self.participation()
        content = dict(broken.version.content) | {"reward": "a lot"}
        type(broken.version).objects.filter(pk=broken.version_id).update(content=content)
        assert settlement.settle_all() == 1
        assert Settlement.objects.get().participation == sound
