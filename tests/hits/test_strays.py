"""HITs whose answer was lost and that no row carries: taken over or expired, and said; on a running marketplace."""

from typing import Any

import pytest
from django.test import Client

from collector.lib import clock
from hits import lifecycle, reconcile, tasks
from hits.models import Assignment, Hit, HitState, Reconciliation, Recruitment
from tests.hits import recruiting
from tests.hits.recruiting import launch
from tests.localmarket.market import AMBER, BASIL, FERN, LocalMarket, hit_values, question

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]


def on_offer(market: LocalMarket, worker_id: str = AMBER) -> set[str]:
    """Return the HITs that are listed and open by the marketplace's own word."""
    rows = market.client().list_hits(MaxResults=100)["HITs"]
    return {row["HITId"] for row in rows if row["HITStatus"] == "Assignable" and row["Expiration"] > clock.now()}


@pytest.fixture
def lost(market: LocalMarket) -> tuple[Recruitment, Any]:
    """A launch of two seats, of which the answer to the first was lost every time."""
    market.control("faults", operation="CreateHITWithHITType", kind="lost", times=3)  # as often as botocore tries
    recruitment, speaks = launch(market)
    market.control("clear-faults")
    assert sorted(Hit.objects.values_list("state", flat=True)) == [HitState.OPEN, HitState.PLANNED]
    assert len(on_offer(market)) == 2
    return recruitment, speaks


def as_before_the_answer(recruitment: Recruitment) -> None:
    """Close the row as a pause does, which then knows nothing of its HIT."""
    recruitment.hits.filter(state=HitState.PLANNED).update(state=HitState.CLOSED)


def test_where_seats_are_offered_a_stray_becomes_one_of_them(
    lost: tuple[Recruitment, Any], market: LocalMarket, admin_client: Client, settings: Any
) -> None:
    recruitment, speaks = lost
    settings.LOCALMARKET_URL = market.url
    as_before_the_answer(recruitment)
    (said,) = tasks.reconcile_books().values()
    assert said.endswith("1 HIT of ours on offer that our books did not know, since an answer was lost: "
                         "1 left on offer, 0 expired.")  # fmt: skip
    known = set(recruitment.hits.filter(state=HitState.OPEN).values_list("external_id", flat=True))
    assert known == on_offer(market)
    assert Hit.objects.count() == 2, "the row that it was published for carries it"
    assert "1 HIT of ours on offer" in admin_client.get(f"/desk/recruiting/{recruitment.pk}/payments/").content.decode()
    assert lifecycle.top_up(recruitment, speaks) == 0, "two are open, and two are wanted at once"
    again = reconcile.reconcile(recruitment, speaks)
    assert (again.strays_kept, again.strays_expired, again.strays_in_words) == (0, 0, "")


def test_where_recruiting_is_paused_a_stray_is_expired_and_what_is_submitted_to_it_is_seen(
    lost: tuple[Recruitment, Any], market: LocalMarket
) -> None:
    recruitment, speaks = lost
    as_before_the_answer(recruitment)
    (stray,) = on_offer(market) - set(Hit.objects.values_list("external_id", flat=True))
    assignment_id = market.robot(FERN).accept(stray)
    lifecycle.pause(recruitment, "Paused by a person.")
    lifecycle.expire_all(recruitment, speaks)
    found = reconcile.reconcile(recruitment, speaks)
    assert (found.strays_kept, found.strays_expired) == (0, 1)
    assert on_offer(market) == set()
    market.robot(FERN).submit(assignment_id, seat="1")
    lifecycle.sync(recruitment, speaks)
    assert Assignment.objects.get().hit.external_id == stray


def test_a_stray_with_other_qualifications_is_expired(lost: tuple[Recruitment, Any], market: LocalMarket) -> None:
    recruitment, speaks = lost
    as_before_the_answer(recruitment)
    Recruitment.objects.filter(pk=recruitment.pk).update(countries="GB")
    recruitment.refresh_from_db()
    assert reconcile.reconcile(recruitment, speaks).strays_expired == 1


def test_a_hit_whose_row_is_lost_as_by_an_old_backup_gets_a_new_one(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    first = recruitment.hits.earliest("pk")
    recruitment.hits.exclude(pk=first.pk).delete()
    assert reconcile.reconcile(recruitment, speaks).strays_kept == 1
    rows = recruitment.hits.exclude(pk=first.pk)
    assert set(rows.values_list("external_id", "reward")) == {
        (hit_id, first.reward) for hit_id in on_offer(market) - {first.external_id}
    }


def test_what_others_offer_from_the_same_account_is_left_alone(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    elsewhere = question("https://other-lab.example/task/lab/local/")
    for values in (
        hit_values(RequesterAnnotation=f"collector:{recruitment.pk}:999", Question=elsewhere),
        hit_values(RequesterAnnotation="something else"),
        hit_values(RequesterAnnotation=None),
    ):
        market.client().create_hit(**values)
    before = on_offer(market)
    found = reconcile.reconcile(recruitment, speaks)
    assert (found.strays_kept, found.strays_expired) == (0, 0)
    assert on_offer(market) == before
    assert Hit.objects.count() == 2


def test_a_marketplace_that_does_not_answer_is_said_and_the_next_night_finds_it(
    lost: tuple[Recruitment, Any], market: LocalMarket, settings: Any
) -> None:
    recruitment, _ = lost
    settings.LOCALMARKET_URL = market.url
    as_before_the_answer(recruitment)
    market.control("faults", operation="ListHITs", kind="error", times=9)
    assert "list HITs" in next(iter(tasks.reconcile_books().values()))
    assert not Reconciliation.objects.exists()
    market.control("clear-faults")
    tasks.reconcile_books()
    assert Reconciliation.objects.get().strays_kept == 1


def test_the_adapter_lists_more_hits_than_a_page_holds(market: LocalMarket) -> None:
    speaks = recruiting.adapter(market)
    for number in range(101):
        market.client().create_hit(**hit_values(RequesterAnnotation=f"n{number}", Reward="0.01"))
    assert len({each.annotation for each in speaks.hits()}) == 101


def test_a_researcher_sees_a_study_s_hits_and_assignments_without_a_worker_s_id(
    admin_client: Client, market: LocalMarket
) -> None:
    recruitment, _ = recruiting.submitted(market)
    page = admin_client.get(f"/desk/recruiting/{recruitment.pk}/").content.decode()
    other = recruiting.recruitment(recruitment.study, environment="sandbox")
    for name, query in (("hit", "recruitment__id__exact"), ("assignment", "hit__recruitment__id__exact")):
        address = f"/admin/hits/{name}/?{query}="
        assert f'href="{address}{recruitment.pk}"' in page
        listed = admin_client.get(f"{address}{recruitment.pk}").content.decode()
        assert "2 " in listed
        assert f"0 {name}" in admin_client.get(f"{address}{other.pk}").content.decode().lower()
        for row in (Hit if name == "hit" else Assignment).objects.all():
            shown = admin_client.get(f"/admin/hits/{name}/{row.pk}/change/").content.decode()
            assert row.external_id in shown
            for worker_id in (AMBER, BASIL, FERN):
                assert worker_id not in shown + listed
    kept = admin_client.get(f"/admin/hits/assignment/{Assignment.objects.latest('pk').pk}/change/").content.decode()
    assert "AutoApprovalTime" in kept
    assert "QuestionFormAnswers" in kept
