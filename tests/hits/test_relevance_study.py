"""A relevance study recruits, is worked on in the marketplace's frame, reviewed and paid as any other."""

from decimal import Decimal

import pytest
from django.test import Client

from collector.studies.admission import token_of
from collector.studies.models import Participation, Study
from hits import cost, launching, lifecycle, settlement
from hits.models import EntryKind, LedgerEntry, RecruitmentState
from tests.hits.recruiting import adapter, launch, recruitment, visit
from tests.localmarket.market import AMBER, FERN, LocalMarket
from tests.relevance import scene

pytestmark = pytest.mark.django_db(transaction=True)


def study(**fields: object) -> Study:
    money = {"reward": Decimal("3.00"), "ending_pay": Decimal("0.20"), "summary_bonus": Decimal("1.00")}
    return scene.study(items=2, people=1, slug="dense", **money | fields)


def test_a_launch_counts_one_worker_an_annotation_and_no_summary(admin_client: Client) -> None:
    made = recruitment(study(), dialogs_wanted=8, assignment_minutes=80)
    seen = launching.preview(made, None)
    assert seen.objections == []
    assert seen.estimate == cost.estimate(cost.Plan(8, Decimal("3.00"), workers=1), cost.FEES["mturk"])
    assert (seen.estimate.rewards, seen.estimate.bonuses, seen.wage) == (Decimal("24.00"), 0, Decimal("15.00"))
    page = admin_client.get(f"/desk/recruiting/{made.pk}/").content.decode()
    assert "Expected for 8 annotations wanted" in page
    assert "8 annotations: 800 single judgements. The study has 2 items; with 1 for each that takes 2" in page
    assert "ialogs" not in page.split("</header>")[-1].replace("dialogs_wanted", "")


def test_a_launch_without_items_is_told_how_they_are_made() -> None:
    made = recruitment(scene.study(items=0, slug="dense"), dialogs_wanted=8)
    assert "The study has no videos. They come with its items; make_relevance_items makes them." in (
        launching.preview(made, None).objections
    )


def test_from_the_frame_to_the_approval(market: LocalMarket, admin_client: Client) -> None:
    made, _ = launch(market, study=study(), dialogs_wanted=2, assignment_minutes=80)
    assert lifecycle.seats_wanted(made) == 2
    visitors = [visit(market, made, who) for who in (AMBER, FERN)]
    assert lifecycle.seats_wanted(made) == 0
    for visitor in visitors:
        one = scene.Judge(visitor.participation, token_of(visitor.participation), visitor.client)
        assert one.judge({7, 23})["type"] == "over"
        visitor.submit()
    lifecycle.look_after(made, adapter(market))
    made.refresh_from_db()
    assert (made.state, made.why) == (RecruitmentState.DONE, "All annotations that were wanted are there.")
    review = admin_client.get(f"/desk/recruiting/{made.pk}/review/").content.decode()
    assert review.count("2 of 100 answers marked as correct, the answer that was given among them") == 2
    assert review.count(scene.OPTION_TEXTS[23]) == 2
    assert scene.OPTION_TEXTS[24] not in review
    settlement.settle_all()
    paid = LedgerEntry.objects.filter(participation=Participation.objects.filter(study=made.study).first())
    assert dict(paid.values_list("kind", "amount")) == {
        EntryKind.REWARD: Decimal("0.20"), EntryKind.SHARE: Decimal("2.80"),
    }  # fmt: skip
