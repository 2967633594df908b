"""How near is a text to others about the same video? BLEU-1 to 4, ROUGE-L and CIDEr as the COCO toolkit has them.

Definitions, constants and oddities are those of the COCO caption evaluation (Chen et al. 2015, "Microsoft COCO
Captions: Data Collection and Evaluation Server"), whose scores a test compares with these. All are fractions, CIDEr
from 0 to 10. BLEU counts over the whole set before it divides, with the length of the nearest reference; ROUGE-L and
CIDEr are means over the items. CIDEr weighs an n-gram by how few items' references hold it, so the references of one
item alone weigh nothing: a set of one has CIDEr 0. METEOR needs Java and is in ``meteor``.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Tokens = Sequence[str]
Floats = NDArray[np.float64]

METRICS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr")
_LONGEST = 4
"""Words of the longest n-gram, in BLEU and in CIDEr."""
_SMALL, _TINY = 1e-9, 1e-15
"""What BLEU adds below and above a line, so that nothing is divided by zero."""
_BETA = 1.2
"""How much more ROUGE-L weighs recall than precision."""
_SIGMA = 6.0
"""CIDEr's tolerance of a different length."""


@dataclass(frozen=True)
class Scored:
    """A set of candidates, each scored against its references: what any weighting of the items can be made from."""

    bleu_counts: Floats
    """(items, 10): n-grams found in a reference, n-grams, each by n; length of the candidate, of the reference."""
    rouge_l: Floats
    cider: Floats

    def whole(self) -> Floats:
        """Return the six metrics of the set, in the order of METRICS."""
        (metrics,) = self.resampled(np.ones((1, len(self.cider))))
        return np.asarray(metrics)

    def resampled(self, weights: Floats) -> Floats:
        """Return (resamples, 6) metrics for ``weights`` (resamples, items): how often each item was drawn.

        What a rare n-gram weighs in CIDEr stays as it is in the whole set.
        """
        means = weights @ np.column_stack([self.rouge_l, self.cider]) / weights.sum(axis=1, keepdims=True)
        return np.column_stack([_bleu(weights @ self.bleu_counts), means])

    def each(self) -> Floats:
        """Return (items, 6): the metrics of every item alone, CIDEr with the weights of the whole set."""
        return np.column_stack([_bleu(self.bleu_counts), self.rouge_l, self.cider])


def score(candidates: Sequence[Tokens], references: Sequence[Sequence[Tokens]]) -> Scored:
    """Score each candidate against its own references, one or more. Raises ValueError when there is nothing."""
    if not candidates or len(candidates) != len(references) or not all(references):
        raise ValueError("There must be a candidate or more, each with its references.")
    counts = [_bleu_counts(each, refs) for each, refs in zip(candidates, references, strict=True)]
    rouge = [_rouge_l(each, refs) for each, refs in zip(candidates, references, strict=True)]
    return Scored(np.array(counts, dtype=float), np.array(rouge), np.array(list(_cider(candidates, references))))


def _ngrams(tokens: Tokens) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for n in range(1, _LONGEST + 1) for i in range(len(tokens) - n + 1))


def _bleu_counts(candidate: Tokens, references: Sequence[Tokens]) -> list[float]:
    most: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        most |= _ngrams(reference)
    found = [0.0] * _LONGEST
    for ngram, count in _ngrams(candidate).items():
        found[len(ngram) - 1] += min(count, most[ngram])
    there = [max(0, len(candidate) - n) for n in range(_LONGEST)]
    _, nearest = min((abs(len(reference) - len(candidate)), len(reference)) for reference in references)
    return [*found, *there, len(candidate), nearest]


def _bleu(counts: Floats) -> Floats:
    """Return BLEU-1 to 4 for each row of counts."""
    precisions = (counts[:, :_LONGEST] + _TINY) / (counts[:, _LONGEST : 2 * _LONGEST] + _SMALL)
    scores = np.cumprod(precisions, axis=1) ** (1 / np.arange(1, _LONGEST + 1))
    ratio = (counts[:, -2:-1] + _TINY) / (counts[:, -1:] + _SMALL)
    return np.where(ratio < 1, scores * np.exp(1 - 1 / np.minimum(ratio, 1)), scores)


def _rouge_l(candidate: Tokens, references: Sequence[Tokens]) -> float:
    # An empty text counts as one empty token, as in the toolkit, which splits at single spaces.
    said = candidate or [""]
    others = [reference or [""] for reference in references]
    common = [_longest_common(said, other) for other in others]
    precision = max(common) / len(said)
    recall = max(length / len(other) for length, other in zip(common, others, strict=True))
    if not precision or not recall:
        return 0.0
    return (1 + _BETA**2) * precision * recall / (recall + _BETA**2 * precision)


def _longest_common(one: Tokens, other: Tokens) -> int:
    """Return the length of the longest common subsequence, with a bit for each word of ``one``.

    After Hyyrö 2004, "Bit-parallel LCS-length computation revisited": a bit goes out where the length grows.
    """
    places: dict[str, int] = {}
    for place, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << place
    every = (1 << len(one)) - 1
    row = every
    for word in other:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & every
    return len(one) - row.bit_count()


@dataclass(frozen=True)
class _Vector:
    weights: dict[tuple[str, ...], float]
    norms: list[float]
    """By n."""
    bigrams: int
    """What the toolkit takes for the length of a text."""


def _cider(candidates: Sequence[Tokens], references: Sequence[Sequence[Tokens]]) -> Iterator[float]:
    held: Counter[tuple[str, ...]] = Counter()
    for refs in references:
        held.update(set().union(*map(_ngrams, refs)))
    rarity = [math.log(len(references)) - math.log(max(1, count)) for count in range(len(references) + 1)]
    for candidate, refs in zip(candidates, references, strict=True):
        said = _vector(candidate, held, rarity)
        nearness = sum(_nearness(said, _vector(each, held, rarity)) for each in refs)
        yield 10 * nearness / _LONGEST / len(refs)


def _vector(tokens: Tokens, held: Counter[tuple[str, ...]], rarity: list[float]) -> _Vector:
    weights = {ngram: count * rarity[held[ngram]] for ngram, count in _ngrams(tokens).items()}
    squares = [0.0] * _LONGEST
    for ngram, weight in weights.items():
        squares[len(ngram) - 1] += weight * weight
    return _Vector(weights, [math.sqrt(square) for square in squares], max(0, len(tokens) - 1))


def _nearness(said: _Vector, other: _Vector) -> float:
    """Return the sum over n of the clipped cosines, less for another length."""
    products = [0.0] * _LONGEST
    for ngram, weight in said.weights.items():
        if theirs := other.weights.get(ngram):
            products[len(ngram) - 1] += min(weight, theirs) * theirs
    cosines = (
        product / (mine * theirs)
        for product, mine, theirs in zip(products, said.norms, other.norms, strict=True)
        if mine and theirs
    )
    return sum(cosines) * math.exp(-((said.bigrams - other.bigrams) ** 2) / (2 * _SIGMA**2))
