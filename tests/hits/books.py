"""A recruitment that has gone on for months, with the same books as ``tests.localmarket.filling`` gives the market.

``python -m tests.hits.books HITS MARKED`` fills the database of the installation in whose environment it runs.
"""

import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

from tests.localmarket.filling import BONUS, MANY, MARK, REWARD, assignment_id, hit_id, worker_id

BASE_DIR = Path(__file__).resolve().parents[2]


def fill_market(var_dir: Path, hits: int, marked: int) -> None:
    """Fill a market's database, beside the process that runs it."""
    env = os.environ | {"LOCALMARKET_VAR_DIR": str(var_dir)}
    command = [sys.executable, "-m", "tests.localmarket.filling", str(hits), str(marked)]
    subprocess.run(command, cwd=BASE_DIR, env=env, check=True)


def fill(hits: int, marked: int) -> None:
    """Make the recruitment: all HITs done and paid, and the first so many workers excluded and marked."""
    from django.contrib.auth.models import User

    from collector.lib import clock
    from collector.studies.models import Exclusion, Outcome, Participation, Worker
    from hits.models import Assignment, Hit, LedgerEntry, Mark, Recruitment
    from tests import factories

    now, study = clock.now(), factories.study(name="Books", slug="books")
    version, who = factories.study_version(study), User.objects.create(username="books")
    recruitment = Recruitment.objects.create(
        study=study, environment="local", state="running", title="Books", description="x", dialogs_wanted=9999,
        budget=99_999, mark_id=MARK, type_id="3BOOKS", created_at=now, started_at=now,
    )  # fmt: skip
    workers = Worker.objects.bulk_create(
        [
            Worker(marketplace="mturk", environment="local", external_id=worker_id(number), created_at=now)
            for number in range(max(marked, 100))
        ],
        batch_size=MANY,
    )
    parts = Participation.objects.bulk_create(
        [
            Participation(
                study=study, version=version, worker=workers[number % 100], consent_digest=version.consent_digest,
                arrived_at=now, confirmed_at=now, ended_at=now, outcome=Outcome.COMPLETE, fault="nobody",
                entry={"assignmentId": assignment_id(number), "hitId": hit_id(number)},
            )
            for number in range(hits)
        ],
        batch_size=MANY,
    )  # fmt: skip
    rows = Hit.objects.bulk_create(
        [
            Hit(
                recruitment=recruitment, environment="local", endpoint="x", state="closed", external_id=hit_id(number),
                reward=Decimal(REWARD), planned_at=now,
            )
            for number in range(hits)
        ],
        batch_size=MANY,
    )  # fmt: skip
    Assignment.objects.bulk_create(
        [
            Assignment(
                hit=hit, external_id=assignment_id(number), worker_id=part.worker_id, participation=part,
                state="approved", submitted_at=now,
            )
            for number, (hit, part) in enumerate(zip(rows, parts, strict=True))
        ],
        batch_size=MANY,
    )  # fmt: skip
    LedgerEntry.objects.bulk_create(
        [
            LedgerEntry(
                worker_id=part.worker_id, study=study, participation=part, kind=kind, key=f"books-{part.pk}-{kind}",
                amount=Decimal(amount), why="for the dialog", at=now, changed_at=now, state="paid", first_sent_at=now,
            )
            for part in parts
            for kind, amount in (("reward", REWARD), ("share", BONUS))
        ],
        batch_size=MANY,
    )  # fmt: skip
    Exclusion.objects.bulk_create(
        [Exclusion(worker=worker, study=study, reason="x", who=who, at=now) for worker in workers[:marked]],
        batch_size=MANY,
    )
    Mark.objects.bulk_create(
        [Mark(recruitment=recruitment, worker=worker, at=now) for worker in workers[:marked]], batch_size=MANY
    )


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")
    django.setup()
    fill(int(sys.argv[1]), int(sys.argv[2]))
