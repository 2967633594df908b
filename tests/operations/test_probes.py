"""What machines ask: is it alive, is it ready, what has it counted?"""

import asyncio
import json
import os
import re
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from celery.signals import before_task_publish
from django.db import OperationalError, connection
from pytest_django import DjangoAssertNumQueries

from chat.models import Sweep
from collector.lib import clock, meters
from collector.operations import health, metrics, probes, pulses
from collector.operations.models import Pulse
from collector.operations.tasks import sign_of_life
from tests import services

METRIC = re.compile(r"collector_\w+")
TOKEN = "a-token-of-more-than-twenty-characters"


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN
    monkeypatch.setattr(metrics, "KEPT", 0.0)


def ask(path: str, token: str = "", method: str = "GET") -> tuple[int, str]:
    """Return status and body of one of the pages; status 0 where it is none of them."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"authorization", f"Bearer {token}".encode())] if token else []
    scope = {"type": "http", "path": path, "method": method, "headers": headers}
    if not asyncio.run(probes.answer(scope, send)):
        return 0, ""
    return sent[0]["status"], sent[1]["body"].decode()


pytestmark = pytest.mark.django_db(transaction=True)  # a thread of its own asks, on a connection of its own


def well() -> None:
    """Let worker and beat have been heard of."""
    sign_of_life()
    pulses.give(pulses.BEAT)


def test_alive_needs_no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "all_checks", lambda: pytest.fail("asked"))
    assert ask("/healthz") == (200, "alive\n")
    assert ask("/healthz", method="HEAD") == (200, "")


def test_other_pages_and_posts_are_left_to_django() -> None:
    assert ask("/admin/") == (0, "")
    assert ask("/readyz", method="POST") == (0, "")


def test_ready_when_everything_answers() -> None:
    well()
    status, body = ask("/readyz")
    told = json.loads(body)
    assert (status, told["ready"]) == (200, True)
    assert set(told["checks"]) == {"database", "migrations", "worker", "beat", "redis", "disk"}


def test_a_stranger_reads_no_sentences() -> None:
    well()
    assert "sentence" not in ask("/readyz")[1]
    assert "Heard of 0 s ago." in ask("/readyz", TOKEN)[1]


@pytest.mark.parametrize("name", [pulses.WORKER, pulses.BEAT])
def test_a_silent_process_is_named(name: str) -> None:
    well()
    Pulse.objects.filter(name=name).update(at=clock.now() - timedelta(minutes=3))
    status, body = ask("/readyz", TOKEN)
    checks = json.loads(body)["checks"]
    assert status == 503
    assert [each for each, told in checks.items() if not told["good"]] == [name]
    assert f"is the {name} running" in checks[name]["sentence"]


def test_who_was_never_heard_of_is_to_be_started() -> None:
    assert "The beat has never been heard of: start it." in ask("/readyz", TOKEN)[1]


def test_without_the_database_nothing_else_is_asked_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(connection, "cursor", fail)
    found = {each.name: each for each in health.all_checks()}
    assert not found["database"].is_good
    assert "is it running" in found["database"].sentence
    assert found["worker"].sentence == "Not known without the database."
    assert found["disk"].is_good


def test_redis_that_does_not_answer_is_named(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    found = {each.name: each for each in health.all_checks()}
    assert not found["redis"].is_good
    assert "REDIS_URL" in found["redis"].sentence


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LEAST_FREE", 1 << 60)
    found = {each.name: each for each in health.all_checks()}
    assert not found["disk"].is_good
    assert "Make room" in found["disk"].sentence


def test_migrations_not_applied_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_no_migrations_left", False)
    monkeypatch.setattr(health.MigrationExecutor, "migration_plan", lambda self, targets: [1, 2])
    found = {each.name: each for each in health.all_checks()}
    assert found["migrations"].sentence == "2 migrations not applied: run manage.py migrate."


def test_metrics_are_for_who_has_the_token() -> None:
    assert ask("/metrics")[0] == 401
    assert ask("/metrics", TOKEN + "x")[0] == 401
    status, body = ask("/metrics", TOKEN)
    assert status == 200
    assert "collector_sockets" in body


def test_metrics_are_off_without_a_token(settings: Any) -> None:
    settings.METRICS_TOKEN = ""
    assert ask("/metrics", "")[0] == 404
    settings.METRICS_TOKEN = ""
    assert ask("/metrics", "anything")[0] == 404


def test_metrics_tell_of_silence_and_of_the_ledger() -> None:
    Pulse.objects.create(name=pulses.BEAT, at=clock.now() - timedelta(seconds=100))
    body = ask("/metrics", TOKEN)[1]
    (line,) = [line for line in body.splitlines() if line.startswith('collector_silence_seconds{process="beat"}')]
    assert 100 <= float(line.split()[1]) < 200


def test_shared_figures_are_kept_for_a_moment(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(metrics, "KEPT", 3600.0)
    figures = metrics.Shared()
    assert list(figures.collect())
    with django_assert_num_queries(0):
        assert list(figures.collect())


def test_the_dashboard_asks_for_nothing_that_is_not_exported() -> None:
    well()
    Sweep.objects.create(swept_at=clock.now())
    board = json.loads((Path(__file__).resolve().parents[2] / "docs" / "grafana" / "collector.json").read_text())
    asked = {name for each in board["panels"] for one in each["targets"] for name in METRIC.findall(one["expr"])}
    body = ask("/metrics", TOKEN)[1]
    exported = {line.split()[2] for line in body.splitlines() if line.startswith("# TYPE collector_")}
    families = {name.removesuffix("_bucket") for name in asked}
    assert families - exported == set()
    created = {name for name in exported if name.endswith("_created")}
    assert exported - families - created == set(), "every metric is shown"
    assert len({each["id"] for each in board["panels"]}) == len(board["panels"])


def test_the_oldest_task_of_a_queue_has_an_age(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    folder = tmp_path / "queue" / "messages"
    folder.mkdir(parents=True)
    message = folder / "1_a.long.msg"
    message.write_text("{}")
    os.utime(message, (time.time() - 60, time.time() - 60))
    assert [(name, number, age >= 60) for name, number, age in metrics._in_folder()] == [
        ("celery", 0, False),
        ("long", 1, True),
    ]


@pytest.mark.redis
def test_a_task_in_redis_says_when_it_was_sent(settings: Any) -> None:
    settings.REDIS_URL = services.redis_url()
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        headers: dict[str, Any] = {}
        before_task_publish.send("a task", headers=headers)
        client.delete("celery", "long")
        client.lpush("long", json.dumps({"headers": headers | {"sent_at": headers["sent_at"] - 60}}))
        client.lpush("long", json.dumps({"headers": headers}))
        try:
            found = [(name, number, age >= 60) for name, number, age in metrics._in_redis()]
        finally:
            client.delete("long")
    assert found == [("celery", 0, False), ("long", 2, True)]


def test_no_worker_text_or_id_is_a_label() -> None:
    labels = {name for each in vars(meters).values() for name in getattr(each, "_labelnames", ())}
    assert labels == {"code", "status", "environment", "operation", "outcome"}
