"""The raw text against the text of the DSTC7 files: the measured rule and each of its exceptions."""

import pytest

from collector.exports.normalising import normalised, on_one_line


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Is he ALONE?", "is he alone ?"),
        ("Yes, he is.", "yes , he is ."),
        ("Wait! No; well: maybe", "wait ! no ; well : maybe"),
        ('She says "hello" (twice)', 'she says " hello " ( twice )'),
        ("a cup/glass", "a cup / glass"),
        ("a *red* cup", "a * red * cup"),
        ("He doesn't; it's hers", "he doesn 't ; it 's hers"),
        ("y'a'll", "y 'a'll"),
        ("the boys' room and 'quoted'", "the boys' room and 'quoted'"),
        ("  two   spaces \t and a tab ", "two spaces and a tab"),
        ("at 3.5 meters", "at 3 . 5 meters"),
        ("nothing to do", "nothing to do"),
        ("", ""),
    ],
)
def test_the_rule(raw: str, expected: str) -> None:
    assert normalised(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Well.. yes", "well .. yes"),
        ("Well... yes", "well ... yes"),
        ("Well.... yes", "well ... yes"),
        ("Well........", "well ..."),
        ("She puts on make-up.", "she puts on make-up ."),
        ("What??", "what ? ?"),
        ("What????", "what ? ? ?"),
        ("What???????", "what ? ? ?"),
        ("What?...", "what ? ..."),
    ],
)
def test_the_exceptions(raw: str, expected: str) -> None:
    assert normalised(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("A cat 😀 jumps", "a cat 😀 jumps"),
        ("👩‍👩‍👧 walk", "👩‍👩‍👧 walk"),
        ("彼は何をしていますか？", "彼は何をしていますか？"),
        ("هل يوجد صوت؟", "هل يوجد صوت؟"),
        ("ÉCOLE d'été", "école d 'été"),
    ],
)
def test_other_scripts_stay(raw: str, expected: str) -> None:
    assert normalised(raw) == expected


def test_it_is_one_line_whatever_the_line_ends() -> None:
    text = "one\ntwo\r\nthree\u2028four\n\nfive"
    assert normalised(text) == on_one_line(text) == "one two three four five"


def test_text_as_typed_keeps_all_but_line_ends() -> None:
    assert on_one_line('  "Quoted"  Words... ') == '  "Quoted"  Words... '


def test_it_changes_nothing_the_second_time() -> None:
    once = normalised('He doesn\'t... or "does" he????  (make-up)')
    assert normalised(once.replace(" 't", "'t")) == once
