"""Which numbers stand for a word? Those of a file in GloVe's format, or ones made from the collection itself.

Made from the collection: how often two words stand within five words of each other, as positive pointwise mutual
information, reduced by a singular value decomposition (Levy, Goldberg and Dagan 2015, "Improving Distributional
Similarity with Lessons Learned from Word Embeddings": contexts to the power of 0.75, singular values to that of 0.5).
"""

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.linalg import svds

WINDOW = 5
SIZE = 100
MOST_WORDS = 20_000
_SMOOTHING = 0.75

Vector = NDArray[np.float32]


class CannotRead(Exception):
    """The file of word vectors cannot be used; the message is a sentence for the researcher."""


@dataclass(frozen=True)
class WordVectors:
    """A row of ``table`` (float32) for each word of ``rows``; ``origin`` says in words where they come from."""

    rows: dict[str, int]
    table: NDArray[np.float32]
    origin: str

    @property
    def size(self) -> int:
        """How many numbers stand for a word."""
        return int(self.table.shape[1])


def read(path: Path, wanted: Set[str]) -> WordVectors:
    """Return the vectors of the ``wanted`` words from a file with a word and its numbers on each line.

    Raises CannotRead for a file that is not there or not such a file.
    """
    rows: dict[str, int] = {}
    found: list[Vector] = []
    try:
        with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            size = _size(path, file.readline())
            file.seek(0)
            for number, line in enumerate(file, start=1):
                # The word may hold spaces, so the numbers are counted from the end.
                word = line.split(" ", 1)[0]
                if word in wanted and word not in rows and line.count(" ") == size:
                    rows[word] = len(found)
                    found.append(_numbers(path, number, line, size))
    except OSError as error:
        raise CannotRead(f"{path} cannot be read: {error.strerror or error}. Give --vectors another file.") from error
    table = np.array(found, dtype=np.float32).reshape(len(found), size)
    return WordVectors(rows, table, f"the file {path.name}, {size} numbers a word")


def _size(path: Path, first: str) -> int:
    parts = first.split()
    if len(parts) == 2 and all(part.isdigit() for part in parts):  # the head of word2vec's text format
        return int(parts[1])
    size = len(parts) - 1
    if size < 1:
        raise CannotRead(f"{path}, line 1: a word and its numbers are expected, with spaces between them.")
    _numbers(path, 1, first, size)
    return size


def _numbers(path: Path, line_number: int, line: str, size: int) -> Vector:
    try:
        numbers = np.array(line.split()[-size:], dtype=np.float32)
    except ValueError:
        numbers = np.array([np.nan], dtype=np.float32)
    if not np.isfinite(numbers).all():
        raise CannotRead(f"{path}, line {line_number}: after the word, only numbers are expected.")
    return numbers


def make(texts: Sequence[Sequence[str]]) -> WordVectors:
    """Return vectors made from ``texts`` (each a list of words) for their most frequent words."""
    counts = Counter(word for text in texts for word in text)
    words = sorted(counts, key=lambda word: (-counts[word], word))[:MOST_WORDS]
    rows = {word: row for row, word in enumerate(words)}
    size = min(SIZE, len(words) - 1)
    if size < 1:
        return WordVectors({}, np.zeros((0, 1), dtype=np.float32), _made(1))
    left, values, _ = svds(_information(texts, rows), k=size, v0=np.ones(len(words)))
    return WordVectors(rows, (left * np.sqrt(values)).astype(np.float32), _made(size))


def _made(size: int) -> str:
    return (
        f"made from the questions and answers of this collection: positive pointwise mutual information within "
        f"{WINDOW} words, reduced by singular value decomposition to {size} numbers a word"
    )


def _information(texts: Iterable[Sequence[str]], rows: dict[str, int]) -> Any:
    """Return the sparse matrix of positive pointwise mutual information between words and contexts."""
    together = _together(texts, rows)
    word = together.sum(axis=1)
    context = together.sum(axis=0) ** _SMOOTHING
    information = together.tocoo()
    here, there = information.coords
    information.data = np.log(information.data * context.sum() / (word[here] * context[there]))
    information.data = np.maximum(information.data, 0)
    return information.tocsr()


def _together(texts: Iterable[Sequence[str]], rows: dict[str, int]) -> Any:
    """Return the sparse matrix of how often two words stand within WINDOW words, both ways."""
    # One long line of all texts, with gaps wider than the window between them: then it takes a few array operations.
    gap = [-1] * WINDOW
    line = np.array([row for text in texts for row in (*(rows.get(word, -1) for word in text), *gap)], dtype=np.int32)
    total = coo_array((len(rows), len(rows)), dtype=np.float64).tocsr()
    for distance in range(1, WINDOW + 1):
        first, second = line[:-distance], line[distance:]
        both = (first >= 0) & (second >= 0)
        pairs = coo_array((np.ones(both.sum()), (first[both], second[both])), shape=total.shape).tocsr()
        total = total + pairs + pairs.T
    return total
