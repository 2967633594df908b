"""How the studies stand on the admin's first page, and the monitor of one: who waits and why, who talks, what stops."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chat import presence, waiting_room
from chat.models import Dialog, SeatState, Utterance
from collector.desk import monitor, newest, standing
from collector.lib import clock
from collector.studies.models import Fault, Kind, Outcome, Participation, State, Study, StudyVideo
from hits import tasks
from hits.models import EntryKind, EntryState, Environment, LedgerEntry, Recruitment, RecruitmentState, Settlement
from tests import factories
from tests.chat import scene
from tests.hits import recruiting
from tests.summaries import scene as watching

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    presence.renew_lease()
    monkeypatch.setattr(tasks, "look_after_hits_soon", lambda: None)  # the worker process is not there
    standing._owed.cache_clear()
    yield
    standing._owed.cache_clear()


def page(client: Client, address: str) -> str:
    return " ".join(unescape(client.get(address).content.decode()).split())


def shown(client: Client, study: Study) -> str:
    return page(client, f"/desk/monitor/{study.pk}/now/")


def finished(study: Study, **fields: Any) -> Participation:
    """Let one worker have done it all, their pay worked out."""
    now = clock.now()
    defaults = {"outcome": Outcome.COMPLETE, "started_at": now, "ended_at": now, "waited_seconds": 30}
    made = factories.participation(study, **defaults | fields)
    Settlement.objects.create(participation=made, at=now)
    return made


def owed(part: Participation, amount: str, state: EntryState = EntryState.PAID) -> LedgerEntry:
    now = clock.now()
    return LedgerEntry.objects.create(
        worker=part.worker, study=part.study, participation=part, kind=EntryKind.REWARD, key=f"reward-{part.pk}",
        amount=Decimal(amount), why="for it", at=now, changed_at=now, first_sent_at=now, state=state,
    )  # fmt: skip


def recruitment(study: Study, **fields: Any) -> Recruitment:
    looked = {"state": RecruitmentState.RUNNING, "looked_at": clock.now(), "balance": Decimal(500)}
    return recruiting.recruitment(study, **looked | fields)


# The admin's first page


def test_the_first_page_shows_each_open_or_recent_study_before_the_models(admin_client: Client) -> None:
    study = scene.study(videos=4, name="Kitchen talk")
    StudyVideo.objects.filter(study=study).update(wanted=2)
    StudyVideo.objects.filter(pk=StudyVideo.objects.filter(study=study).first().pk).update(started=2)  # type: ignore[union-attr]
    for waited in (10, 20, 30, 40, 500):
        finished(study, waited_seconds=waited)
    finished(study, outcome=Outcome.LEFT, fault=Fault.WORKER, started_at=None)
    scene.Pair(study)
    scene.newcomer(study)
    factories.study(name="Long over", state=State.CLOSED)
    recent = factories.study(name="Just over", state=State.CLOSED)
    finished(recent)
    factories.study(name="Not yet", state=State.DRAFT)
    said = page(admin_client, "/admin/")
    assert said.index("Kitchen talk") < said.index("Just over") < said.index('id="recent-actions-module"')
    assert "Long over" not in said
    assert "Not yet" not in said
    assert '<progress max="8" value="2"' in said
    assert "2 of 8 dialogs complete" in said
    for name, value in (("Waiting now", "1"), ("Dialogs live", "1"), ("Wait, median", "20 s"), ("Finish", "83 %")):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in said
    assert "link only" in said


def test_money_is_shown_of_a_study_that_recruits_with_its_environment(admin_client: Client) -> None:
    study = scene.study()
    made = recruitment(study, environment=Environment.SANDBOX)
    for amount in ("2.00", "3.00", "4.00"):
        worker = factories.worker(marketplace="mturk", environment="sandbox")
        part = finished(study, worker=worker, arrived_at=clock.now() - timedelta(minutes=15))
        owed(part, amount)
    elsewhere = finished(
        study, worker=factories.worker(environment="live"), arrived_at=clock.now() - timedelta(minutes=15)
    )
    owed(elsewhere, "3.00")
    said = page(admin_client, "/admin/")
    assert f'studies-environment--sandbox" href="/desk/recruiting/{made.pk}/">sandbox' in said
    assert '$10.80 <span class="quiet">of $200.00</span>' in said, "9 dollars and the fees on them"
    assert "<dt>An hour, median</dt><dd>$12.00</dd>" in said


def test_what_needs_a_person_is_said_with_what_to_do_since_when_and_where(admin_client: Client) -> None:
    study = scene.study(name="Kitchen talk")
    made = recruitment(study)
    entry = owed(finished(study), "1.00", EntryState.FAILED)
    closed = scene.study(name="Long over", state=State.CLOSED)
    owed(finished(closed, confirmed_at=clock.now() - timedelta(days=30)), "1.00", EntryState.UNKNOWN)
    Participation.objects.filter(study=closed).update(confirmed_at=clock.now() - timedelta(days=30))
    said = page(admin_client, "/admin/")
    top, rest = said.partition('id="studies"')[::2]
    assert "The beat has never been heard of." in top, "of the installation"
    assert f"Collector {settings.VERSION}" in rest
    ledger = f"/admin/hits/ledgerentry/?study__id__exact={closed.pk}"
    assert f'Long over: <a href="{ledger}">Payments need you: 0 failed, 1 not known.' in top, "of no study below"
    assert f'<a href="/desk/recruiting/{made.pk}/payments/">Payments need you: 1 failed, 0 not known.' in rest
    assert f'Since <time datetime="{entry.changed_at:%Y-%m-%dT%H:%M:%S}' in rest
    assert "Open the payments: try again what failed" in rest
    now = shown(admin_client, study)
    for sentence in ("The beat has never been heard of.", "Payments need you: 1 failed, 0 not known."):
        assert sentence in now
    assert "0 failed, 1 not known" not in now, "it is another study's"


# The monitor


@pytest.mark.parametrize(
    "path", ["monitor/{}/", "monitor/{}/now/", "monitor/{}/chart/", "dialogs/{}/watch/", "dialogs/{}/watch/now/"]
)
def test_only_staff_sees_the_pages(client: Client, path: str) -> None:
    assert client.get("/desk/" + path.format(factories.dialog().pk)).status_code == 302


def test_nobody_else_stops_a_study(client: Client) -> None:
    study = scene.study()
    assert client.post(f"/desk/monitor/{study.pk}/pause/do/").status_code == 302
    study.refresh_from_db()
    assert study.state == State.OPEN


def test_who_waits_is_listed_with_the_reason(admin_client: Client) -> None:
    study = scene.study(videos=1)
    assert "Nobody waits." in shown(admin_client, study)
    person, program = scene.newcomer(study), scene.arrive(factories.participation(study, is_simulated=True))
    said = shown(admin_client, study)
    assert "Who waits: 2" in said
    assert f"With seat {program.pk}: One is a program and the other is not." in said
    assert f"With seat {person.pk}: One is a program and the other is not." in said
    Study.objects.update(rounds=3)
    study.refresh_from_db()
    later = scene.newcomer(study)
    assert f"With seat {later.pk}: They were shown different rules: the study was edited between them." in shown(
        admin_client, study
    )
    presence.drop(person.pk, person.connection)
    assert "They are not connected." in shown(admin_client, study)
    StudyVideo.objects.update(wanted=0)
    assert "All dialogs that were wanted are there." in shown(admin_client, study)


def test_a_live_dialog_shows_where_it_is_and_who_is_there(admin_client: Client) -> None:
    pair = scene.Pair(scene.study(rounds=2))
    said = shown(admin_client, pair.dialog.study)
    assert f"<strong>Dialog {pair.dialog.pk}</strong> is at question 1 of 2." in said
    pair.say("ask")
    presence.drop(pair.answerer.pk, pair.answerer.connection)
    said = shown(admin_client, pair.dialog.study)
    assert "is at answer 1 of 2." in said
    assert f"worker {pair.answerer.worker_id}</a>: <strong>away for 0" in said
    assert f"worker {pair.questioner.worker_id}</a>: there." in said


def test_one_dialog_is_watched_as_it_is_stored_also_when_it_has_ended(admin_client: Client) -> None:
    pair = scene.Pair(scene.study(rounds=1))
    address = f"/desk/dialogs/{pair.dialog.pk}/watch/"
    assert "Nothing has been written yet." in page(admin_client, address)
    pair.say("ask")
    Utterance.objects.update(text="Is it <b>loud</b> there?")
    raw = admin_client.get(address).content.decode()
    assert "Is it &lt;b&gt;loud&lt;/b&gt; there?" in raw
    assert "<form" not in raw.partition("<main")[2], "there is nothing to be done to it"
    pair.watch()
    pair.say("answer")
    pair.say("summarise")
    said = page(admin_client, f"{address}now/")
    assert "It has ended: complete." in said
    assert "Summary, <time" in said
    version = Dialog.objects.get(pk=pair.dialog.pk).version
    page(admin_client, address)
    assert Dialog.objects.get(pk=pair.dialog.pk).version == version


def test_the_funnel_counts_how_far_workers_came() -> None:
    study = scene.study()
    factories.participation(study, is_learning=True)
    scene.newcomer(study)
    paid = finished(study)
    owed(paid, "1.00")
    finished(study, is_simulated=True)
    steps = [(step.name, step.number, step.percent) for step in newest.funnel(study, newest.newest(study))]
    assert steps == [
        ("Agreed", 3, 100), ("Learned, or had nothing to learn", 2, 67), ("Came to the waiting room", 1, 33),
        ("Met a partner", 1, 33), ("Finished", 1, 33), ("Were paid", 1, 33),
    ]  # fmt: skip


def test_the_hours_hold_what_happened_in_them(admin_client: Client) -> None:
    study = scene.study()
    begin = clock.now().replace(minute=0, second=0, microsecond=0)
    before = begin - timedelta(minutes=10)
    finished(study, confirmed_at=before, started_at=before, ended_at=begin)
    finished(study, confirmed_at=begin, started_at=None, ended_at=begin, outcome=Outcome.LEFT)
    finished(study, confirmed_at=begin - timedelta(days=2), started_at=None, ended_at=begin - timedelta(days=2))
    present, last, *older = newest.by_hour(newest.newest(study))
    assert (present.begins_at, present.came, present.began, present.completed, present.ended_otherwise) == (
        begin,
        1,
        0,
        1,
        1,
    )
    assert (last.came, last.began, last.completed) == (1, 1, 0)
    assert len(older) == newest.HOURS - 2
    chart = admin_client.get(f"/desk/monitor/{study.pk}/chart/")
    assert chart["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in chart["Content-Security-Policy"]
    assert "ended otherwise" in chart.content.decode()


def test_hours_of_which_not_all_workers_were_read_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    study = scene.study()
    monkeypatch.setattr(newest, "NEWEST", 2)
    now = clock.now()
    for hours in (9, 3, 1):
        finished(study, confirmed_at=now - timedelta(hours=hours), ended_at=now)
    hours = newest.by_hour(newest.newest(study))
    assert hours[-1].begins_at >= now - timedelta(hours=3)
    assert len(hours) >= 3


def test_the_end_and_the_cost_are_foretold_from_the_last_hours(admin_client: Client) -> None:
    study = scene.study(videos=1, dialogs_per_video=10)
    assert "so no end can be foretold" in shown(admin_client, study)
    made = recruitment(study, dialogs_wanted=10)
    StudyVideo.objects.update(started=2)
    for _ in range(4):
        ended = clock.now()
        worker = factories.worker(marketplace="mturk", environment="local")
        part = finished(study, worker=worker, confirmed_at=ended - timedelta(hours=2), ended_at=ended)
        owed(part, "1.00")
    said = shown(admin_client, study)
    assert "1.0 dialogs an hour, the other 8 take about 8 hours" in said
    assert "about $19.20, fees included." in said
    assert f'<a id="recruitment-{made.pk}"' in said


@pytest.mark.parametrize(("action", "before", "after"), [
    ("drain", State.OPEN, State.DRAIN), ("pause", State.DRAIN, State.PAUSED), ("close", State.PAUSED, State.CLOSED),
    ("open", State.DRAIN, State.OPEN),
])  # fmt: skip
def test_a_button_says_what_happens_and_does_it(admin_client: Client, action: str, before: State, after: State) -> None:
    study = scene.study(state=before)
    effect = monitor.ACTS[action].effect
    address = f"/desk/monitor/{study.pk}/"
    assert effect in page(admin_client, address)
    said = unescape(admin_client.post(f"{address}{action}/do/", follow=True).content.decode())
    assert f"{study.name} is {after.label.lower()}. {effect}" in said
    study.refresh_from_db()
    assert study.state == after
    said = unescape(admin_client.post(f"{address}{action}/do/", follow=True).content.decode())
    assert "that is not possible now. Nothing was changed." in said


def test_what_is_not_a_button_changes_nothing(admin_client: Client) -> None:
    study = scene.study(state=State.DRAFT)
    for action in ("open", "explode"):
        admin_client.post(f"/desk/monitor/{study.pk}/{action}/do/")
    study.refresh_from_db()
    assert study.state == State.DRAFT
    assert "The study is a draft" in page(admin_client, f"/desk/monitor/{study.pk}/")


def test_a_study_without_partners_shows_who_is_at_work(admin_client: Client) -> None:
    study = watching.study(videos=1)
    watching.watcher(study).begin()
    said = shown(admin_client, study)
    assert "At work now: 1" in said
    assert "Who waits" not in said
    assert study.kind == Kind.SUMMARY


# However much there is


def fill(study: Study, dialogs: int, waiting: int) -> None:
    for _ in range(dialogs):
        factories.talk(factories.dialog(study), [("Is it loud?", "No, not at all.")])
        owed(finished(study), "1.00")
        factories.finished_dialog(study=study)
    for _ in range(waiting):
        scene.newcomer(study)


@pytest.mark.parametrize("address", ["/admin/", "/desk/monitor/{}/"])
def test_pages_ask_as_many_queries_of_many_dialogs_as_of_one(admin_client: Client, address: str) -> None:
    study = scene.study(videos=0)
    recruitment(study)
    fill(study, dialogs=1, waiting=2)
    numbers = []
    for more in (0, 4):
        fill(study, dialogs=more, waiting=more)
        standing._owed.cache_clear()
        admin_client.get(address.format(study.pk))  # what is asked once a session, or a process
        standing._owed.cache_clear()
        with CaptureQueriesContext(
            connection,
        ) as asked:
            admin_client.get(address.format(study.pk))
        numbers.append(len(asked))
        unbounded = [each["sql"] for each in asked if _counts_everything(each["sql"])]
        assert unbounded == []
    assert numbers[0] == numbers[1]
    assert numbers[0] < 48
    assert Utterance.objects.count() > 20
    assert waiting_room.Seat.objects.filter(state=SeatState.WAITING).count() == 6


def _counts_everything(sql: str) -> bool:
    """Tell whether a query counts dialogs, texts or events that are not narrowed to what is open or listed."""
    counts = 'COUNT("chat_' in sql or "COUNT(*)" in sql
    narrow = "ended_at" in sql or '"dialog_id" IN (' in sql or "waiting" in sql
    return (
        counts and any(f'FROM "chat_{name}"' in sql for name in ("dialog", "utterance", "dialogevent")) and not narrow
    )
