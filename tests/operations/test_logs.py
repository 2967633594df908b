"""What a line of the log and an error report say, and what they never say."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pythonjsonlogger.json import JsonFormatter

from chat import dialogs, publishing, snapshot
from chat.models import Role
from chat.page import Page
from chat.protocol import Ask, FromServer
from collector import settings as product
from collector.lib import clock, logs, meters, tokens
from collector.operations import reporting
from collector.operations import tasks as _of_a_worker_process  # noqa: F401 - which loads all tasks
from collector.studies.admission import token_of
from hits import settlement, tasks
from tests import factories

SECRET = "I was born in Ancona"


def line(message: str, *args: Any) -> dict[str, Any]:
    """Return what the product's JSON handler writes of a record."""
    record = logging.LogRecord("chat.page", logging.WARNING, __file__, 1, message, args, None)
    assert logs.Context().filter(record)
    assert tokens.Redact().filter(record)
    settings = {name: value for name, value in product.LOGGING["formatters"]["json"].items() if name != "()"}  # type: ignore[index]
    found: dict[str, Any] = json.loads(JsonFormatter(**settings).format(record))
    return found


def test_a_line_is_json_with_the_ids_of_its_work() -> None:
    logs.about(study=3, dialog=7, seat=12)
    try:
        found = line("The sweep took %d s.", 4)
    finally:
        logs.about(study=None, dialog=None, seat=None)
    assert found["message"] == "The sweep took 4 s."
    assert (found["study"], found["dialog"], found["seat"], found["request"]) == (3, 7, 12, None)
    assert found["level"] == "WARNING"
    assert found["logger"] == "chat.page"
    assert found["at"]


def test_a_json_line_keeps_tokens_and_marketplace_ids_back() -> None:
    found = line("Not found: /w/3-1.abcdef/chat/?workerId=A1PLANTED")
    assert "A1PLANTED" not in found["message"]
    assert "abcdef" not in found["message"]


@pytest.mark.django_db
def test_each_answer_has_an_id_of_ours_and_is_counted(client: Client) -> None:
    before = meters.requests.labels("4xx")._value.get()
    answer = client.get("/nowhere/", headers={"X-Request-ID": "theirs"})
    assert len(answer["X-Request-ID"]) == 12
    assert meters.requests.labels("4xx")._value.get() == before + 1


def test_an_error_report_has_no_texts_variables_or_tokens() -> None:
    event = {
        "event_id": "1",
        "message": SECRET,
        "user": {"ip_address": "203.0.113.7"},
        "request": {"url": "https://example.org/w/3-1.abcdef/", "data": SECRET},
        "breadcrumbs": {"values": [{"message": SECRET}]},
        "extra": {"text": SECRET},
        "contexts": {"runtime": {"name": "CPython"}, "state": {"text": SECRET}},
        "exception": {"values": [{"type": "ValueError", "value": f"/w/3-1.abcdef/chat/ {'x' * 500}"}]},
    }
    sent = json.dumps(reporting.strip(event, {}))
    assert SECRET not in sent
    assert "203.0.113.7" not in sent
    assert "abcdef" not in sent
    assert json.loads(sent)["exception"]["values"][0]["type"] == "ValueError"
    assert len(json.loads(sent)["exception"]["values"][0]["value"]) <= 200


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """What the product's JSON handler writes meanwhile."""
    found: list[dict[str, Any]] = []
    keeper = logging.Handler()
    keeper.addFilter(logs.Context())

    def keep(record: logging.LogRecord) -> None:
        found.append({name: getattr(record, name) for name in logs.NAMES} | {"said": record.getMessage()})

    keeper.emit = keep  # type: ignore[method-assign]
    loggers = [logging.getLogger(name) for name in ("", "django")]  # which hands nothing on to the root
    for each in loggers:
        each.addHandler(keeper)
    yield found
    for each in loggers:
        each.removeHandler(keeper)


class Quiet(Page):
    """A page whose frames go nowhere, and which breaks at each text."""

    async def push(self, frame: FromServer) -> None:
        """Drop it."""

    async def shut(self, code: int) -> None:
        """Nothing is open."""

    async def arrive(self, token: str) -> dialogs.Arrival:
        """Nobody arrives."""
        raise AssertionError("the page already has its seat")

    async def _say(self, frame: Any) -> None:
        raise RuntimeError("the text could not be stored")


async def test_a_line_of_a_socket_names_study_dialog_seat_and_connection_and_no_text(
    lines: list[dict[str, Any]],
) -> None:
    page = Quiet("0123456789abcdef")
    page.study_id, page.dialog_id, page.seat_id = 3, 7, 12
    await page.take(Ask("key-000001", SECRET))
    (line,) = [each for each in lines if each["said"] == "A frame could not be handled."]
    assert (line["study"], line["dialog"], line["seat"], line["request"]) == (3, 7, 12, "0123456789abcdef")
    assert SECRET not in str(lines)


@pytest.mark.django_db
def test_a_line_of_a_task_names_the_task_and_its_study(lines: list[dict[str, Any]], monkeypatch: Any) -> None:
    part = factories.participation(factories.study(), outcome="left", fault="worker", ended_at=clock.now())
    monkeypatch.setattr(settlement, "settle", lambda pk: {}[pk])
    tasks.settle.apply()
    (line,) = [each for each in lines if "could not be settled" in each["said"]]
    assert (line["study"], len(line["request"])) == (part.study_id, 12)
    logging.getLogger("after").warning("Nothing is done.")
    assert (lines[-1]["study"], lines[-1]["request"]) == (None, None)


@pytest.mark.django_db
def test_a_line_of_a_workers_page_names_study_dialog_seat_and_request(
    lines: list[dict[str, Any]], client: Client, monkeypatch: Any
) -> None:
    seat = factories.dialog().seats.get(role=Role.QUESTIONER)
    client.raise_request_exception = False
    monkeypatch.setattr(snapshot, "of", lambda pk: {}[pk])
    said = client.get(reverse("room", args=[token_of(seat.participation)]))
    assert said.status_code == 500
    (line,) = [each for each in lines if "Internal Server Error" in each["said"]]
    assert (line["study"], line["dialog"], line["seat"]) == (seat.study_id, seat.dialog_id, seat.pk)
    assert line["request"] == said["X-Request-ID"]
    logging.getLogger("after").warning("Nothing is done.")
    assert {lines[-1][name] for name in logs.NAMES} == {None}


@pytest.mark.django_db
def test_what_is_paid_after_settling_all_is_about_its_own_study(lines: list[dict[str, Any]]) -> None:
    factories.participation(outcome="left", fault="worker", ended_at=clock.now())
    logs.about(study=77)
    settlement.settle_all()
    logging.getLogger("paying").warning("A payment failed.")
    logs.clear()
    assert lines[-1]["study"] == 77


async def test_a_doorbell_that_fails_is_about_no_page(lines: list[dict[str, Any]], monkeypatch: Any) -> None:
    logs.about(study=3, dialog=7, seat=12)
    monkeypatch.setattr(publishing, "get_channel_layer", lambda: None)
    publishing._ring(["another-process"], {"type": "change", "dialog": 8})
    assert publishing._ringing
    await publishing._ringing
    logs.clear()
    (line,) = [each for each in lines if "doorbells failed" in each["said"]]
    assert {line[name] for name in logs.NAMES} == {None}
