"""Which figures describe a collection, and what exactly is each? Every one with its definition and where it is from.

Where a published figure comes out of no single definition, the ones that come nearest stand side by side: lengths over
all texts and over distinct ones, audio by exact words and by stems. All shares and means over dialogs have a 95 %
interval by drawing dialogs; what depends on all texts at once (medians, distinct texts, vocabulary) has none, since a
draw with repetitions has fewer distinct texts by itself.
"""

import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from collector.analysis import bootstrap
from collector.analysis.bootstrap import Estimate
from collector.analysis.captions import Floats
from collector.analysis.probes import HOW, PROBES, Probe
from collector.analysis.tally import COLUMNS, Side, Tally
from collector.lib.words import WordLists

COUNT, WORDS, PERCENT = "", "words", "%"
GROUPS = (
    "counts", "question length", "answer length", "summary length", "dialogs with a question about",
    "questions about", "answers", "vocabulary",
)  # fmt: skip
"""In this order figures are shown."""


@dataclass(frozen=True)
class Measure:
    """A figure's name, what it is, its unit, and what was published of AVSD or VisDial by that name."""

    group: str
    name: str
    definition: str
    unit: str
    published: str = ""


@dataclass(frozen=True)
class Ratio:
    """A measure that is the sum of one column over the dialogs by the sum of another."""

    measure: Measure
    above: str
    below: str


@dataclass(frozen=True)
class Described:
    """A collection's figures by measure, and the resamples behind the intervals of ratios."""

    name: str
    figures: dict[Measure, Estimate]
    resampled: dict[Measure, Floats]


def describe(tally: Tally, seed: int = 0, resamples: int = bootstrap.RESAMPLES) -> Described:
    """Work out all figures of a collection; one that has no base (of no answers, say) is nan."""
    ratios = _ratios(tally.lists)
    rows = tally.rows()
    above, below = (rows[:, [COLUMNS.index(getattr(r, side)) for r in ratios]] for side in ("above", "below"))
    scale = np.array([100.0 if ratio.measure.unit == PERCENT else 1.0 for ratio in ratios])
    whole = scale * _divided(above.sum(axis=0), below.sum(axis=0))
    drawn = [
        scale * _divided(weights @ above, weights @ below)
        for weights in bootstrap.weights(len(rows), seed, resamples if len(rows) else 0)
    ]
    resampled = dict(zip((r.measure for r in ratios), np.concatenate(drawn).T, strict=True)) if drawn else {}
    figures = {}
    for ratio, value in zip(ratios, whole, strict=True):
        between = bootstrap.interval(resampled[ratio.measure]) if resampled else None
        figures[ratio.measure] = Estimate(float(value), between)
    figures |= {measure: Estimate(value) for measure, value in _plain(tally)}
    ordered = sorted(figures, key=lambda measure: GROUPS.index(measure.group))
    return Described(tally.name, {measure: figures[measure] for measure in ordered}, resampled)


def difference(one: Described, other: Described, measure: Measure) -> Estimate:
    """Return the first collection's figure less the second's; the interval is of independent draws of both."""
    value = one.figures[measure].value - other.figures[measure].value
    if measure not in one.resampled or measure not in other.resampled:
        return Estimate(value)
    return Estimate(value, bootstrap.interval(one.resampled[measure] - other.resampled[measure]))


def _divided(above: Floats, below: Floats) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below != 0))


_SPLIT = "tokens between white space"
_PUBLISHED_LENGTHS = {"question": "AVSD 7.9, VisDial 5.1", "answer": "AVSD 9.4, VisDial 2.9", "summary": ""}


def _ratios(lists: WordLists) -> list[Ratio]:
    return [*_length_ratios(), *_answer_ratios(lists), *(r for probe in PROBES for r in _probe_ratios(probe, lists))]


def _length_ratios() -> Iterator[Ratio]:
    for side, many in (("question", "questions"), ("answer", "answers"), ("summary", "summaries")):
        what, published = f"{_SPLIT}, mean over all {many}", _PUBLISHED_LENGTHS[side]
        measure = Measure(f"{side} length", f"{side} length, mean", what, WORDS, published)
        yield Ratio(measure, f"{side} tokens", many)
    for side, many in (("question", "questions"), ("answer", "answers")):
        what = f"{_SPLIT} that hold a letter or a digit, mean over all {many}"
        yield Ratio(Measure(f"{side} length", f"{side} length, words only", what, WORDS), f"{side} words", many)


