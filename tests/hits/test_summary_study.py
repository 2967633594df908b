"""A summary study recruits, is worked on in the marketplace's frame, reviewed and paid as any other."""

import re
from decimal import Decimal

import pytest
from django.test import Client

from collector.studies.admission import token_of
from collector.studies.models import Participation, Study
from hits import cost, launching, lifecycle, settlement
from hits.models import EntryKind, LedgerEntry, RecruitmentState
from tests import factories
from tests.hits.recruiting import adapter, launch, recruitment, visit
from tests.localmarket.market import AMBER, FERN, LocalMarket
from tests.summaries import scene

pytestmark = pytest.mark.django_db(transaction=True)


def study(**fields: object) -> Study:
    money = {"reward": Decimal("1.80"), "ending_pay": Decimal("0.20")}
    return scene.study(videos=2, slug="sums", **money | {"example": factories.video()} | fields)  # type: ignore[arg-type]


def test_a_launch_counts_one_worker_a_summary(admin_client: Client) -> None:
    made = recruitment(study(), dialogs_wanted=8, assignment_minutes=60)
    seen = launching.preview(made, None)
    assert seen.objections == []
    assert seen.estimate == cost.estimate(cost.Plan(8, Decimal("1.80"), workers=1), cost.FEES["mturk"])
    assert seen.estimate.rewards == Decimal("14.40")
    assert seen.wage == Decimal("18.00")
    page = admin_client.get(f"/desk/recruiting/{made.pk}/").content.decode()
    assert "Expected for 8 summaries wanted" in page
    assert "ialogs" not in page.split("</header>")[-1].replace("dialogs_wanted", "")


def test_a_launch_asks_for_an_example_and_for_time() -> None:
    made = recruitment(study(example=None), assignment_minutes=50)
    said = " ".join(launching.preview(made, None).objections)
    assert "no example video" in said
    assert "The study allows 45 for the task; with 15 for the rest that is 60." in said


def test_from_the_frame_to_the_approval(market: LocalMarket, admin_client: Client) -> None:
    made, _ = launch(market, study=study(), dialogs_wanted=2, assignment_minutes=60)
    assert lifecycle.seats_wanted(made) == 2
    visitors = [visit(market, made, who) for who in (AMBER, FERN)]
    assert lifecycle.seats_wanted(made) == 0
    for visitor in visitors:
        one = scene.Watcher(visitor.participation, token_of(visitor.participation), visitor.client)
        one.begin()
        one.watch()
        one.summarise()
        visitor.submit()
    lifecycle.look_after(made, adapter(market))
    made.refresh_from_db()
    assert (made.state, made.why) == (RecruitmentState.DONE, "All summaries that were wanted are there.")
    review = admin_client.get(f"/desk/recruiting/{made.pk}/review/").content.decode()
    assert review.count(scene.TEXT) == 2
    assert "Played: 0.0 to 8.0 s." in review
    assert len(set(re.findall(r'href="/desk/replay/viewing/\d+/"', review))) == 2
    settlement.settle_all()
    paid = LedgerEntry.objects.filter(participation=Participation.objects.first())
    assert dict(paid.values_list("kind", "amount")) == {
        EntryKind.REWARD: Decimal("0.20"), EntryKind.SHARE: Decimal("1.60"),
    }  # fmt: skip
