"""Which 100 answers does a round offer? The selection of the AVSD paper, section 4.

In this order, each distinct from those before: the answer given; 50 answers to the nearest questions about other
videos; the 30 most frequent answers; 19 answers to questions drawn at random. Then they are shuffled.

What the paper leaves open, and the rule here:

- Answers are the same when their normalised texts are. What is taken already is skipped for the next in line.
- Questions as near as each other: by kind (see ``similarity``), the kind that came first in the file; within a kind
  from a place drawn for the round, going round in the file's order. So no answer serves a common question always.
- Answers as frequent as each other: by text, in the order of bytes.
- Where other videos have fewer than 50 such answers, more are drawn at random.
- What is drawn depends on the seed, the video, the round and the installation's key (see ``draws``).
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from collector.exports.draws import draws
from collector.exports.similarity import Kinds, kinds, nearest
from collector.exports.vectors import WordVectors
from collector.relevance.models import OPTIONS

HARD = 50
POPULAR = 30
_AT_FIRST = 128
"""Kinds that are looked at first; twice as many for the rounds that need more, and so on."""
_TRIES = 1000


class TooFewAnswers(Exception):
    """A pool has fewer than 100 distinct answers; ``args`` holds how many."""


@dataclass(frozen=True, slots=True)
class Item:
    """A round: ``answer`` numbers its text among all answers, which are in the order of bytes."""

    video: str
    round: int
    question: tuple[str, ...]
    """Its words."""
    answer: int


@dataclass
class Report:
    """What the choice met with."""

    short: int = 0
    """Questions of three words or fewer."""
    unknown: int = 0
    """Words without a vector, each time they stand in a question."""
    few_hard: int = 0
    """Rounds with fewer than 50 answers to nearest questions."""
    vectors: str = ""
    """Where the word vectors come from."""


@dataclass
class Pool:
    """The rounds whose answers are options for each other."""

    items: Sequence[Item]
    words: WordVectors
    seed: int
    advance: Callable[[int], None]
    report: Report
    popular: list[int] = field(init=False)
    """All distinct answers, the most frequent first."""

    def __post_init__(self) -> None:
        """Count the answers."""
        counts = Counter(item.answer for item in self.items)
        self.popular = sorted(counts, key=lambda answer: (-counts[answer], answer))
        if len(self.popular) < OPTIONS:
            raise TooFewAnswers(len(self.popular))

    def options(self) -> NDArray[np.int32]:
        """Return the options: a row of 100 answers for each item, shuffled; the one given is among them."""
        found = kinds([item.question for item in self.items], self.words)
        self.report.short += found.short
        self.report.unknown += found.unknown
        options = np.zeros((len(self.items), OPTIONS), dtype=np.int32)
        open_kinds, number = list(range(len(found.members))), _AT_FIRST
        while open_kinds:
            everything = number >= len(found.members)
            unfinished = []
            for kind, near in nearest(found.vectors, open_kinds, number):
                if self._fill(options, found, found.members[kind], near, everything):
                    self.advance(len(found.members[kind]))
                else:
                    unfinished.append(kind)
            open_kinds, number = unfinished, 2 * number
        return options

    def _fill(
        self, options: NDArray[np.int32], found: Kinds, members: Sequence[int], near: NDArray[np.intp], everything: bool
    ) -> bool:
        """Choose for the rounds ``members`` of one kind; tell whether ``near`` held enough for all of them."""
        order = near.tolist()
        chosen = []
        for number in members:
            item = self.items[number]
            rng = draws(self.seed, "options", item.video, item.round)
            hard = self._hard(item, rng, (found.members[kind] for kind in order))
            if len(hard) < HARD and not everything:
                return False
            chosen.append((number, rng, hard))
        for number, rng, hard in chosen:
            self.report.few_hard += len(hard) < HARD
            options[number] = self._mixed(self.items[number].answer, hard, rng)
        return True

    def _hard(self, item: Item, rng: random.Random, near: Iterator[list[int]]) -> list[int]:
        taken = {item.answer: None}
        for members in near:
            start = rng.randrange(len(members)) if len(members) > 1 else 0
            for place in range(len(members)):
                other = self.items[members[(start + place) % len(members)]]
                if other.video != item.video and other.answer not in taken:
                    taken[other.answer] = None
                    if len(taken) > HARD:
                        return list(taken)[1:]
        return list(taken)[1:]

    def _mixed(self, answer: int, hard: list[int], rng: random.Random) -> list[int]:
        taken = dict.fromkeys([answer, *hard])
        popular = (each for each in self.popular if each not in taken)
        taken.update(dict.fromkeys(islice(popular, POPULAR)))
        for other in self._drawn(rng):
            if len(taken) == OPTIONS:
                break
            taken[other] = None
        options = list(taken)
        rng.shuffle(options)
        return options

    def _drawn(self, rng: random.Random) -> Iterator[int]:
        """Yield the answers to questions drawn at random; in the end all that there are."""
        for _ in range(_TRIES):
            yield self.items[rng.randrange(len(self.items))].answer
        yield from rng.sample(self.popular, len(self.popular))
