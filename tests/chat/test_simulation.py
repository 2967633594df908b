"""Simulated workers notice what is lost, doubled or out of order."""

import random

import pytest

from chat import rules, scripted
from chat.protocol import Limits, Line
from chat.simulation import Record, SimulationFailed, check_pairs


def record(role: str = "questioner", answer: str = "It is a red cube.") -> Record:
    """Return what a worker holds after a dialog of one round, all well."""
    texts = ["What is it?", answer, "A red cube stands there and nothing happens."]
    lines = [Line(0, "question", texts[0]), Line(1, "answer", texts[1]), Line(2, "summary", texts[2])]
    made = Record("sim-1", role=role, rounds=1, outcome="complete")
    own = (0, 2) if role == "questioner" else (1,)
    for line in lines if role == "questioner" else lines[:2]:
        key = f"key-{line.position}" if line.position in own else ""
        made.take(Line(line.position, line.kind, line.text, key))
    made.sent, made.keys = [texts[n] for n in own], [f"key-{n}" for n in own]
    return made


@pytest.mark.parametrize("role", ["questioner", "answerer"])
def test_a_dialog_that_went_well_passes(role: str) -> None:
    record(role).check()


def test_a_doubled_or_early_line_is_noticed() -> None:
    held = record()
    with pytest.raises(SimulationFailed, match="came twice"):
        held.take(Line(1, "answer", "It is a red cube."))
    with pytest.raises(SimulationFailed, match="came before"):
        held.take(Line(4, "question", "And then?"))


def test_a_snapshot_that_forgets_or_reorders_is_noticed() -> None:
    held = record()
    with pytest.raises(SimulationFailed, match="differs"):
        held.take_all(held.lines[:1])
    with pytest.raises(SimulationFailed, match="not in order"):
        Record("sim-2").take_all([held.lines[1], held.lines[0]])


def test_a_changed_text_or_another_end_is_noticed() -> None:
    changed = record()
    changed.sent[0] = "What was it?"
    with pytest.raises(SimulationFailed, match="not what was sent"):
        changed.check()
    left = record()
    left.outcome = "partner_left"
    with pytest.raises(SimulationFailed, match="partner_left"):
        left.check()


def test_partners_who_were_shown_different_texts_are_noticed() -> None:
    check_pairs([record(), record("answerer")])
    with pytest.raises(SimulationFailed, match="2 transcripts"):
        check_pairs([record(), record("answerer", "It is a blue cube.")])


TIGHT = Limits(least_question=9, least_answer=40, least_summary=60, longest_text=300)
SHORT = Limits(least_question=2, least_answer=5, longest_text=20, longest_summary=20)


@pytest.mark.parametrize("limits", [Limits(), TIGHT, SHORT, Limits(language="ja", least_answer=90)])
@pytest.mark.parametrize("known", ["", "Somebody opens a door. They sit down at a table, and read a very long book."])
def test_what_a_program_says_keeps_to_the_limits_of_any_study(limits: Limits, known: str) -> None:
    question = scripted.fitted("ask", scripted.next_question([], random.Random(1)), limits)
    answer = scripted.fitted("answer", scripted.answer(question, [], known), limits)
    for action, text in (("ask", question), ("answer", answer)):
        assert rules.check_text(action, text, limits) == text  # type: ignore[arg-type]
    if limits is not SHORT:  # eight words do not go into twenty characters
        summary = scripted.fitted("summarise", scripted.summarise([(question, answer)]), limits)
        assert rules.check_text("summarise", summary, limits) == summary


def test_what_fits_is_left_as_it_is() -> None:
    assert scripted.fitted("ask", "What happens then?", Limits()) == "What happens then?"
