"""How do questions and answers begin? The paper's Figure 5 (a) and (b): first words, what follows them, and so on."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from collector.analysis.tally import Side


@dataclass(frozen=True)
class Opening:
    """The first one to four words of texts, and how many texts begin so."""

    words: tuple[str, ...]
    texts: int
    share: float
    """Of all texts, in percent."""


def openings(side: Side, least_share: float = 0.0) -> list[Opening]:
    """Return every first n-gram of ``least_share`` percent or more: shorter ones first, then the more frequent."""
    counts: Counter[tuple[str, ...]] = Counter()
    for text, number in side.openings.items():
        for prefix in _prefixes(tuple(text.split())):
            counts[prefix] += number
    total = side.openings.total()
    found = (Opening(words, number, 100 * number / total) for words, number in counts.items())
    return sorted(
        (each for each in found if each.share >= least_share),
        key=lambda each: (len(each.words), -each.texts, each.words),
    )


def _prefixes(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (words[:length] for length in range(1, len(words) + 1))
