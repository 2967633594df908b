"""The rules over the full product of states, roles and actions."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.protocol import Limits
from chat.rules import (
    SENTENCES,
    Code,
    Position,
    Refusal,
    check_text,
    check_turn,
    kind_at,
    move,
    next_action,
    round_of,
)
from chat.wording import sentence_of

ROUNDS = 3
STATES = [
    Position(stored, ROUNDS, ended, watched)
    for stored, ended, watched in itertools.product(range(2 * ROUNDS + 2), (False, True), (False, True))
]


def code_of(state: Position, role: str, action: str) -> str:
    try:
        check_turn(state, role, action)  # type: ignore[arg-type]
    except Refusal as refusal:
        return refusal.code.value
    return "allowed"


def expected(state: Position, role: str, action: str) -> str:
    """The rules once more, from their words instead of their code."""
    stored, last = state.stored, 2 * ROUNDS
    if state.ended:
        return "over"
    if (action == "answer") != (role == "answerer"):
        return "wrong_role"
    if stored > last:
        return "over"
    if action == "summarise":
        return "allowed" if stored == last else "rounds_open"
    if stored == last:
        return "rounds_done"
    if (stored % 2 == 1) != (action == "answer"):
        return "not_your_turn"
    return "allowed" if action == "ask" or state.watched else "watch_first"


@pytest.mark.parametrize("state", STATES, ids=str)
@pytest.mark.parametrize("role", ["questioner", "answerer"])
@pytest.mark.parametrize("action", ["ask", "answer", "summarise"])
def test_every_action_in_every_state_is_allowed_or_refused_as_written(state: Position, role: str, action: str) -> None:
    assert code_of(state, role, action) == expected(state, role, action)


@pytest.mark.parametrize("state", STATES, ids=str)
@pytest.mark.parametrize("role", ["questioner", "answerer"])
def test_the_move_shown_is_the_one_that_is_allowed(state: Position, role: str) -> None:
    shown = move(state, role)  # type: ignore[arg-type]
    allowed = [a for a in ("ask", "answer", "summarise") if code_of(state, role, a) == "allowed"]
    assert ([shown] if shown in ("ask", "answer", "summarise") else []) == allowed


def test_at_most_one_role_is_to_move() -> None:
    for state in STATES:
        moves = {move(state, "questioner"), move(state, "answerer")}
        assert len(moves & {"ask", "answer", "summarise"}) <= 1


def test_who_has_not_watched_is_to_watch_until_the_answers_are_done() -> None:
    assert move(Position(0, 3, watched=False), "answerer") == "watch"
    assert move(Position(1, 3, watched=False), "answerer") == "watch"
    assert move(Position(6, 3, watched=False), "answerer") == "none"
    assert move(Position(0, 3, watched=False), "questioner") == "ask"


def test_nothing_is_next_after_the_summary_or_the_end() -> None:
    assert next_action(Position(7, 3)) is None
    assert next_action(Position(2, 3, ended=True)) is None
    assert move(Position(7, 3), "questioner") == "none"


def test_rounds_count_from_one_to_the_number_wanted() -> None:
    assert [round_of(Position(n, 3)) for n in range(8)] == [1, 1, 2, 2, 3, 3, 3, 3]


def test_positions_say_what_stands_there() -> None:
    assert [kind_at(n, 2) for n in range(5)] == ["question", "answer", "question", "answer", "summary"]


def refused(action: str, text: str, limits: Limits | None = None) -> Refusal:
    with pytest.raises(Refusal) as caught:
        check_text(action, text, limits or Limits())  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize(
    ("action", "text", "code"),
    [
        ("ask", "   \n ", Code.EMPTY),
        ("ask", "Why?", Code.TOO_SHORT),
        ("ask", "? ? ?", Code.TOO_SHORT),
        ("ask", "What happens next", Code.NO_QUESTION_MARK),
        ("answer", "Yes , he does !", Code.TOO_SHORT),
        ("summarise", "A man sits down and gets up", Code.TOO_SHORT),
        ("ask", "x" * 501 + " y?", Code.TOO_LONG),
        ("answer", "a nul \x00 in the middle of it", Code.UNSTORABLE),
        ("answer", "a lone \ud83d surrogate in the middle", Code.UNSTORABLE),
    ],
)
def test_a_text_outside_its_limits_is_refused(action: str, text: str, code: Code) -> None:
    assert refused(action, text).code == code


@pytest.mark.parametrize("mark", ["?", "？", "؟"])
def test_questions_end_in_a_question_mark_of_any_script(mark: str) -> None:
    assert check_text("ask", f"What next{mark}", Limits())


def test_a_refusal_says_what_is_wanted_in_the_languages_own_unit() -> None:
    assert sentence_of(refused("answer", "No.")) == "Too short: write at least 5 words."
    assert sentence_of(refused("answer", "はい", Limits(language="ja"))) == "Too short: write at least 5 characters."
    assert sentence_of(refused("ask", "?", Limits(least_question=1))) == "Too short: write at least 1 word."


def test_lengths_are_code_points_after_composition() -> None:
    text = "e\u0301" * 500
    assert len(check_text("answer", text, Limits(least_answer=1))) == 500
    assert check_text("answer", "👩‍🚀 " * 100 + "a b c d e", Limits())


def test_texts_come_out_as_they_went_in() -> None:
    german, japanese = "Er geht weg, langsam – denke ich 😀.", "彼女は 部屋を 出て 行き ました"
    arabic = "هي تغادر الغرفة ببطء الآن"
    for text in (german, japanese, arabic):
        assert check_text("answer", text, Limits()) == text


def test_line_ends_are_kept_up_to_five() -> None:
    assert check_text("answer", "a\r\nb\rc\nd\ne\nf\ng h", Limits()) == "a\nb\nc\nd\ne\nf g h"


def test_control_characters_are_removed() -> None:
    assert check_text("answer", "\x07one two\x1b three four five\x7f", Limits()) == "one two three four five"


@given(st.text(max_size=600))
def test_a_stored_text_is_stored_the_same_when_sent_again(text: str) -> None:
    limits = Limits(least_answer=0, longest_text=10_000)
    try:
        stored = check_text("answer", text, limits)
    except Refusal:
        return
    assert check_text("answer", stored, limits) == stored
    assert stored.count("\n") <= 5


def test_every_code_has_a_sentence() -> None:
    assert set(SENTENCES) == set(Code)
