"""A thousand and one submissions: taken over in seconds, and pages that ask no more for many than for few."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from chat import presence
from collector.lib import clock
from collector.studies.models import Outcome, Participation, Worker
from hits import lifecycle, paying, reconcile, reviewing
from hits.models import Assignment, AssignmentState, Hit, HitState, LedgerEntry, Recruitment
from tests import factories
from tests.hits import books, recruiting
from tests.hits.recruiting import VISITORS, launch
from tests.localmarket.market import LocalMarket, hit_values

pytestmark = pytest.mark.django_db
MANY = 1001


@pytest.fixture(autouse=True)
def _fresh() -> None:
    VISITORS.clear()
    presence.renew_lease()


def crowded(market: LocalMarket, recruitment: Recruitment, number: int) -> Hit:
    """Publish one HIT that so many workers have submitted."""
    values = hit_values(MaxAssignments=number, Reward="0.01")
    hit_id = market.client().create_hit(**values)["HIT"]["HITId"]
    said = market.control("crowd", hit_id=hit_id, workers=number)
    assert f"{number} of {number}" in str(said)
    return Hit.objects.create(
        recruitment=recruitment, environment="local", endpoint=market.url, state=HitState.OPEN, external_id=hit_id,
        reward=Decimal("0.01"), planned_at=clock.now(),
    )  # fmt: skip


def test_a_thousand_and_one_submissions_are_taken_over_and_then_left_alone(
    market: LocalMarket, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    monkeypatch.setattr(lifecycle, "FEW", 0)
    recruitment, speaks = launch(market)
    hit = crowded(market, recruitment, MANY)
    with django_assert_max_num_queries(9 * MANY):
        assert lifecycle.sync(recruitment, speaks) == MANY
    assert hit.assignments.filter(state=AssignmentState.SUBMITTED).count() == MANY
    with django_assert_max_num_queries(1):
        assert lifecycle.sync(recruitment, speaks) == 0
    assert reviewing.to_review(recruitment).count() == MANY


def filled(recruitment: Recruitment, number: int) -> None:
    """Make so many more submitted assignments, each with a participation and an entry."""
    now, version = clock.now(), factories.study_version(recruitment.study)
    begin = Worker.objects.count()
    workers = Worker.objects.bulk_create(
        Worker(marketplace="mturk", environment="local", external_id=f"A7MANY{begin + each:06}", created_at=now)
        for each in range(number)
    )
    parts = Participation.objects.bulk_create(
        Participation(
            study=recruitment.study, version=version, worker=worker, consent_digest=version.consent_digest,
            arrived_at=now, confirmed_at=now, ended_at=now, outcome=Outcome.COMPLETE, fault="nobody",
            entry={"assignmentId": f"S{worker.pk}"},
        )
        for worker in workers
    )  # fmt: skip
    hits = Hit.objects.bulk_create(
        Hit(
            recruitment=recruitment, environment="local", endpoint="x", state=HitState.OPEN, external_id=f"H{part.pk}",
            reward=Decimal("0.50"), planned_at=now, synced_at=now,
        )
        for part in parts
    )  # fmt: skip
    Assignment.objects.bulk_create(
        Assignment(
            hit=hit, external_id=f"S{part.worker_id}", worker_id=part.worker_id, participation=part,
            state=AssignmentState.SUBMITTED, submitted_at=now, auto_approval_at=now + timedelta(days=3),
        )
        for hit, part in zip(hits, parts, strict=True)
    )  # fmt: skip
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            worker_id=part.worker_id, study=recruitment.study, participation=part, kind="reward", key=f"many-{part.pk}",
            amount=Decimal("0.50"), why="for the dialog", at=now, changed_at=now,
        )
        for part in parts
    )  # fmt: skip


class Silent:
    """A marketplace that nothing may be asked of."""

    endpoint = "x"

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked for")


def test_seats_that_wait_for_a_person_are_not_asked_about_each_time() -> None:
    recruitment = recruiting.recruitment(recruiting.study())
    filled(recruitment, MANY)
    assert lifecycle.sync(recruitment, Silent()) == 0  # type: ignore[arg-type]
    assert paying.due(recruitment) == [], "nothing was decided"


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/desk/recruiting/{pk}/", 31),
        ("/desk/recruiting/{pk}/review/", 15),
        ("/admin/hits/recruitment/", 12),
        ("/admin/hits/ledgerentry/", 14),
        ("/admin/hits/hit/", 14),
        ("/admin/hits/assignment/", 14),
        ("/admin/studies/participation/", 14),
    ],
)
def test_a_page_asks_no_more_for_a_thousand_than_for_thirty(
    admin_client: Client, django_assert_max_num_queries: Any, path: str, most: int
) -> None:
    recruitment = recruiting.recruitment(recruiting.study())
    address = path.format(pk=recruitment.pk)
    numbers = []
    for more in (30, MANY - 30):
        filled(recruitment, more)
        with django_assert_max_num_queries(most) as asked:
            assert admin_client.get(address).status_code == 200
        numbers.append(len(asked))
    assert numbers[1] <= numbers[0], "less, where the first has left what can be kept for a moment"


def test_a_thousand_and_one_are_approved_in_a_few_questions(
    admin_user: User, django_assert_max_num_queries: Any
) -> None:
    recruitment = recruiting.recruitment(recruiting.study())
    filled(recruitment, MANY)
    ids = list(Assignment.objects.values_list("pk", flat=True))
    with django_assert_max_num_queries(5):
        assert reviewing.approve(ids, admin_user) == MANY
    with django_assert_max_num_queries(4):
        assert len(paying.due(recruitment)) == MANY


@pytest.fixture
def queries(market: LocalMarket, django_assert_max_num_queries: Any) -> Callable[[int, int], int]:
    def count(hits: int, marked: int) -> int:
        """Compare books of such a size; return how many queries it took."""
        market.control("reset")
        with transaction.atomic():
            books.fill_market(market.var_dir, hits, marked)
            books.fill(hits, marked)
            with django_assert_max_num_queries(20) as asked:
                found = reconcile.reconcile(Recruitment.objects.get(), recruiting.adapter(market))
            transaction.set_rollback(True)
        assert (found.difference, found.ledger) == (0, hits * Decimal("2.40"))
        assert (found.marks_given, found.marks_taken) == (0, 0)
        return len(asked)

    return count


def test_comparing_the_books_asks_twice_a_hit_and_once_a_hundred_hits_and_marks(
    market: LocalMarket, queries: Callable[[int, int], int]
) -> None:
    """How long thousands take is measured by ``make bench BENCH=reconciling``."""
    few = queries(20, 120)
    assert len(market.look("calls")) == 2 * 20 + 2 + 1
    assert queries(60, 360) == few
    assert len(market.look("calls")) == 2 * 60 + 4 + 1
