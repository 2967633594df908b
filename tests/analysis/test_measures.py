"""The figures of made-up collections, counted by hand."""

import math
from pathlib import Path

import pytest

from collector.analysis import published
from collector.analysis.conversations import Conversation
from collector.analysis.measures import Described, describe, difference
from collector.analysis.openings import openings
from collector.analysis.probes import PROBES, Probed, read_lists
from collector.analysis.tables import tables, written
from collector.analysis.tally import Tally
from collector.lib.words import BadWords, words_of
from tests.analysis import made_up


def tally_of(*conversations: Conversation) -> Tally:
    tally = Tally("made up", read_lists())
    for each in conversations:
        tally.add(each)
    return tally


def of_file(path: Path) -> Tally:
    return tally_of(*published.read(path))


def values(described: Described) -> dict[str, float]:
    return {measure.name: estimate.value for measure, estimate in described.figures.items()}


def asking(*questions: str) -> Conversation:
    return Conversation("KITCH", tuple((question, "Yes, somebody is there.") for question in questions))


@pytest.mark.parametrize("shape", made_up.SHAPES)
def test_every_published_shape_gives_the_figures_counted_by_hand(shape: str, tmp_path: Path) -> None:
    found = values(describe(of_file(made_up.write(tmp_path, shape))))
    summary = found.pop("summary length, mean")
    assert found == pytest.approx(made_up.FIGURES)
    assert math.isnan(summary) if shape == "visdial" else summary == 4


def test_raw_dialogs_may_be_the_list_itself(tmp_path: Path) -> None:
    rounds = [{"question": "Is he in?", "answer": "Yes, he is in."}]
    path = made_up.write(tmp_path, "raw", {"KITCH": {"data": rounds, "script": "...", "summary": "\n"}})
    assert list(published.read(path)) == [Conversation("KITCH", (("Is he in?", "Yes, he is in."),), "\n")]


def test_rounds_are_counted_by_their_number(tmp_path: Path) -> None:
    tally = of_file(made_up.write(tmp_path, "dstc7"))
    (by_round,) = [each for each in tables([tally], [describe(tally)]) if each.name == "by_round"]
    column = dict(zip(by_round.header, zip(*by_round.lines, strict=True), strict=True))
    assert column["round"] == (1, 2)
    assert column["questions"] == (3, 3)
    assert column["answers"] == (3, 2)
    assert column["words a question"] == pytest.approx((14 / 3, 14 / 3))
    assert column["words an answer"] == pytest.approx((15 / 3, 12 / 2))
    assert column["% of questions: audio, stem"] == pytest.approx((200 / 3, 100 / 3))


def test_lengths_are_a_histogram(tmp_path: Path) -> None:
    tally = of_file(made_up.write(tmp_path, "dstc7"))
    (lengths,) = [each for each in tables([tally], [describe(tally)]) if each.name == "lengths"]
    found = {line[1]: line[2:] for line in lengths.lines}
    assert list(found) == list(range(10))
    assert found[6] == pytest.approx([3, 50, 0, 0])
    assert found[5] == pytest.approx([0, 0, 2, 40])


def test_first_words_count_for_what_they_begin(tmp_path: Path) -> None:
    found = openings(of_file(made_up.write(tmp_path, "dstc7")).questions)
    assert [(" ".join(each.words), each.texts) for each in found if len(each.words) < 3] == [
        ("is", 2), ("what", 2), ("do", 1), ("happening", 1),
        ("is there", 2), ("do you", 1), ("happening next", 1), ("what does", 1), ("what is", 1),
    ]  # fmt: skip
    assert found[0].share == pytest.approx(100 / 3)
    assert max(len(each.words) for each in found) == 4
    assert [each.words for each in openings(of_file(tmp_path / "dstc7.json").questions, 30.0)] == [
        ("is",), ("what",), ("is", "there"), ("is", "there", "any"), ("is", "there", "any", "sounds"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "fits"),
    [
        ("noise", {"audio, exact", "audio, stem", "audio, prefix", "audio, substring"}),
        ("noises", {"audio, stem", "audio, prefix", "audio, substring"}),
        ("talking", {"audio, stem", "audio, prefix", "audio, substring"}),
        ("overhear", {"audio, substring"}),
        ("heard", {"audio, prefix", "audio, substring"}),
        ("ending", {"temporal, prefix", "temporal and next, prefix"}),
        ("friend", set()),
        ("happened", {"temporal and next, prefix"}),
        ("afterwards", {"temporal, prefix", "temporal and next, prefix"}),
        ("them", {"co-reference, exact"}),
        ("hers", set()),
    ],
)
def test_words_fit_their_lists(word: str, fits: set[str]) -> None:
    bits = Probed(read_lists())[word]
    assert {probe.key for place, probe in enumerate(PROBES) if bits >> place & 1} == fits


def test_words_are_runs_of_letters_and_digits_of_any_script() -> None:
    assert words_of("He's Qué_tal, 2nd: ПРИВЕТ!") == ["he", "s", "qué", "tal", "2nd", "привет"]


