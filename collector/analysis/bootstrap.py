"""How sure is a figure? Confidence intervals by drawing as many again, with replacement, from what was collected.

What is drawn are whole dialogs or whole videos, since what was said within one is not independent. The interval is
the middle 95 % of the figure over the resamples (percentile bootstrap, Efron and Tibshirani 1993, chapter 13).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from collector.analysis.captions import Floats

RESAMPLES = 1000
_EDGES = (2.5, 97.5)
_AT_ONCE = 50
"""Resamples held in memory together."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval, None where there is none. The figure is nan where it has no base."""

    value: float
    interval: tuple[float, float] | None = None


def weights(items: int, seed: int, resamples: int = RESAMPLES) -> Iterator[Floats]:
    """Yield arrays (some resamples, items): how often each item was drawn. The same for the same seed."""
    random = np.random.default_rng(seed)
    for start in range(0, resamples, _AT_ONCE):
        number = min(_AT_ONCE, resamples - start)
        yield np.array([np.bincount(random.integers(0, items, items), minlength=items) for _ in range(number)], float)


def interval(values: Floats) -> tuple[float, float] | None:
    """Return the middle 95 % of a figure's resamples; None when in one of them it had no base (0 of 0)."""
    if not values.size or np.isnan(values).any():
        return None
    low, high = np.percentile(values, _EDGES)
    return float(low), float(high)
