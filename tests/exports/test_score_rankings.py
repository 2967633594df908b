"""Scores of rankings: the challenge's examples, counts by hand, and every submission that is refused."""

import json
import random
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.core.management import CommandError, call_command

from collector.exports.scoring import ndcg, ranks_of, retrieval
from tests import factories
from tests.exports.running import export, make_dialogs
from tests.product import BASE_DIR

IN_ORDER = list(range(1, 101))

YES, YES_IT_IS, PROBABLY, TWO, NO = range(5)
RELEVANCES = [1, 1, 0.5, 0, 0]


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        ([YES, YES_IT_IS, TWO, PROBABLY, NO], 0.867087),
        ([YES_IT_IS, YES, TWO, PROBABLY, NO], 0.867087),
        ([YES, TWO, YES_IT_IS, PROBABLY, NO], 0.797478),
        ([YES, TWO, YES_IT_IS, NO, PROBABLY], 0.797478),
        ([YES, YES_IT_IS, PROBABLY, TWO, NO], 1),
    ],
)
def test_ndcg_is_that_of_the_challenges_page(ranking: list[int], expected: float) -> None:
    ranks = [ranking.index(option) + 1 for option in range(5)]
    assert ndcg(ranks, RELEVANCES) == pytest.approx(expected, abs=5e-7)


def test_ndcg_of_no_relevant_option_is_none() -> None:
    assert ndcg([1, 2, 3], [0, 0, 0]) is None


def test_retrieval_by_hand() -> None:
    found = retrieval([1, 2, 5, 10, 100])
    assert found
    assert found.mrr == pytest.approx((1 + 1 / 2 + 1 / 5 + 1 / 10 + 1 / 100) / 5)
    assert found.recall == {1: 0.2, 5: 0.6, 10: 0.8}
    assert found.mean == pytest.approx(23.6)
    assert retrieval([]) is None


def test_of_equal_scores_the_earlier_option_ranks_higher() -> None:
    assert ranks_of([0.5, 2.0, 0.5, -1, 2.0]) == [3, 1, 4, 5, 2]


def key_entry(video: str | int, round_id: int, question: str = "is it red ?", gt_index: int = 0) -> dict[str, Any]:
    return {"image_id": video, "round_id": round_id, "question": question, "answer": "yes", "gt_index": gt_index}


def rank_entry(video: str | int, round_id: int, ranks: Any = None) -> dict[str, Any]:
    return {"image_id": video, "round_id": round_id, "ranks": IN_ORDER if ranks is None else ranks}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    key = [key_entry("AAAAA", 2), key_entry("BBBBB", 1, gt_index=3)]
    (tmp_path / "key.json").write_text(json.dumps(key))
    return tmp_path


def score(folder: Path, predictions: Any, *options: str, against: str = "key.json") -> str:
    """Run the command on these predictions; return what it says."""
    path, said = folder / "predictions.json", StringIO()
    path.write_text(predictions if isinstance(predictions, str) else json.dumps(predictions))
    call_command("score_rankings", str(path), "--against", str(folder / against), *options, stdout=said, no_color=True)
    return said.getvalue()


def test_scores_overall_by_round_and_by_kind_of_question(tmp_path: Path) -> None:
    key = [
        key_entry("AAAAA", 1, "is there a sound ?", 0),  # rank 1
        key_entry("BBBBB", 2, "does he talk then ?", 1),  # rank 2
        key_entry("CCCCC", 2, "is he talking afterwards ?", 9),  # rank 10; no whole word of either list
        key_entry(12345, 10, "what happens after ?", 19),  # rank 20
    ]
    (tmp_path / "key.json").write_text(json.dumps(key))
    predictions = [rank_entry(entry["image_id"], entry["round_id"]) for entry in key]
    out = tmp_path / "scores.json"
    said = score(tmp_path, predictions, "--out", str(out)).splitlines()
    assert said[0].split() == ["rounds", "MRR", "R@1", "R@5", "R@10", "Mean"]
    found = {" ".join(line.split()[:2]): line.split()[2:] for line in said[1:7]}
    assert found == {
        "all rounds": ["4", "41.25", "25.00", "50.00", "75.00", "8.25"],
        "audio questions": ["2", "75.00", "50.00", "100.00", "100.00", "1.50"],
        "temporal questions": ["2", "27.50", "0.00", "50.00", "50.00", "11.00"],
        "round 1": ["1", "100.00", "100.00", "100.00", "100.00", "1.00"],
        "round 2": ["2", "30.00", "0.00", "50.00", "100.00", "6.00"],
        "round 10": ["1", "5.00", "0.00", "0.00", "0.00", "20.00"],
    }
    figures = json.loads(out.read_text())
    assert figures["all rounds"] == {
        "rounds": 4,
        "mrr": pytest.approx(0.4125),
        "recall": {"1": 0.25, "5": 0.5, "10": 0.75},
        "mean": 8.25,
    }