def test_lists_of_your_own_replace_the_ones_they_name(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('audio = ["bark"]\n')
    lists = read_lists(own)
    assert lists.audio == ("bark",)
    assert lists.temporal == read_lists().temporal
    tally = Tally("own", lists)
    tally.add(asking("Do dogs bark or make music?", "Is there music?"))
    found = describe(tally)
    assert values(found)["questions: audio, exact"] == 50
    assert any("one of {bark}" in measure.definition for measure in found.figures)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('audio = "bark"', "Expected `array`, got `str` - at `\\$.audio`"),
        ('sound = ["bark"]', "unknown field `sound`.*The lists are audio, temporal"),
        ('audio = ["Bark"]', "'Bark' in the list 'audio' is not one word in lower case"),
        ('audio = ["make noise"]', "'make noise' in the list 'audio' is not one word"),
        ("audio = [", "is not TOML"),
    ],
)
def test_lists_that_cannot_be_used_are_refused(tmp_path: Path, content: str, sentence: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(content)
    with pytest.raises(BadWords, match=sentence):
        read_lists(own)
    with pytest.raises(BadWords, match="cannot be read"):
        read_lists(tmp_path / "none.toml")


def test_intervals_come_from_drawing_dialogs() -> None:
    # Ten dialogs, all alike within, five of each kind: the share over dialogs varies as the toss of ten coins.
    half = [asking("Is there music?", "Is there music?"), asking("Is it red?", "Is it red?")] * 5
    found = describe(tally_of(*half))
    measure = next(each for each in found.figures if each.name == "questions: audio, exact")
    estimate = found.figures[measure]
    assert estimate.value == 50
    assert estimate.interval == (20, 80)
    assert describe(tally_of(*half)).figures[measure] == estimate
    assert written(estimate, measure) == "50.0 % (20.0 to 80.0)"


def test_a_collection_of_dialogs_all_alike_has_no_spread() -> None:
    found = describe(tally_of(*[asking("Is there music?")] * 4))
    by_name = {measure.name: estimate for measure, estimate in found.figures.items()}
    assert by_name["question length, mean"].interval == (3, 3)


def test_of_two_collections_the_difference_has_an_interval() -> None:
    loud, mixed = [asking("Is there music?")] * 10, [asking("Is there music?"), asking("Is it red?")] * 5
    one, other = (describe(tally_of(*each)) for each in (loud, mixed))
    measure = next(each for each in one.figures if each.name == "dialogs: audio, exact")
    found = difference(one, other, measure)
    assert found.value == 50
    assert found.interval == (20, 80)
    counts = next(each for each in one.figures if each.name == "dialogs")
    assert difference(one, other, counts).interval is None


def test_a_figure_without_base_is_no_number_and_no_error() -> None:
    tally = tally_of(Conversation("KITCH", (("Is there music?", None),)))
    found = describe(tally)
    by_name = {measure.name: (measure, estimate) for measure, estimate in found.figures.items()}
    for name in ("answer length, mean", "answer length, median", "distinct answers", "summary length, mean"):
        measure, estimate = by_name[name]
        assert math.isnan(estimate.value)
        assert estimate.interval is None
        assert written(estimate, measure) == "-"
    (figures, *_) = tables([tally], [found])
    assert not any("nan" in line for line in figures.as_csv())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is not whole, valid JSON"),
        ('{"dialogs": [{"image_id": "A", "dialog": [', "is not whole, valid JSON"),
        ('{"dialogs": [{"image_id": "A", "dialog": [{"question": "\xff"}]}]}', "is not whole, valid JSON"),
        ("[]", "has none of the known shapes"),
        ("7", "has none of the known shapes"),
        ('[{"dialogs": []}]', "has none of the known shapes"),
        ('{"dialogs": {"a": 1}}', "video 'dialogs': Object missing required field `data`"),
        ('{"dialogs": [{"dialog": []}]}', "dialog 1: Object missing required field `image_id`"),
        (
            '{"dialogs": [{"image_id": "A", "dialog": []}, {"image_id": "B", "dialog": [{"question": 4}]}]}',
            r"dialog 2: Expected `str`, got `int` - at `\$.dialog\[0\].question`",
        ),
        ('{"KITCH": {"data": "none"}}', r"video 'KITCH': Expected `object \| array`, got `str` - at `\$.data`"),
        (
            '{"KITCH": {"data": {"pair": [{"answer": "Yes"}]}}}',
            "video 'KITCH': Object missing required field `question`",
        ),
        ('{"data": {"questions": [1], "answers": [], "dialogs": []}}', r"questions: Expected `str`, got `int`"),
        (
            '{"data": {"questions": ["Q?"], "answers": [], "dialogs": [{"image_id": 1, "dialog": [{"question": 1}]}]}}',
            "dialog 1, round 1: question 1 is not in its list, which has 1",
        ),
        (
            '{"data": {"questions": ["Q?"], "answers": ["A"],'
            ' "dialogs": [{"image_id": 1, "dialog": [{"question": 0, "answer": -1}]}]}}',
            "dialog 1, round 1: answer -1 is not in its list, which has 1",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_place(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(published.BadFile, match=sentence) as refused:
        list(published.read(path))
    assert str(path) in str(refused.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(published.BadFile, match=r"none\.json cannot be read: No such file"):
        list(published.read(tmp_path / "none.json"))
    with pytest.raises(published.BadFile, match="Is a directory"):
        list(published.read(tmp_path))


def test_an_empty_file_of_a_shape_has_no_dialogs(tmp_path: Path) -> None:
    for content in ({}, {"dialogs": []}, {"data": {"questions": [], "answers": [], "dialogs": []}}):
        assert list(published.read(made_up.write(tmp_path, "empty", content))) == []
