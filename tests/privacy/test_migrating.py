"""Rows of before the ids were sealed are sealed by the migration, and come back in plain."""

import json
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from collector.studies.models import Participation, Worker
from hits.models import Assignment
from tests import factories
from tests.hits import recruiting

BEFORE = [("studies", "0016_frames_shown"), ("hits", "0017_ledger_sent")]
LINK, TURK, ASSIGNMENT = "panel-planted-7", "A1PLANTEDWORKER9", "3PLANTEDASSIGNMENT"


def migrate(to: list[tuple[str, str]]) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(to)


def plain(sql: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return [row[0] for row in cursor.fetchall()]


@pytest.mark.django_db(transaction=True)
def test_ids_are_sealed_with_data_and_come_back() -> None:
    made = recruiting.recruitment(factories.study(), environment="sandbox")
    turk = factories.worker(marketplace="mturk", environment="sandbox", external_id=TURK)
    part = factories.participation(made.study, turk, entry={"assignmentId": ASSIGNMENT, "hitId": "H1"})
    linked = factories.participation(worker=factories.worker(external_id=LINK))
    removed = factories.worker(external_id="")
    hit = made.hits.create(environment="sandbox", endpoint="", external_id="H1", reward=1, planned_at=made.created_at)
    hit.assignments.create(external_id=ASSIGNMENT, worker=turk, participation=part, document={"HITId": "H1"})
    last = [node for node in MigrationExecutor(connection).loader.graph.leaf_nodes() if node[0] in ("studies", "hits")]
    others = [node for node in MigrationExecutor(connection).loader.graph.leaf_nodes() if node not in last]
    try:
        migrate(BEFORE)
        assert set(plain("SELECT external_id FROM studies_worker")) == {LINK, TURK, f"removed-{removed.pk}"}
        assert plain("SELECT external_id FROM hits_assignment") == [ASSIGNMENT]
        entries = [json.loads(each) for each in plain("SELECT CAST(entry AS text) FROM studies_participation")]
        assert {"participant": LINK} in entries
        assert {"assignmentId": ASSIGNMENT, "hitId": "H1"} in entries
        with connection.cursor() as cursor:
            told = json.dumps({"HITId": "H1", "WorkerId": TURK, "AssignmentId": ASSIGNMENT})
            cursor.execute("UPDATE hits_assignment SET document = %s", [told])
    finally:
        migrate(last + others)
    assert Worker.objects.get(external_id=TURK) == turk
    assert Participation.objects.get(worker__external_id=LINK, entry="") == linked
    assert Participation.objects.get(pk=part.pk).entry == {"assignmentId": ASSIGNMENT, "hitId": "H1"}
    assert Assignment.objects.get(external_id=ASSIGNMENT).document == {"HITId": "H1"}
    columns = plain("SELECT external_id FROM studies_worker") + plain("SELECT entry FROM studies_participation")
    assert not [each for each in columns if LINK in each or TURK in each or ASSIGNMENT in each]
