"""What has been done on a market for months? HITs that were worked on, approved and paid a bonus, and a held mark.

``python -m tests.localmarket.filling HITS MARKED`` fills the database of the market that ``LOCALMARKET_VAR_DIR`` names.
Ids follow from their numbers, so that the platform's rows can be made beside them (``tests.hits.books``).
"""

import os
import sys

import django

MARK = "3BOOKSMARK"
REWARD, BONUS = "0.50", "1.90"
MANY = 1000
"""Rows a statement."""


def hit_id(number: int) -> str:
    """Return a HIT's id."""
    return f"3BOOKSHIT{number:06}"


def assignment_id(number: int) -> str:
    """Return the id of a HIT's assignment."""
    return f"3BOOKSASSIGNMENT{number:06}"


def worker_id(number: int) -> str:
    """Return a worker's id."""
    return f"A9BOOKS{number:06}"


def fill(hits: int, marked: int) -> None:
    """Make so many HITs, each done by one of a hundred workers, and a mark that the first so many workers hold."""
    from hits.localmarket import clock, fees
    from hits.localmarket.models import Assignment, Hit, HitType, Movement, Qualification, QualificationType, Worker

    now = clock.now()
    kind = HitType.objects.create(
        digest="books", created_at=now, title="Books", description="x", reward_cents=fees.to_cents(REWARD),
        auto_approval_seconds=86_400, duration_seconds=7200,
    )  # fmt: skip
    workers = Worker.objects.bulk_create(
        [
            Worker(worker_id=worker_id(number), name=f"Books {number}", country="US")
            for number in range(max(marked, 100))
        ],
        batch_size=MANY,
    )
    made = Hit.objects.bulk_create(
        [
            Hit(
                hit_id=hit_id(number), type=kind, created_at=now, changed_at=now, expires_at=now, question="x",
                max_assignments=1, status=Hit.Status.REVIEWABLE, expiry_told=True,
            )
            for number in range(hits)
        ],
        batch_size=MANY,
    )  # fmt: skip
    done = Assignment.objects.bulk_create(
        [
            Assignment(
                assignment_id=assignment_id(number), hit=hit, worker=workers[number % 100],
                status=Assignment.Status.APPROVED, accepted_at=now, deadline=now, submitted_at=now, visible_at=now,
                is_visible=True, approved_at=now, auto_approval_at=now,
            )
            for number, hit in enumerate(made)
        ],
        batch_size=MANY,
    )  # fmt: skip
    Movement.objects.bulk_create(
        [
            Movement(
                at=now, kind=Movement.Kind.BONUS, available_cents=0, worker_cents=fees.to_cents(BONUS),
                worker=row.worker, hit=row.hit,
                assignment=row, note="rest of the reward",
            )
            for row in done
        ],
        batch_size=MANY,
    )  # fmt: skip
    mark = QualificationType.objects.create(type_id=MARK, created_at=now, name="Books", description="x")
    Qualification.objects.bulk_create(
        [Qualification(type=mark, worker=worker, value=1, granted_at=now) for worker in workers[:marked]],
        batch_size=MANY,
    )


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "hits.localmarket.settings"
    django.setup()
    fill(int(sys.argv[1]), int(sys.argv[2]))
