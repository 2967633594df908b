"""Table 2 on made-up summaries."""

import pytest

from collector.analysis import summary_table as table
from collector.analysis.captions import METRICS, score
from collector.analysis.summary_table import ROWS, Summarised, summary_table

KITCHEN = Summarised(
    "KITCH",
    (
        "A woman stirs the soup and laughs.",
        "A woman stirs a pot of soup.",
        "A lady cooks soup and then laughs.",
        "Somebody is cooking in the kitchen.",
    ),
    "A woman cooks soup.",
)
PORCH = Summarised(
    "PORCH",
    (
        "A man waves from the porch.",
        "A man stands on a porch and waves.",
        "He waves at somebody.",
        "On the porch a man waves his hat.",
    ),
    "A dog barks at night.",
)


def values(row: dict[str, table.Estimate]) -> list[float]:
    return [row[metric].value for metric in METRICS]


def drawn(summarised: Summarised, seed: int) -> tuple[list[str], list[list[str]]]:
    """Return the tokens of the summary that the seed draws, and of the other three."""
    (found,) = summary_table([summarised], seed=seed, with_meteor=False).videos
    first, *rest = [text.lower().rstrip(".").split() for text, _ in found.watchers]
    return first, rest


def test_both_rows_are_scored_against_the_same_three() -> None:
    found = summary_table([KITCHEN, PORCH], seed=5, with_meteor=False)
    chosen, others = zip(drawn(KITCHEN, 5), drawn(PORCH, 5), strict=True)
    assert values(found.rows[ROWS[0]]) == pytest.approx(list(score(chosen, others).whole()))
    said = [each.questioner.lower().rstrip(".").split() for each in (KITCHEN, PORCH)]
    assert values(found.rows[ROWS[1]]) == pytest.approx(list(score(said, others).whole()))


def test_the_mean_over_all_choices_does_not_depend_on_the_seed_for_means_over_videos() -> None:
    one, other = (summary_table([KITCHEN, PORCH], seed=seed, with_meteor=False) for seed in (1, 2))
    assert {text for text, _ in one.videos[0].watchers} == set(KITCHEN.watchers)
    assert [t for t, _ in one.videos[0].watchers] != [t for t, _ in other.videos[0].watchers]
    for row in ROWS[2:]:
        assert one.rows[row]["ROUGE-L"].value == pytest.approx(other.rows[row]["ROUGE-L"].value)


def test_the_same_seed_gives_the_same_table_and_intervals_hold_the_value() -> None:
    one, other = (summary_table([KITCHEN, PORCH], seed=3, with_meteor=False) for _ in range(2))
    assert one.rows == other.rows
    for row in one.rows.values():
        for estimate in row.values():
            assert estimate.interval is not None
            low, high = estimate.interval
            assert low <= estimate.value + 1e-12
            assert estimate.value <= high + 1e-12


def test_intervals_come_from_drawing_videos() -> None:
    # Of two videos a quarter of the draws is one of them twice: the interval reaches from one's figure to the other's.
    found = summary_table([KITCHEN, PORCH], with_meteor=False)
    of_each = sorted(float(each.questioner[1][4]) for each in found.videos)
    estimate = found.rows[ROWS[3]]["ROUGE-L"]
    assert estimate.interval == pytest.approx(of_each)
    assert estimate.value == pytest.approx(sum(of_each) / 2)


def test_a_video_shows_each_summary_with_its_own_scores() -> None:
    kitchen, porch = summary_table([KITCHEN, PORCH], with_meteor=False).videos
    assert kitchen.questioner[0] == "A woman cooks soup."
    assert kitchen.questioner[1][0] > porch.questioner[1][0]
    for text, own in porch.watchers:
        others = [other.lower().rstrip(".").split() for other in PORCH.watchers if other != text]
        assert own[0] == pytest.approx(score([text.lower().rstrip(".").split()], [others]).whole()[0])


def test_the_cider_of_one_video_is_zero_and_the_notes_say_why() -> None:
    found = summary_table([KITCHEN], with_meteor=False)
    assert [found.rows[row]["CIDEr"].value for row in ROWS] == [0] * 4
    assert any("one video it is 0" in note for note in table.NOTES)


def test_videos_with_too_few_summaries_are_left_out_and_counted() -> None:
    three = Summarised("THREE", KITCHEN.watchers[:3], "A woman cooks.")
    silent = Summarised("SILEN", KITCHEN.watchers, " ")
    found = summary_table([KITCHEN, three, silent, PORCH], with_meteor=False)
    assert [each.video for each in found.videos] == ["KITCH", "PORCH"]
    assert found.left_out == 2
    with pytest.raises(table.TooFew, match="No video has summaries of 4 watchers"):
        summary_table([three, silent])


def test_of_more_watchers_the_seed_takes_four() -> None:
    five = Summarised("FIVES", (*KITCHEN.watchers, "The soup boils."), KITCHEN.questioner)
    (found,) = summary_table([five], with_meteor=False).videos
    assert len(found.watchers) == 4


def test_meteor_has_a_value_or_a_reason() -> None:
    found = summary_table([KITCHEN, PORCH], watchers=2)
    if table.missing():
        assert found.meteor_missing.startswith("not available")
        assert all("METEOR" not in row for row in found.rows.values())
    else:
        assert found.meteor_missing == ""
        assert all(0 < row["METEOR"].value < 1 and row["METEOR"].interval is None for row in found.rows.values())


def test_progress_is_told_to_its_end() -> None:
    told: list[tuple[int, int]] = []
    summary_table([KITCHEN], with_meteor=False, on_progress=lambda done, steps: told.append((done, steps)))
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]
