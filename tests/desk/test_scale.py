"""Does a page ask as often for many as for few, and does none count what may be huge? Every page, found by itself."""

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from collector.desk import standing
from tests.bench.crowding import crowd
from tests.desk import walking

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
FEW, MANY = 40, 160
"""Dialogs: the fewer fill no page of a list, the more fill some."""
HUGE = (
    "chat_dialog|chat_dialogevent|chat_seat|chat_utterance|hits_assignment|hits_feedback|hits_hit|hits_ledgerentry|"
    "hits_settlement|learning_lesson|relevance_judging|studies_participation|studies_worker|summaries_summary|"
    "summaries_viewing"
)
COUNTS = re.compile(rf'COUNT\(.*FROM "({HUGE})"', re.S)
FEW_CHOSEN = re.compile(r'IN \(\d[\d, ]*\)|= \("\w+"\."id"\)|"worker_id" = \d+')
"""Counts of chosen rows: of those listed one by one, of what belongs to the row of a list, or to one worker."""
Asked = dict[str, list[str]]
"""The queries of each page, by its name."""


@pytest.fixture(scope="module")
def asked(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[int, Asked]]:
    """What every page asks of an installation with few dialogs, and of one with many."""
    with django_db_blocker.unblock():
        yield {number: _visit(number) for number in (FEW, MANY)}


def _visit(number: int) -> Asked:
    with transaction.atomic():
        crowd(number)
        client = Client()
        client.force_login(walking.researcher())
        found = {name: _queries(client, address) for name, address in (*walking.pages(), *walking.lists())}
        transaction.set_rollback(True)
    return found


def _queries(client: Client, address: str) -> list[str]:
    standing._owed.cache_clear()
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(address)
    if answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return []  # it is only posted to
    assert answer.status_code == 200, f"{address}: {answer.status_code}"
    return [each["sql"] for each in captured.captured_queries]


def test_no_page_asks_more_often_for_many_than_for_few(asked: dict[int, Asked]) -> None:
    few, many = ({name: len(queries) for name, queries in asked[number].items()} for number in (FEW, MANY))
    assert few == many
    assert sum(number > 0 for number in few.values()) > 45


def test_no_page_counts_what_may_be_huge(asked: dict[int, Asked]) -> None:
    counting = {
        name: sql
        for name, queries in asked[MANY].items()
        for sql in queries
        if COUNTS.search(sql) and not FEW_CHOSEN.search(sql)
    }
    assert counting == {}
