"""A whole run with planted ids, addresses and texts: dump, logs, metrics and exports are searched for each of them.

Two workers come through the frame of the local marketplace, one through the link; they talk, submit, are paid and
write to us. What is searched is all that could be carried away: every row of every table, every line of the log.
"""

import asyncio
import io
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client

from chat.models import Utterance
from collector.lib import clock, logs, tokens
from collector.operations import probes
from collector.privacy import erasing, removing
from collector.studies.models import Participation, Worker
from hits import lifecycle, paying, people
from hits.models import Assignment, EntryState, LedgerEntry, Letter
from tests import factories
from tests.chat import scene
from tests.hits.conftest import fresh, market, mturk, running_market
from tests.hits.recruiting import VISITORS, submitted
from tests.localmarket.market import AMBER, FERN, LocalMarket

__all__ = ["fresh", "market", "mturk", "running_market"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh")]
PANEL, ADDRESS, TOKEN = "panel-PLANTED-77", "203.0.113.177", "a-token-of-more-than-twenty-characters"
TEXTS = {
    "ask": "What happens in Plantedville first?",
    "answer": "Somebody of Plantedtown comes in slowly.",
    "summarise": "Somebody of Plantedburgh comes in and then sits down.",
}
LETTER, NOTE = "I live in Plantedford.", "Lives in Plantedham, says so."


@dataclass
class Run:
    """What came of it, and what was planted."""

    log: io.StringIO
    ids: list[str] = field(default_factory=list)

    @property
    def lines(self) -> str:
        """All that was logged."""
        return self.log.getvalue()


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Every line of every logger, with the filters that the product's handler has."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(tokens.Redact())
    handler.addFilter(logs.Context())
    loggers = [logging.getLogger(name) for name in ("", "django")]
    for each in loggers:
        each.addHandler(handler)
    yield written
    for each in loggers:
        each.removeHandler(handler)


@pytest.fixture
def run(market: LocalMarket, log: io.StringIO, monkeypatch: pytest.MonkeyPatch, admin_client: Client) -> Run:
    for action, text in TEXTS.items():
        monkeypatch.setitem(scene.TEXT, action, text)
    recruitment, speaks = submitted(market)
    Assignment.objects.update(approve_at=clock.now())
    paying.pay_due(recruitment, speaks)
    lifecycle.sync(recruitment, speaks)
    paying.pay_due(recruitment, speaks)
    joined = Client().post(
        f"/join/{factories.study().slug}/?participant={PANEL}", {"participant": PANEL, "consent": "yes"},
        REMOTE_ADDR=ADDRESS,
    )  # fmt: skip
    assert joined.status_code == 302
    assert Client().get(f"/join/nowhere/?participant={PANEL}").status_code == 404, "a line of the log with an id"
    Client().post("/admin/login/", {"username": "admin", "password": "wrong"}, REMOTE_ADDR=ADDRESS)
    amber, who = Worker.objects.get(external_id=AMBER), User.objects.get()
    Letter.objects.create(worker=amber, text=LETTER, at=clock.now())
    people.note(amber, NOTE, who)
    admin_client.post("/desk/workers/", {"worker_id": AMBER})
    admin_client.post(f"/desk/workers/{amber.pk}/reveal/")
    ids = [AMBER, FERN, PANEL, *(each.assignment_id for each in VISITORS)]
    assert LedgerEntry.objects.filter(state=EntryState.PAID).exists()
    return Run(log, ids)


def dump() -> str:
    """Return every row of every table, as the database holds it."""
    found = []
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f'SELECT * FROM "{table}"')
            found += [f"{table}: {row}" for row in cursor.fetchall()]
    return "\n".join(found)


def leaks(text: str, planted: list[str]) -> list[str]:
    """Return the lines that hold something planted, for the message of a test that fails."""
    return [line[:300] for line in text.splitlines() for each in planted if each.lower() in line.lower()]


def metrics(settings: Any) -> str:
    settings.METRICS_TOKEN = TOKEN
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"authorization", f"Bearer {TOKEN}".encode())]
    assert asyncio.run(probes.answer({"type": "http", "path": "/metrics", "method": "GET", "headers": headers}, send))
    assert sent[0]["status"] == 200
    return str(sent[1]["body"].decode())


def exports(folder: Path) -> str:
    """Return all exports, one below the other."""
    found = []
    for form in ("dstc7", "dstc10", "raw", "jsonl"):
        out = folder / form
        call_command("export_avsd", "--format", form, "--out", str(out), stdout=io.StringIO(), stderr=io.StringIO())
        files = sorted(each for each in out.rglob("*") if each.is_file()) if out.is_dir() else [out]
        found += [each.read_text() for each in files if each.exists()]
    return "\n".join(found)


def test_no_id_or_address_stands_in_plain_anywhere(run: Run, settings: Any, tmp_path: Path) -> None:
    everything = dump()
    assert TEXTS["ask"] in everything, "the dump is one"
    assert leaks(everything, [*run.ids, ADDRESS]) == []
    exported = exports(tmp_path)
    assert TEXTS["ask"] in exported
    assert leaks(exported, [*run.ids, ADDRESS, LETTER, NOTE]) == []
    texts = [*TEXTS.values(), LETTER, NOTE]
    assert "nowhere" in run.lines, "the log is one"
    assert leaks(run.lines, [*run.ids, ADDRESS, *texts]) == []
    assert leaks(metrics(settings), [*run.ids, ADDRESS, *texts]) == []


def test_erased_and_kept_long_enough_nothing_is_left(run: Run, tmp_path: Path) -> None:
    amber = Worker.objects.get(external_id=AMBER)
    paid = list(LedgerEntry.objects.order_by("pk").values_list("amount", "worker"))
    LedgerEntry.objects.exclude(state=EntryState.PAID).update(state=EntryState.UNDONE)
    erasing.erase(amber, None, confirmed=True)
    theirs = [TEXTS["answer"]] if amber.seats.get().role == "answerer" else [TEXTS["ask"], TEXTS["summarise"]]
    everything = dump()
    assert leaks(everything, [*run.ids, ADDRESS, LETTER, NOTE, *theirs]) == []
    assert leaks(exports(tmp_path), [*run.ids, *TEXTS.values()]) == []
    assert Utterance.objects.exclude(text=erasing.REMOVED).exists(), "the partner's stay"
    assert list(LedgerEntry.objects.order_by("pk").values_list("amount", "worker")) == paid
    fern = Worker.objects.get(external_id=FERN)
    Participation.objects.filter(worker__external_id=PANEL).update(ended_at=clock.now(), outcome="no_partner")
    with clock.travel(timedelta(days=200)):
        removing.run()
    assert not Worker.objects.exclude(external_digest="").exists()
    assert not Assignment.objects.exclude(external_digest="").exists()
    assert list(LedgerEntry.objects.order_by("pk").values_list("amount", "worker")) == paid
    assert Worker.objects.filter(pk=fern.pk).exists()
