"""A quiz is written as plain text; what is wrong with it is said with its line."""

import pytest

from collector.studies import quizzes
from collector.studies.quizzes import BadQuiz, Item, parse


def test_questions_options_and_the_right_one_are_read() -> None:
    assert parse(quizzes.EXAMPLE + "\n\n Who asks?\n* The Questioner\n- The Answerer\n") == [
        Item("What does the Questioner see?", ("The whole video", "Three still frames of it", "The script"), 1),
        Item("Who asks?", ("The Questioner", "The Answerer"), 0),
    ]
    assert parse(" \n") == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- one", "Line 1: an option without a question."),
        ("What?\n* one", 'Line 1, "What\\?": 1 options. Write 2 to 8'),
        ("What?\n- one\n- two", 'Line 1, "What\\?": 0 options are marked as right.'),
        ("What?\n* one\n* two", 'Line 1, "What\\?": 2 options are marked as right.'),
        ("What?\n* one\n-", "Line 3: an empty option."),
        ("What?\n* one\n- one", "Line 3: this option stands there twice."),
        ("\n".join(f"What {n}?\n* one\n- two" for n in range(21)), "21 questions are too many"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(BadQuiz, match=sentence):
        parse(text)


def test_all_must_be_right_where_the_study_does_not_say() -> None:
    items = parse(quizzes.EXAMPLE)
    assert (quizzes.needed(items, None), quizzes.needed(items, 1), quizzes.needed(items, 9)) == (1, 1, 1)
