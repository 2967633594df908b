"""How are a collection's figures laid out? As tables of plain values, for CSV, terminal and page alike."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from collector.analysis.bootstrap import Estimate
from collector.analysis.measures import COUNT, Described, Measure, difference
from collector.analysis.openings import openings
from collector.analysis.probes import PROBES
from collector.analysis.tally import RoundTally, Tally
from collector.lib.spreadsheets import Cell, csv_line

LEAST_SHARE = 0.1
"""Percent of the texts from which on a beginning has its own line."""
MOST_WORDS = 1000
"""Words of the vocabulary that have a line, the most frequent ones."""


@dataclass(frozen=True)
class Table:
    """Lines of cells under a header; ``name`` is that of its file."""

    name: str
    header: list[str]
    lines: list[list[Cell]]

    def as_csv(self) -> Iterator[str]:
        """Yield the lines of a CSV file (RFC 4180), numbers in full."""
        yield csv_line(self.header)
        for line in self.lines:
            yield csv_line(["" if _is_nan(cell) else cell for cell in line])


def _is_nan(cell: Cell) -> bool:
    return isinstance(cell, float) and math.isnan(cell)


def tables(tallies: Sequence[Tally], described: Sequence[Described]) -> list[Table]:
    """Return all tables of one or more collections; of two, the figures stand with their differences."""
    return [
        _figures(described),
        _table("by_round", _ROUND_HEADER, tallies, _by_round),
        _table("lengths", ["words", "questions", "% of questions", "answers", "% of answers"], tallies, _lengths),
        _table("openings", ["of", "first words", "texts", "%"], tallies, _openings),
        _table("vocabulary", ["word", "in questions", "in answers"], tallies, _vocabulary),
    ]


def _figures(described: Sequence[Described]) -> Table:
    header = ["figure", "unit"]
    for name in [*(each.name for each in described), *(["difference"] if len(described) == 2 else [])]:
        header += [name, f"{name}: 95 % from", f"{name}: to"]
    lines = []
    for measure in measures(described):
        cells: list[Cell] = [measure.name, measure.unit]
        for estimate in estimates(described, measure):
            cells += [estimate.value, *(estimate.interval or (None, None))] if estimate else [None] * 3
        lines.append([*cells, measure.published, measure.definition])
    return Table("figures", [*header, "published", "definition"], lines)


def measures(described: Sequence[Described]) -> list[Measure]:
    """Return every measure that some of the collections have, in the order of the richest."""
    richest = max(described, key=lambda each: len(each.figures))
    return list(richest.figures)


def estimates(described: Sequence[Described], measure: Measure) -> list[Estimate | None]:
    """Return the figure of each collection, and of two their difference; None for one that does not have it."""
    found = [each.figures.get(measure) for each in described]
    if len(described) != 2:
        return found
    return [*found, difference(described[0], described[1], measure) if None not in found else None]


def written(estimate: Estimate | None, measure: Measure) -> str:
    """Return a figure as people read it, its interval behind it: "52.4 % (51.0 to 53.9)"."""
    if estimate is None or math.isnan(estimate.value):
        return "-"
    if measure.unit == COUNT:
        return f"{estimate.value:,.0f}" if estimate.value == int(estimate.value) else f"{estimate.value:,.2f}"
    digits = 1 if measure.unit == "%" else 2
    value = f"{estimate.value:.{digits}f} {measure.unit}"
    if estimate.interval is None:
        return value
    low, high = estimate.interval
    return f"{value} ({low:.{digits}f} to {high:.{digits}f})"


def _table(
    name: str, header: list[str], tallies: Sequence[Tally], lines: Callable[[Tally], Iterator[list[Cell]]]
) -> Table:
    return Table(name, ["collection", *header], [[each.name, *line] for each in tallies for line in lines(each)])


_ROUND_HEADER = [
    *("round", "questions", "words a question", "answers", "words an answer"),
    *(f"% of questions: {probe.key}" for probe in PROBES),
]


def _by_round(tally: Tally) -> Iterator[list[Cell]]:
    for number, each in enumerate(tally.rounds, start=1):
        yield [number, each.questions, question_words(each), each.answers, answer_words(each), *_probed(each)]


def question_words(of_round: RoundTally) -> float:
    """Return the mean words of a round's questions; a round that is counted has questions."""
    return of_round.question_tokens / of_round.questions


def answer_words(of_round: RoundTally) -> float:
    """Return the mean words of a round's answers, nan without any."""
    return of_round.answer_tokens / of_round.answers if of_round.answers else math.nan


def _probed(of_round: RoundTally) -> list[Cell]:
    return [100 * number / of_round.questions for number in of_round.probes]


def _lengths(tally: Tally) -> Iterator[list[Cell]]:
    sides = (tally.questions.lengths, tally.answers.lengths)
    for length in range(max((*sides[0], *sides[1]), default=-1) + 1):
        cells: list[Cell] = [length]
        for lengths in sides:
            cells += [lengths[length], 100 * lengths[length] / lengths.total() if lengths else math.nan]
        yield cells


def _openings(tally: Tally) -> Iterator[list[Cell]]:
    for name, side in (("questions", tally.questions), ("answers", tally.answers)):
        for each in openings(side, LEAST_SHARE):
            yield [name, " ".join(each.words), each.texts, each.share]


def _vocabulary(tally: Tally) -> Iterator[list[Cell]]:
    questions, answers = tally.questions.vocabulary, tally.answers.vocabulary
    both = sorted((questions + answers).items(), key=lambda each: (-each[1], each[0]))
    for word, _ in both[:MOST_WORDS]:
        yield [word, questions[word], answers[word]]
