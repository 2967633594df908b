"""How much did the Questioners learn? Table 2 of the AVSD paper, from the summaries of people who watched the videos.

Of each video one watcher's summary is compared with the other three, and the Questioner's with the same three. Which
watcher is chosen is drawn by a seed; since that choice is chance, the mean over all choices stands beside it: the
seed puts each video's watchers in an order, choice k compares the k-th of every video. Intervals come from drawing
videos. A pure function of the texts: where they come from, and which may be used, is the caller's affair.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from collector.analysis import bootstrap
from collector.analysis.bootstrap import Estimate
from collector.analysis.caption_tokens import caption_tokens
from collector.analysis.captions import METRICS, Floats, Scored, Tokens, score
from collector.analysis.meteor import meteor, missing

WATCHERS = 4
"""Summaries a video, as in the paper's appendix J."""
ROWS = (
    "video-watcher, one drawn by the seed",
    "Questioner, against the same three",
    "video-watcher, mean over all choices",
    "Questioner, mean over all choices",
)
NOTES = (
    "CIDEr weighs words by how few videos they occur in, so of one video it is 0; of few it is unstable.",
    "Intervals of CIDEr keep the weights of its words as in the whole set. METEOR has no interval.",
)
"""What a reader of the table must know."""


@dataclass(frozen=True)
class Summarised:
    """A video with the summaries of those who watched it and of the Questioner of its dialog."""

    video: str
    watchers: tuple[str, ...]
    questioner: str
    dialog: int | None = None
    """The number of the Questioner's dialog."""


@dataclass(frozen=True)
class VideoScores:
    """A video's summaries with their own metrics, each in the order of METRICS."""

    video: str
    dialog: int | None
    watchers: tuple[tuple[str, Floats], ...]
    """Each against the other ones."""
    questioner: tuple[str, Floats]
    """Mean over the choices of the others."""


@dataclass(frozen=True)
class SummaryTable:
    """Table 2 of a set of videos."""

    rows: dict[str, dict[str, Estimate]]
    """By ROWS and METRICS; with METEOR where it is available."""
    meteor_missing: str
    """Why there is no METEOR, or nothing."""
    left_out: int
    """Videos with too few summaries of watchers, or none of a Questioner."""
    videos: list[VideoScores]


class TooFew(ValueError):
    """No video has the summaries that are needed; the message is a sentence."""


def summary_table(
    videos: Sequence[Summarised],
    *,
    watchers: int = WATCHERS,
    seed: int = 0,
    resamples: int = bootstrap.RESAMPLES,
    with_meteor: bool = True,
    on_progress: Callable[[int, int], None] = lambda done, steps: None,
) -> SummaryTable:
    """Compute the table; of a video with more than ``watchers`` the seed takes that many.

    ``on_progress`` is called with the steps done and their number. Raises TooFew, and MeteorFailed where it was to run.
    """
    usable = [each for each in videos if len(each.watchers) >= watchers and each.questioner.strip()]
    if watchers < 2:
        raise TooFew("One watcher is compared with the others: 2 a video are needed at the least.")
    if not usable:
        raise TooFew(
            f"No video has summaries of {watchers} watchers and one of a Questioner. Those of simulated workers count "
            f"when they are asked for."
        )
    ordered = [_in_order(each, seed, watchers) for each in usable]
    tokens: list[list[Tokens]] = [[caption_tokens(text) for text in texts] for texts in ordered]
    said: list[Tokens] = [caption_tokens(each.questioner) for each in usable]
    sets = [_sets(tokens, choice) for choice in range(watchers)]
    why_no_meteor = missing() if with_meteor else "not asked for"
    steps = watchers * (1 if why_no_meteor else 2) + 1
    pairs = []
    for done, (chosen, others) in enumerate(sets, start=1):
        pairs.append((score(chosen, others), score(said, others)))
        on_progress(done, steps)
    rows = _rows(pairs, seed, resamples)
    on_progress(watchers + 1, steps)
    if not why_no_meteor:
        _add_meteor(rows, sets, said, lambda done: on_progress(watchers + 1 + done, steps))
    return SummaryTable(rows, why_no_meteor, len(videos) - len(usable), _by_video(usable, ordered, pairs))


def _in_order(summarised: Summarised, seed: int, watchers: int) -> list[str]:
    """Return the watchers' summaries in the order the seed gives them: the same whatever other videos there are."""
    return random.Random(f"{seed} {summarised.video}").sample(summarised.watchers, watchers)


def _sets(tokens: list[list[Tokens]], choice: int) -> tuple[list[Tokens], list[list[Tokens]]]:
    """Return the chosen summary of each video, and its others."""
    return [texts[choice] for texts in tokens], [texts[:choice] + texts[choice + 1 :] for texts in tokens]


def _add_meteor(
    rows: dict[str, dict[str, Estimate]],
    sets: list[tuple[list[Tokens], list[list[Tokens]]]],
    said: list[Tokens],
    on_progress: Callable[[int], None],
) -> None:
    found = []
    for value in meteor((each, others) for chosen, others in sets for each in (chosen, said)):
        found.append(value)
        on_progress((len(found) + 1) // 2)
    by_choice = np.array(found).reshape(-1, 2)
    for name, value in zip(ROWS, _of_rows(by_choice), strict=True):
        rows[name]["METEOR"] = Estimate(float(value))


def _rows(pairs: list[tuple[Scored, Scored]], seed: int, resamples: int) -> dict[str, dict[str, Estimate]]:
    scored = np.array([[watcher, questioner] for watcher, questioner in pairs], dtype=object)
    whole = _of_rows(np.array([[each.whole() for each in pair] for pair in scored]))
    drawn = [
        _of_rows(np.array([[each.resampled(weights) for each in pair] for pair in scored]))
        for weights in bootstrap.weights(len(pairs[0][0].cider), seed, resamples)
    ]
    resampled = np.concatenate(drawn, axis=1) if drawn else np.empty((len(ROWS), 0, len(METRICS)))
    return {
        name: {
            metric: Estimate(float(whole[row, column]), bootstrap.interval(resampled[row, :, column]))
            for column, metric in enumerate(METRICS)
        }
        for row, name in enumerate(ROWS)
    }


def _of_rows(by_choice: Floats) -> Floats:
    """Return (rows, ...) from (choices, watcher and Questioner, ...): the first choice, then the mean over all."""
    return np.concatenate([by_choice[0], by_choice.mean(axis=0)])


def _by_video(
    usable: Sequence[Summarised], ordered: list[list[str]], pairs: list[tuple[Scored, Scored]]
) -> list[VideoScores]:
    watchers = [watcher.each() for watcher, _ in pairs]
    questioners = np.mean([questioner.each() for _, questioner in pairs], axis=0)
    return [
        VideoScores(
            each.video,
            each.dialog,
            tuple((text, own[number]) for text, own in zip(texts, watchers, strict=True)),
            (each.questioner, questioners[number]),
        )
        for number, (each, texts) in enumerate(zip(usable, ordered, strict=True))
    ]