def test_other_words_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "key.json").write_text(json.dumps([key_entry("AAAAA", 1, "is he talking ?")]))
    predictions = [rank_entry("AAAAA", 1)]
    assert _rounds_of(score(tmp_path, predictions), "audio questions") == "0"
    said = score(tmp_path, predictions, "--audio-words", "Talking, singing", "--temporal-words", "he")
    assert _rounds_of(said, "audio questions") == _rounds_of(said, "temporal questions") == "1"
    with pytest.raises(CommandError, match="'talk to' is not a word"):
        score(tmp_path, predictions, "--audio-words", "talk to")


@pytest.mark.django_db
def test_the_words_of_a_study_are_used(tmp_path: Path) -> None:
    factories.study(slug="dogs", word_lists={"audio": ["barks", "talking"]})
    (tmp_path / "key.json").write_text(json.dumps([key_entry("AAAAA", 1, "is he talking before ?")]))
    said = score(tmp_path, [rank_entry("AAAAA", 1)], "--study", "dogs")
    assert _rounds_of(said, "audio questions") == _rounds_of(said, "temporal questions") == "1"
    assert "What has one of these words is an audio question: barks, talking." in said
    said = score(tmp_path, [rank_entry("AAAAA", 1)], "--study", "dogs", "--audio-words", "talk")
    assert _rounds_of(said, "audio questions") == "0"
    with pytest.raises(CommandError, match=r"There is no study 'cats'\. The studies are: dogs"):
        score(tmp_path, [rank_entry("AAAAA", 1)], "--study", "cats")


def _rounds_of(said: str, name: str) -> str:
    return next(line for line in said.splitlines() if line.startswith(name)).split()[2]


def test_scores_in_the_place_of_ranks(folder: Path) -> None:
    scores = [0.0] * 100  # all the same: option 0 ranks 1, option 3 ranks 4
    entries = [{"image_id": "AAAAA", "round_id": 2, "scores": scores}, rank_entry("BBBBB", 1)]
    assert "2   62.50" in score(folder, entries)


