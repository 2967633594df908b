"""The 100 answers of a round: what the paper says, what the rules say where it is silent, and that it is exact."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError

from collector.exports import candidates, similarity, vectors
from collector.exports.candidates import Item, Pool, Report
from collector.exports.similarity import kinds, nearest
from collector.exports.vectors import WordVectors
from tests import factories, talk
from tests.exports.running import export, make_dialogs

DIMENSIONS = 3
VOCABULARY = [f"w{n}" for n in range(40)]
# Whole numbers, so that many questions are exactly as near as each other.
WORDS = WordVectors(
    {word: n for n, word in enumerate(VOCABULARY)},
    np.random.default_rng(1).integers(-3, 4, (len(VOCABULARY), DIMENSIONS)).astype(np.float32),
    "made for tests",
)


def made_items(videos: int = 60, answers: int = 250, seed: int = 1) -> list[Item]:
    """Return ten rounds a video; some words have no vector, answers repeat."""
    rng = random.Random(seed)
    return [
        Item(
            f"video {video}",
            number,
            tuple(rng.choices([*VOCABULARY, "unknown"], k=rng.randint(1, 6))),
            int(answers * rng.random() ** 2),
        )
        for video in range(videos)
        for number in range(1, 11)
    ]


def options_of(items: Sequence[Item], seed: int = 1, report: Report | None = None) -> list[list[int]]:
    pool = Pool(items, WORDS, seed, lambda done: None, report or Report())
    return [list(map(int, row)) for row in pool.options()]


def vector(question: Sequence[str]) -> np.ndarray[Any, Any]:
    """Return a question's vector by the paper's words, the slow way."""
    each = [WORDS.table[WORDS.rows[word]] if word in WORDS.rows else np.zeros(DIMENSIONS) for word in question]
    each += [np.zeros(DIMENSIONS)] * (3 - len(each))
    rest = np.mean(each[3:], axis=0) if each[3:] else np.zeros(DIMENSIONS)
    return np.concatenate([*each[:3], rest]).astype(np.float64)


def test_each_round_offers_100_distinct_answers_and_the_one_given() -> None:
    items = made_items()
    for item, options in zip(items, options_of(items), strict=True):
        assert len(set(options)) == 100
        assert item.answer in options


def test_hard_negatives_are_the_nearest_of_other_videos_then_come_the_popular() -> None:
    items = made_items()
    counts = Counter(item.answer for item in items)
    popular = sorted(counts, key=lambda answer: (-counts[answer], answer))
    places = [vector(item.question) for item in items]
    rows = options_of(items)
    for n in range(0, len(items), 7):
        item, options = items[n], set(rows[n])
        distances = [round(float(((place - places[n]) ** 2).sum()), 6) for place in places]
        others = [m for m, other in enumerate(items) if other.video != item.video and other.answer != item.answer]
        # How near the fiftieth distinct answer is: all that are nearer must be offered, ties are drawn.
        nearest_of: dict[int, float] = {}
        for m in sorted(others, key=lambda m: distances[m]):
            nearest_of.setdefault(items[m].answer, distances[m])
        limit = sorted(nearest_of.values())[49]
        nearer = {answer for answer, distance in nearest_of.items() if distance < limit}
        as_near = {answer for answer, distance in nearest_of.items() if distance == limit}
        assert nearer <= options
        hard = nearer | (as_near & options)
        assert len(hard) >= 50
        # Then the thirty most frequent; of those as near as the fiftieth, so many came as frequent ones instead.
        further = len(hard) - 50
        rest = [answer for answer in popular if answer not in hard and answer != item.answer]
        assert set(rest[: max(0, 30 - further)]) <= options


def test_the_same_seed_gives_the_same_whatever_the_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = options_of(made_items())
    monkeypatch.setattr(similarity, "BATCH_NUMBERS", 3000)
    monkeypatch.setattr(candidates, "_AT_FIRST", 10)
    assert options_of(made_items()) == whole
    assert options_of(made_items(), seed=2) != whole


def test_who_knows_the_seed_cannot_compute_the_place_of_the_answer(settings: Any) -> None:
    mine = options_of(made_items())
    settings.SECRET_KEY = "another installation"
    assert options_of(made_items()) != mine


def test_the_answer_stands_anywhere() -> None:
    items = made_items(videos=200)
    places = Counter(row.index(item.answer) // 10 for item, row in zip(items, options_of(items), strict=True))
    assert all(120 < places[tenth] < 280 for tenth in range(10))


def test_a_question_everybody_asks_is_not_always_offered_the_same_answers() -> None:
    items = [Item(f"video {n}", 1, ("w1", "w2"), n) for n in range(400)]
    offered = Counter(answer for row in options_of(items) for answer in row)
    # But for the popular, which are the thirty first of the bytes' order here.
    assert max(number for answer, number in offered.items() if answer >= 30) < 150


def test_frequent_answers_come_by_frequency_then_text() -> None:
    items = [Item(f"video {n}", 1, ("w1",), answer) for n, answer in enumerate([5, 5, 7, 7, 3, 9, *range(100, 200)])]
    pool = Pool(items, WORDS, 1, lambda done: None, Report())
    assert pool.popular[:5] == [5, 7, 3, 9, 100]


def test_few_answers_of_other_videos_are_made_up_for_and_counted() -> None:
    one_video = [Item("the one", n, ("w1", "w2"), n) for n in range(90)]
    others = [Item(f"video {n}", 1, ("w3",), 90 + n) for n in range(20)]
    report = Report()
    for row in options_of(one_video + others, report=report):
        assert len(set(row)) == 100
    assert report.few_hard == 90


def test_short_questions_and_unknown_words_have_zeros_and_are_counted() -> None:
    found = kinds([("w1",), ("w1", "new", "newer"), ("w1", "w2", "w3", "new"), ("w1", "w2", "w3")], WORDS)
    assert (found.short, found.unknown) == (3, 3)
    assert found.of == [0, 0, 1, 2]  # what is not there and what is not known are both zeros
    np.testing.assert_array_equal(found.vectors[0][DIMENSIONS:], 0)


def test_a_vector_is_three_words_and_the_mean_of_the_rest() -> None:
    questions = [("w5", "w1", "w2", "w3", "w4", "w4"), ("w5", "w1", "w2", "w4", "w3", "w4"), ("w1", "w5", "w2")]
    found = kinds(questions, WORDS)
    assert found.of == [0, 0, 1]
    for kind, question in ((0, questions[0]), (1, questions[2])):
        np.testing.assert_allclose(found.vectors[kind], vector(question), rtol=1e-6)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_nearest_is_exact_even_where_single_precision_is_not(scale: float) -> None:
    rng = np.random.default_rng(2)
    # Far from the origin and near each other: the differences drown in the products' rounding.
    points = (scale + rng.integers(0, 5, (300, 8)) * 1e-3 * scale).astype(np.float32)
    exact = points.astype(np.float64)
    for row, near in nearest(points, range(300), 20):
        squares = np.round(((exact - exact[row]) ** 2).sum(axis=1), 9)
        np.testing.assert_array_equal(near, np.lexsort((np.arange(300), squares))[:20])


@pytest.mark.django_db
def test_options_come_from_the_same_split_unless_asked_for(tmp_path: Path) -> None:
    make_dialogs({"train": 12, "test": 12})

    def offered(folder: str, *options: str) -> tuple[set[str], set[str]]:
        export(tmp_path / folder, "--format", "visdial", *options)
        both = []
        for split in ("train", "test"):
            data = json.loads((tmp_path / folder / f"visdial_{split}.json").read_text())["data"]
            turns = [turn for scene in data["dialogs"] for turn in scene["dialog"]]
            assert all(turn["answer_options"][turn["gt_index"]] == turn["answer"] for turn in turns)
            both.append({data["answers"][n] for turn in turns for n in turn["answer_options"]})
        return both[0], both[1]

    train, test = offered("apart")
    assert train.isdisjoint(test)
    train, test = offered("together", "--pool", "all")
    assert not train.isdisjoint(test)


@pytest.mark.django_db
def test_the_two_lists_are_the_same_in_all_files_and_say_where_vectors_come_from(tmp_path: Path) -> None:
    make_dialogs({"train": 11, "val": 11})
    _, said, _ = export(tmp_path / "out", "--format", "visdial")
    train, val = (json.loads((tmp_path / "out" / f"visdial_{split}.json").read_text()) for split in ("train", "val"))
    assert train["data"]["questions"] == val["data"]["questions"] == sorted(train["data"]["questions"])
    assert train["data"]["answers"] == val["data"]["answers"]
    assert train["candidates"]["vectors"].startswith("made from the questions and answers of this collection")
    assert "Wrote 22 dialogs about 22 videos" in said
    assert "0 words without a vector" in said


@pytest.mark.django_db
def test_too_few_answers_are_refused_with_the_split_and_a_way_out(tmp_path: Path) -> None:
    make_dialogs({"train": 11, "test": 2})
    with pytest.raises(CommandError, match=r"The split 'test' has 20 distinct answers; 100 are needed .* --pool all"):
        export(tmp_path / "out", "--format", "visdial")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db
def test_too_few_answers_in_all_are_refused(tmp_path: Path) -> None:
    factories.finished_dialog()
    for options, where in (([], "The split 'train' has"), (["--pool", "all"], "All splits together have")):
        with pytest.raises(CommandError, match=f"{where} 2 distinct answers.*Export more dialogs"):
            export(tmp_path / "out", "--format", "visdial", *options)


@pytest.mark.django_db
def test_no_dialog_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no dialog to choose answers from"):
        export(tmp_path / "out", "--format", "visdial")


@pytest.mark.django_db
def test_a_test_file_of_a_split_without_videos_is_refused(tmp_path: Path) -> None:
    make_dialogs({"train": 11})
    with pytest.raises(CommandError, match="no dialog about a video of the split 'test'"):
        export(tmp_path / "out", "--format", "visdial", "--test")


@pytest.mark.django_db
def test_the_key_answers_what_the_test_file_asks(tmp_path: Path) -> None:
    make_dialogs({"test": 12})
    export(tmp_path / "whole", "--format", "visdial")
    export(tmp_path / "test", "--format", "visdial", "--test")
    whole, test, key = (
        json.loads((tmp_path / name).read_text())
        for name in ("whole/visdial_test.json", "test/visdial_test.json", "test/visdial_test_key.json")
    )
    for asked, scene, full in zip(key, test["data"]["dialogs"], whole["data"]["dialogs"], strict=True):
        assert (scene["image_id"], len(scene["dialog"])) == (asked["image_id"], asked["round_id"])
        *before, last = scene["dialog"]
        assert set(last) == {"question", "answer_options"}
        assert all(set(turn) == {"question", "answer"} for turn in before)
        there = full["dialog"][asked["round_id"] - 1]
        assert last["answer_options"] == there["answer_options"]
        assert asked["gt_index"] == there["gt_index"]
        assert asked["answer"] == whole["data"]["answers"][there["answer"]]
        assert "summary" not in scene


def test_words_that_stand_together_are_near() -> None:
    rng = random.Random(3)
    texts = []
    for _ in range(400):
        texts.append(["the", rng.choice(["cat", "dog"]), "eats", rng.choice(["meat", "fish"])])
        texts.append(["a", rng.choice(["car", "bus"]), "drives", rng.choice(["fast", "slowly"])])
    made = vectors.make(texts)

    def apart(one: str, other: str) -> float:
        return float(np.linalg.norm(made.table[made.rows[one]] - made.table[made.rows[other]]))

    assert apart("cat", "dog") < apart("cat", "car") / 2
    assert apart("fast", "slowly") < apart("fast", "fish") / 2


def test_vectors_are_the_same_each_time() -> None:
    rng = random.Random(4)
    texts = [talk.question(rng).rstrip("?").split() for _ in range(300)]
    np.testing.assert_array_equal(vectors.make(texts).table, vectors.make(texts).table)


@pytest.mark.parametrize("texts", [[], [["one"]], [["one", "one"]]])
def test_too_few_words_give_no_vectors(texts: list[list[str]]) -> None:
    assert vectors.make(texts).rows == {}


def test_a_file_in_gloves_format_is_read(tmp_path: Path) -> None:
    path = tmp_path / "made.2d.txt"
    path.write_text("the 1 2\n. . . 0 0\ncat -0.5 1e-3\nthe 9 9\n")
    found = vectors.read(path, {"cat", "the", "dog"})
    assert found.rows == {"the": 0, "cat": 1}
    np.testing.assert_allclose(found.table, [[1, 2], [-0.5, 0.001]])
    assert found.origin == "the file made.2d.txt, 2 numbers a word"
    path.write_text("2 2\nthe 1 2\ncat 3 4\n")  # with word2vec's head
    np.testing.assert_allclose(vectors.read(path, {"cat"}).table, [[3, 4]])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "line 1: a word and its numbers are expected"),
        ("word\n", "line 1: a word and its numbers are expected"),
        ("{}, [], {}\n", "line 1: after the word, only numbers"),
        ("the 1 2\ncat 1 nan\n", "line 2: after the word, only numbers"),
    ],
)
def test_a_file_that_holds_no_vectors_is_refused(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(content)
    with pytest.raises(vectors.CannotRead, match=sentence):
        vectors.read(path, {"cat"})
    with pytest.raises(vectors.CannotRead, match="cannot be read: No such file"):
        vectors.read(tmp_path / "none", {"cat"})
