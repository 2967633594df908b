"""In which order are a quiz's options shown, and which of the chosen ones are right? Plain Python; no Django."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from collector.studies.quizzes import Item


@dataclass(frozen=True)
class Shown:
    """One question as a page shows it. ``order`` holds the written number of each shown option."""

    question: str
    options: list[str]
    order: list[int]


def shown(items: Sequence[Item], seed: str) -> list[Shown]:
    """Return the questions with their options mixed, so that no place tells the right one. Same seed, same order."""
    rng = random.Random(seed)
    pages = []
    for item in items:
        order = list(range(len(item.options)))
        rng.shuffle(order)
        pages.append(Shown(item.question, [item.options[each] for each in order], order))
    return pages


def wrong(items: Sequence[Item], chosen: Sequence[int]) -> list[int]:
    """Return the numbers, from 0, of the questions whose chosen option (as written) is not right."""
    return [number for number, (item, each) in enumerate(zip(items, chosen, strict=True)) if each != item.right]
