"""What simulated workers say: well formed, true to the scene, and never the same for all."""

import random

import pytest

from chat import scene_talk, scripted
from collector.catalogue.scenes import SAMPLES, Scene, make_scene, script_of
from collector.lib.text import count_words, is_question

SCENES = [make_scene(seed) for seed in SAMPLES.values()]
SCRIPTS = [
    "A person is washing their hands at the sink. They dry them. Then they leave, laughing!",
    "Somebody sits",
    "x " * 3000,
    "Ünïcödé … geht auch? Ja.",
    "",
]


def played(known: Scene | str, seed: int, rounds: int = 10) -> list[tuple[str, str]]:
    """Let the two programs talk."""
    history: list[tuple[str, str]] = []
    rng = random.Random(seed)
    for _ in range(rounds):
        question = scripted.next_question(history, rng)
        history.append((question, scripted.answer(question, history, known)))
    return history


def check(question: str, answer: str) -> None:
    """Check what every study asks of texts."""
    assert is_question(question)
    assert count_words(question, "en") >= 2
    assert count_words(answer, "en") >= 5
    assert len(answer) <= 500
    assert answer[0].isupper()
    assert answer.endswith(".")


def test_all_that_can_be_asked_about_a_sample_is_answered() -> None:
    for scene in SCENES:
        for question in scene_talk.questions(scene, random.Random(1)):
            answer = scene_talk.answer(scene, question)
            check(question, answer)
            assert answer != scene_talk.UNKNOWN


def test_the_samples_have_many_distinct_answers() -> None:
    answers = {scene_talk.answer(s, q) for s in SCENES for q in scene_talk.questions(s, random.Random(1))}
    assert len(answers) >= 150


@pytest.mark.parametrize("seed", range(8))
def test_ten_rounds_about_a_sample_never_repeat_and_end_in_a_summary(seed: int) -> None:
    for scene in SCENES:
        history = played(scene, seed)
        assert len({question for question, _ in history}) == 10
        for question, answer in history:
            check(question, answer)
            assert answer != scene_talk.UNKNOWN
        told = scene_talk.events_in(scripted.summarise(history))
        in_order = scene_talk.events_in(script_of(scene))
        assert told == in_order[: len(told)] != []
        assert count_words(scripted.summarise(history), "en") >= 8


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("seed", range(4))
def test_any_script_is_talked_about(script: str, seed: int) -> None:
    history = played(script, seed, rounds=14)
    for question, answer in history:
        check(question, answer)
    assert count_words(scripted.summarise(history), "en") >= 8
    assert len(scripted.summarise(history)) <= 2000


def test_the_story_of_a_script_is_told_in_order() -> None:
    history = played(SCRIPTS[0], 1)
    assert [answer for _, answer in history[:4]] == [
        "First of all, this happens: A person is washing their hands at the sink.",
        "After that, this happens: They dry them.",
        "After that, this happens: Then they leave, laughing.",
        "Nothing more happens after that, it ends.",
    ]


def test_asking_needs_no_scene() -> None:
    assert scripted.next_question([], random.Random(1)) == scene_talk.FIRST
    next_one = scripted.next_question([(scene_talk.FIRST, "First of all, a dog barks.")], random.Random(1))
    assert scene_talk.names_in(next_one) == []


def test_summaries_tell_every_event() -> None:
    for scene in SCENES:
        assert scene_talk.events_in(scene_talk.summary(scene)) == scene_talk.events_in(script_of(scene))


def test_places_are_true() -> None:
    for scene in SCENES:
        for number, thing in enumerate(scene.things):
            answer = scene_talk.answer(scene, f"Where is the {thing.name} at the end?")
            x, y, *_ = thing.path[-1]
            for other in scene.things:
                to_x, to_y, *_ = other.path[-1]
                place = {
                    f"to the left of the {other.name}": x < to_x,
                    f"to the right of the {other.name}": x > to_x,
                    f"in front of the {other.name}": y < to_y,
                    f"behind the {other.name}": y > to_y,
                }
                assert all(is_true for words, is_true in place.items() if words in answer), (number, answer)