def _answer_ratios(lists: WordLists) -> Iterator[Ratio]:
    for name in ("yes", "no"):
        what = f"answers whose first word is {_listed(getattr(lists, name))}, of all answers"
        yield Ratio(Measure("answers", f"answers that open with {name}", what, PERCENT), name, "answers")
    what = f"answers that are one word, {_listed((*lists.yes, *lists.no))}, of all answers"
    yield Ratio(Measure("answers", "bare yes or no", what, PERCENT, "AVSD: none"), "bare", "answers")


_PUBLISHED_SHARES = {
    "dialogs: audio, exact": "AVSD 57 %, between exact words and stems",
    "dialogs: audio, stem": "AVSD 57 %, between exact words and stems",
    "dialogs: temporal and next, prefix": "AVSD more than 70 %",
    "questions: co-reference, exact": "AVSD 55.2 %",
}


def _probe_ratios(probe: Probe, lists: WordLists) -> Iterator[Ratio]:
    listed = _listed(word for name in probe.lists for word in getattr(lists, name))
    fits = f"{HOW[probe.how]} {listed}"
    definitions = {
        "dialogs": f"dialogs with a question in which {fits}, of all dialogs",
        "questions": f"questions in which {fits}, of all questions",
    }
    for what, definition in definitions.items():
        name = f"{what}: {probe.key}"
        group = "dialogs with a question about" if what == "dialogs" else "questions about"
        yield Ratio(Measure(group, name, definition, PERCENT, _PUBLISHED_SHARES.get(name, "")), name, what)


def _listed(words: Iterable[str]) -> str:
    return "{" + ", ".join(words) + "}"


def _plain(tally: Tally) -> Iterator[tuple[Measure, float]]:
    """Yield the figures that are no ratio of sums over dialogs."""
    rows = dict(zip(COLUMNS, tally.rows().sum(axis=0).tolist(), strict=True))
    yield Measure("counts", "videos", "different videos with a dialog", COUNT), len(tally.videos)
    yield Measure("counts", "dialogs", "dialogs in the collection", COUNT, "AVSD 11,816"), rows["dialogs"]
    yield Measure("counts", "pairs", "questions with their answers", COUNT, "AVSD 118,160"), rows["pairs"]
    if tally.dialogs_of_workers:
        yield from _of_workers(tally.dialogs_of_workers)
    for name, side in (("question", tally.questions), ("answer", tally.answers)):
        yield from _of_texts(name, side)
    both = tally.questions.vocabulary + tally.answers.vocabulary
    for name, vocabulary in (
        ("questions", tally.questions.vocabulary),
        ("answers", tally.answers.vocabulary),
        ("all texts", both),
    ):
        what = f"different words of {name}: runs of letters and digits, in lower case"
        yield Measure("vocabulary", f"vocabulary, {name}", what, COUNT), len(vocabulary)
    frequent = sum(1 for count in both.values() if count >= 5)
    yield (
        Measure("vocabulary", "vocabulary, 5 times or more", "those of all texts that occur five times or more", COUNT),
        frequent,
    )


def _of_workers(dialogs: list[int]) -> Iterator[tuple[Measure, float]]:
    figures: dict[str, Callable[[list[int]], float]] = {
        "mean": statistics.mean,
        "median": statistics.median,
        "most": max,
    }
    yield Measure("counts", "workers", "different workers with a dialog", COUNT, "AVSD 1,553"), len(dialogs)
    for name, figure in figures.items():
        what = f"dialogs that a worker took part in, {name} over workers"
        yield Measure("counts", f"dialogs a worker, {name}", what, COUNT), float(figure(dialogs))


def _of_texts(name: str, side: Side) -> Iterator[tuple[Measure, float]]:
    distinct, tokens = side.distinct()
    texts = side.lengths.total()
    nothing = float("nan")
    what = f"{_SPLIT}, median over all {name}s"
    yield Measure(f"{name} length", f"{name} length, median", what, WORDS), _median(side)
    what = f"{_SPLIT}, mean over the distinct {name}s; it grows with the collection"
    published = _PUBLISHED_LENGTHS[name].split(",")[0]
    yield (
        Measure(f"{name} length", f"{name} length, distinct", what, WORDS, published),
        tokens / distinct if distinct else nothing,
    )
    what = f"different texts, letter by letter, of all {name}s; it falls as the collection grows"
    yield Measure("vocabulary", f"distinct {name}s", what, PERCENT), 100 * distinct / texts if texts else nothing


def _median(side: Side) -> float:
    lengths = sorted(side.lengths)
    counts = np.cumsum([side.lengths[each] for each in lengths])
    if not lengths:
        return float("nan")
    middle = [
        lengths[int(np.searchsorted(counts, place, side="right"))] for place in ((counts[-1] - 1) // 2, counts[-1] // 2)
    ]
    return sum(middle) / 2
