"""Storing texts: together, once, in order, and whatever a neighbour does."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest
from django.db import DatabaseError, OperationalError, connection, connections, transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TransactionTestCase
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from chat import writing
from chat.models import Dialog, Role, Seat, SeatState
from chat.rules import Code, Refusal
from chat.writing import Job, Receipt, Writer, store
from collector.studies.models import Outcome, Participation
from tests import factories

QUESTION, ANSWER = "What happens first?", "Somebody comes into the room slowly."
SUMMARY = "Somebody comes into the room and then sits down."
TEXT = {"ask": QUESTION, "answer": ANSWER, "summarise": SUMMARY}
ROLE = {"ask": "questioner", "answer": "answerer", "summarise": "questioner"}


def job(dialog: Dialog, action: str, key: str, text: str = "") -> Job:
    return Job(dialog.pk, 0, ROLE[action], action, key, text or TEXT[action])  # type: ignore[arg-type]


def code(result: object) -> str:
    assert isinstance(result, Refusal), result
    return result.code


def texts(dialog: Dialog) -> list[str]:
    return list(dialog.utterances.order_by("position").values_list("text", flat=True))


@pytest.mark.django_db
def test_texts_of_many_dialogs_are_stored_together_with_their_versions() -> None:
    dialogs = [factories.dialog() for _ in range(5)]
    results = store([job(d, "ask", "key-0001") for d in dialogs])
    assert all(isinstance(r, Receipt) and r.is_new and r.position == 0 and r.version == 2 for r in results)
    assert set(Dialog.objects.values_list("version", flat=True)) == {2}


@pytest.mark.django_db
def test_a_batch_takes_the_same_few_queries_however_many_dialogs(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    dialogs = [factories.dialog() for _ in range(30)]
    with django_assert_max_num_queries(10):
        store([job(d, "ask", "key-0001") for d in dialogs])


@pytest.mark.django_db
def test_a_text_sent_again_gets_the_same_receipt_for_ever() -> None:
    dialog = factories.dialog()
    (first,) = store([job(dialog, "ask", "key-0001")])
    store([job(dialog, "answer", "key-0002")])
    (again,) = store([job(dialog, "ask", "key-0001")])
    assert isinstance(first, Receipt)
    assert isinstance(again, Receipt)
    assert (again.position, again.version, again.is_new) == (first.position, first.version, False)
    assert texts(dialog) == [QUESTION, ANSWER]


@pytest.mark.django_db
def test_a_text_sent_twice_in_one_batch_is_stored_once() -> None:
    dialog = factories.dialog()
    results = store([job(dialog, "ask", "key-0001"), job(dialog, "ask", "key-0001")])
    assert [isinstance(r, Receipt) and r.is_new for r in results] == [True, False]
    assert texts(dialog) == [QUESTION]


@pytest.mark.django_db
def test_a_key_with_another_text_is_refused() -> None:
    dialog = factories.dialog()
    store([job(dialog, "ask", "key-0001")])
    (result,) = store([job(dialog, "ask", "key-0001", "What happens second?")])
    assert code(result) == Code.KEY_REUSED


@pytest.mark.django_db
def test_a_key_with_another_action_is_refused() -> None:
    dialog = factories.dialog()
    store([job(dialog, "ask", "key-0001", "What happens first in the room?")])
    (result,) = store([job(dialog, "answer", "key-0001", "What happens first in the room?")])
    assert code(result) == Code.KEY_REUSED


@pytest.mark.django_db
def test_a_text_out_of_turn_is_refused_and_its_neighbours_are_stored() -> None:
    wrong, right = factories.dialog(), factories.dialog()
    results = store([job(wrong, "answer", "key-0001"), job(right, "ask", "key-0001")])
    assert code(results[0]) == Code.NOT_YOUR_TURN
    assert isinstance(results[1], Receipt)


@pytest.mark.django_db
def test_an_answer_before_the_video_was_watched_is_refused() -> None:
    dialog = factories.dialog()
    Seat.objects.filter(dialog=dialog).update(watched_at=None)
    results = store([job(dialog, "ask", "key-0001")]) + store([job(dialog, "answer", "key-0002")])
    assert code(results[1]) == Code.WATCH_FIRST


@pytest.mark.django_db
def test_a_text_for_no_dialog_is_refused() -> None:
    dialog = factories.dialog()
    missing = Dialog(pk=dialog.pk + 1000)
    assert code(store([job(missing, "ask", "key-0001")])[0]) == Code.OVER


@pytest.mark.django_db
def test_the_answerer_is_complete_with_the_last_answer_and_the_dialog_with_the_summary() -> None:
    dialog = factories.dialog(rounds=1)
    store([job(dialog, "ask", "key-0001")])
    store([job(dialog, "answer", "key-0002")])
    answerer, questioner = (Seat.objects.get(dialog=dialog, role=role) for role in (Role.ANSWERER, Role.QUESTIONER))
    assert answerer.state == SeatState.CLOSED
    assert answerer.participation.outcome == Outcome.COMPLETE
    assert questioner.participation.outcome == ""
    store([job(dialog, "summarise", "key-0003")])
    dialog.refresh_from_db()
    assert dialog.is_complete
    assert Participation.objects.get(seats=questioner).outcome == Outcome.COMPLETE
    assert code(store([job(dialog, "ask", "key-0004")])[0]) == Code.OVER


@pytest.mark.django_db(transaction=True)
def test_one_bad_row_cannot_fail_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = factories.dialog(), factories.dialog()
    make_row = writing._row

    def row(job: Job, receipt: Receipt, now: datetime) -> tuple[object, ...]:
        dialog, position, *rest = make_row(job, receipt, now)
        return dialog, None if dialog == bad.pk else position, *rest

    monkeypatch.setattr(writing, "_row", row)
    results = store([job(bad, "ask", "key-0001"), job(good, "ask", "key-0001")])
    assert isinstance(results[0], DatabaseError)
    assert isinstance(results[1], Receipt)
    assert texts(good) == [QUESTION]


@pytest.mark.django_db(transaction=True)
def test_when_the_database_is_away_the_answer_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    dialog = factories.dialog()

    def away(jobs: object, **_: object) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    with monkeypatch.context() as patch:
        patch.setattr(writing, "_store_together", away)
        assert code(store([job(dialog, "ask", "key-0001")])[0]) == Code.BUSY
    assert isinstance(store([job(dialog, "ask", "key-0001")])[0], Receipt)


@pytest.mark.django_db(transaction=True)
def test_a_commit_whose_result_is_unknown_is_resolved_by_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    dialog = factories.dialog()
    together = writing._store_together
    calls = []

    def lost_answer(jobs: list[Job], **options: bool) -> object:
        result = together(jobs, **options)
        calls.append(1)
        if len(calls) == 1:
            raise OperationalError("the connection was lost after COMMIT was sent")
        return result

    monkeypatch.setattr(writing, "_store_together", lost_answer)
    (result,) = store([job(dialog, "ask", "key-0001")])
    assert isinstance(result, Receipt)
    assert texts(dialog) == [QUESTION]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_dialog_locked_elsewhere_does_not_hold_up_the_others() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no row locks")
    held, free = factories.dialog(), factories.dialog()
    locked, release = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            Dialog.objects.select_for_update().get(pk=held.pk)
            locked.set()
            release.wait(20)
        connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert locked.wait(20)
    stored: list[Receipt] = []
    writer = Writer(stored.extend)
    writer.start()
    try:
        for each in (held, free):
            writer.put(job(each, "ask", "key-0001"))
        until(lambda: stored)
        writer.put(job(free, "answer", "key-0002"))
        until(lambda: len(stored) == 2)
        assert {receipt.dialog_id for receipt in stored} == {free.pk}
        release.set()
        until(lambda: len(stored) == 3)
    finally:
        release.set()
        writer.stop()
        thread.join(20)
    assert stored[2].dialog_id == held.pk


def until(check: Callable[[], object]) -> None:
    for _ in range(500):
        if check():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within 5 seconds")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_processes_storing_the_same_move_store_one() -> None:
    dialog = factories.dialog()

    def write(n: int) -> object:
        try:
            return store([job(dialog, "ask", f"key-000{n}")])[0]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(write, range(8)))
    assert sum(isinstance(r, Receipt) for r in results) == 1
    assert {code(r) for r in results if not isinstance(r, Receipt)} == {Code.NOT_YOUR_TURN}
    assert texts(dialog) == [QUESTION]


class DialogModel(RuleBasedStateMachine):
    """A dialog against a list: any actions, keys and resends, in any order."""

    @initialize(rounds=st.integers(1, 3))
    def begin(self, rounds: int) -> None:
        self.dialog = factories.dialog(rounds=rounds)
        self.rounds = rounds
        self.stored: list[tuple[str, str, str]] = []

    @rule(action=st.sampled_from(["ask", "answer", "summarise"]), number=st.integers(0, 9))
    def send(self, action: str, number: int) -> None:
        key = f"key-{number:04}"
        (result,) = store([job(self.dialog, action, key, f"{TEXT[action][:-1]} {number}{TEXT[action][-1]}")])
        known = next((s for s in self.stored if s[0] == key), None)
        if known:
            assert isinstance(result, Receipt) == (known[1] == action)
            return
        if action == self._next():
            assert isinstance(result, Receipt)
            assert result.position == len(self.stored)
            self.stored.append((key, action, result.text))
        else:
            assert isinstance(result, Refusal)

    def _next(self) -> str | None:
        n = len(self.stored)
        if n > 2 * self.rounds:
            return None
        return "summarise" if n == 2 * self.rounds else ("ask", "answer")[n % 2]

    @invariant()
    def the_database_holds_the_list(self) -> None:
        if hasattr(self, "dialog"):
            assert texts(self.dialog) == [text for _, _, text in self.stored]
            self.dialog.refresh_from_db()
            assert self.dialog.version == 1 + len(self.stored)
            assert self.dialog.is_complete == (len(self.stored) == 2 * self.rounds + 1)


class TestDialogAgainstModel(TransactionTestCase):
    """Runs the machine; each example cleans up after itself by making a dialog of its own."""

    def test_any_order_of_actions_keeps_the_dialog_a_list(self) -> None:
        from hypothesis.stateful import run_state_machine_as_test

        run_state_machine_as_test(
            DialogModel,
            settings=settings(
                max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
            ),
        )
