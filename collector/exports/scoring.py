"""How good is a ranking of answers? The measures of the Visual Dialog Challenge and of the AVSD paper, section 5.

Everything is a fraction or a rank; tables multiply by 100 where others do.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

RECALLS = (1, 5, 10)


@dataclass(frozen=True)
class Retrieval:
    """How high the answers that were given rank, over ``rounds`` rounds."""

    rounds: int
    mrr: float
    """Mean of 1 / rank."""
    recall: dict[int, float]
    """The share of rounds with a rank of at most 1, 5, 10."""
    mean: float
    """Mean rank; 1 is best."""


def retrieval(ranks: Sequence[int]) -> Retrieval | None:
    """Return the measures of the ranks of the given answers; None without any."""
    if not ranks:
        return None
    return Retrieval(
        rounds=len(ranks),
        mrr=math.fsum(1 / rank for rank in ranks) / len(ranks),
        recall={most: sum(rank <= most for rank in ranks) / len(ranks) for most in RECALLS},
        mean=sum(ranks) / len(ranks),
    )


def ndcg(ranks: Sequence[int], relevances: Sequence[float]) -> float | None:
    """Return the normalised discounted cumulative gain of one round; None where no option is relevant.

    ``ranks`` and ``relevances`` go by option; ranks are a permutation from 1. Counted over the best k options, k being
    how many have a relevance that is not zero: the sum of relevance / log2(place + 1), divided by the most it can be.
    """
    k = sum(relevance != 0 for relevance in relevances)
    if not k:
        return None
    ranked = [relevance for _, relevance in sorted(zip(ranks, relevances, strict=True))]
    return _gain(ranked[:k]) / _gain(sorted(relevances, reverse=True)[:k])


def _gain(relevances: Sequence[float]) -> float:
    return math.fsum(relevance / math.log2(place + 1) for place, relevance in enumerate(relevances, start=1))


def ranks_of(scores: Sequence[float]) -> list[int]:
    """Return the ranks of ``scores``, the highest being rank 1; of equal ones the earlier option ranks higher."""
    order = sorted(range(len(scores)), key=lambda option: (-scores[option], option))
    ranks = [0] * len(scores)
    for rank, option in enumerate(order, start=1):
        ranks[option] = rank
    return ranks