def test_ndcg_is_the_mean_over_annotated_rounds(folder: Path) -> None:
    nothing = [0.0] * 100
    relevances = [1, 0.5, *nothing[2:]]
    reverse = list(reversed(IN_ORDER))
    dense = [
        {"image_id": "AAAAA", "round_id": 2, "gt_relevance": relevances},
        {"image_id": "BBBBB", "round_id": 1, "relevance": nothing},
    ]
    (folder / "dense.json").write_text(json.dumps(dense))
    predictions = [rank_entry("AAAAA", 2), rank_entry("BBBBB", 1)]
    said = score(folder, predictions, "--dense", str(folder / "dense.json"))
    assert "NDCG (x 100) over 1 annotated round: 100.00" in said
    assert "Left out of it: 1 annotated round without any relevant option." in said
    said = score(folder, [rank_entry("AAAAA", 2, reverse), predictions[1]], "--dense", str(folder / "dense.json"))
    assert "over 1 annotated round: 0.00" in said
    for name, content in (("predictions", predictions), ("relevances", dense)):
        schema = json.loads((BASE_DIR / "docs" / "schemas" / f"{name}.schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(content)


GOOD = [rank_entry("AAAAA", 2), rank_entry("BBBBB", 1)]
TWICE = [1, *range(1, 100)]
BAD = {
    "not JSON": ("[", "is not JSON: Expecting value"),
    "not a list": ({"image_id": 1}, "must be a list of entries"),
    "not an object": ([*GOOD, 7], "entry 3: an object with image_id, round_id"),
    "missing image": (GOOD[:1], r"1 of 2 rounds are missing: image_id 'BBBBB' round_id 1\."),
    "no image_id": ([{"round_id": 1, "ranks": IN_ORDER}], "entry 1: image_id is missing"),
    "no ranks": ([{"image_id": "AAAAA", "round_id": 2}], r"entry 1 \(image_id 'AAAAA', round_id 2\): ranks is missing"),
    "unknown image": ([*GOOD, rank_entry("CCCCC", 1)], "there is no image_id 'CCCCC' to be ranked"),
    "round 11": ([*GOOD, rank_entry("AAAAA", 11)], "image_id 'AAAAA' has no round_id 11 to be ranked; it has 2"),
    "round as text": ([rank_entry("AAAAA", "2")], "round_id must be a whole number"),  # type: ignore[arg-type]
    "image as a fraction": ([rank_entry(1.5, 2)], "image_id must be a string or a whole number"),  # type: ignore[arg-type]
    "99 ranks": ([rank_entry("AAAAA", 2, IN_ORDER[:99])], "entry 1 .*: ranks has 99 values; 100 are expected"),
    "rank twice": ([GOOD[0], rank_entry("BBBBB", 1, TWICE)], "entry 2 .*: rank 1 stands twice"),
    "rank 0": ([rank_entry("AAAAA", 2, [0, *IN_ORDER[1:]])], "whole numbers from 1 to 100, unlike 0"),
    "rank 101": ([rank_entry("AAAAA", 2, [101, *IN_ORDER[1:]])], "whole numbers from 1 to 100, unlike 101"),
    "rank 1.5": ([rank_entry("AAAAA", 2, [1.5, *IN_ORDER[1:]])], "whole numbers from 1 to 100, unlike 1.5"),
    "true": ([rank_entry("AAAAA", 2, [True, *IN_ORDER[1:]])], "whole numbers from 1 to 100, unlike True"),
    "ranks no list": ([rank_entry("AAAAA", 2, "abc")], "ranks must be a list"),
    "an entry twice": ([*GOOD, GOOD[0]], "entry 3 .*: the same image_id and round_id stand in an earlier entry"),
    "a score that is none": (
        [{"image_id": "AAAAA", "round_id": 2, "scores": [float("nan")] * 100}],
        "scores are numbers, unlike nan",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_malformed_submission_is_refused_with_entry_and_reason(folder: Path, name: str) -> None:
    predictions, sentence = BAD[name]
    with pytest.raises(CommandError, match=sentence):
        score(folder, predictions, "--out", str(folder / "scores.json"))
    assert not (folder / "scores.json").exists()


@pytest.mark.parametrize(
    ("dense", "sentence"),
    [
        ([{"image_id": "AAAAA", "round_id": 2, "gt_relevance": [2] * 100}], "relevances are numbers from 0 to 1"),
        ([{"image_id": "AAAAA", "round_id": 2}], "relevance is missing"),
        ([{"image_id": "AAAAA", "round_id": 3, "relevance": [0] * 100}], "round_id 3 is not among the rounds"),
    ],
)
def test_malformed_relevances_are_refused(folder: Path, dense: Any, sentence: str) -> None:
    (folder / "dense.json").write_text(json.dumps(dense))
    with pytest.raises(CommandError, match=sentence):
        score(folder, GOOD, "--dense", str(folder / "dense.json"))


@pytest.mark.parametrize(
    ("against", "sentence"),
    [
        ("[]", "holds no round to be ranked"),
        ('{"a": 1}', "is not a VisDial-style file: there is no 'data'"),
        ('"text"', "is not a VisDial-style file"),
        ('[{"image_id": "AAAAA", "round_id": 1}]', "entry 1 .*: question is missing"),
        (
            '[{"image_id": "A", "round_id": 1, "question": "q", "gt_index": 100}]',
            "gt_index a whole number from 0 to 99",
        ),
    ],
)
def test_what_is_no_key_is_refused(folder: Path, against: str, sentence: str) -> None:
    (folder / "key.json").write_text(against)
    with pytest.raises(CommandError, match=sentence):
        score(folder, GOOD)


def test_files_that_are_not_there_are_refused(folder: Path) -> None:
    with pytest.raises(CommandError, match=r"none\.json cannot be read: No such file"):
        score(folder, GOOD, against="none.json")
    with pytest.raises(CommandError, match="There is no folder"):
        score(folder, GOOD, "--out", str(folder / "none" / "scores.json"))


@pytest.mark.django_db
def test_our_own_files_are_scored(tmp_path: Path) -> None:
    make_dialogs({"test": 12})
    export(tmp_path / "whole", "--format", "visdial")
    export(tmp_path / "test", "--format", "visdial", "--test")
    rng = random.Random(5)
    data = json.loads((tmp_path / "whole" / "visdial_test.json").read_text())["data"]
    predictions = [
        rank_entry(scene["image_id"], number, rng.sample(IN_ORDER, 100))
        for scene in data["dialogs"]
        for number in range(1, 11)
    ]
    ranks = [
        predictions[10 * n + number]["ranks"][turn["gt_index"]]
        for n, scene in enumerate(data["dialogs"])
        for number, turn in enumerate(scene["dialog"])
    ]
    said = score(tmp_path, predictions, against="whole/visdial_test.json")
    assert said.splitlines()[1].split()[-1] == f"{sum(ranks) / 120:.2f}"
    asked = {(entry["image_id"], entry["round_id"]) for entry in _key(tmp_path)}
    said = score(
        tmp_path,
        [entry for entry in predictions if (entry["image_id"], entry["round_id"]) in asked],
        against="test/visdial_test_key.json",
    )
    assert said.splitlines()[1].split()[2] == "12"
    with pytest.raises(CommandError, match="Of a test file, give --against the key"):
        score(tmp_path, predictions, against="test/visdial_test.json")


def _key(tmp_path: Path) -> list[dict[str, Any]]:
    return list(json.loads((tmp_path / "test" / "visdial_test_key.json").read_text()))
