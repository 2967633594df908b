"""Which questions are nearest to a question? By the vectors of the AVSD paper (section 4), exactly, in batches.

A question's vector is those of its first three words, one after the other, and the mean of those of all further words.
A word that is not there, or has no vector, counts as zeros. Questions of the same words in the first three places and
the same further words in any order have the same vector: they are one *kind*, and only kinds are compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collector.exports.vectors import WordVectors

FIRST = 3
BATCH_NUMBERS = 16_000_000
"""Distances held at once: 64 MB of float32."""
_EPSILON = float(np.finfo(np.float32).eps)


@dataclass
class Kinds:
    """The kinds of a list of questions."""

    vectors: NDArray[np.float32]
    """One row a kind."""
    of: list[int]
    """The kind of each question."""
    members: list[list[int]]
    """The questions of each kind, in order."""
    short: int
    """Questions of three words or fewer, which have zeros for what is not there."""
    unknown: int
    """Words, each time they stand in a question, that have no vector."""


def kinds(questions: Sequence[Sequence[str]], words: WordVectors) -> Kinds:
    """Sort ``questions``, each a list of words, into kinds."""
    keys: dict[tuple[int, ...], int] = {}
    of: list[int] = []
    members: list[list[int]] = []
    for number, question in enumerate(questions):
        rows = [words.rows.get(word, -1) for word in question]
        first = rows[:FIRST] + [-1] * (FIRST - len(rows))
        kind = keys.setdefault((*first, *sorted(rows[FIRST:])), len(keys))
        of.append(kind)
        if kind == len(members):
            members.append([])
        members[kind].append(number)
    return Kinds(
        vectors=_vectors(list(keys), words),
        of=of,
        members=members,
        short=sum(len(question) <= FIRST for question in questions),
        unknown=sum(word not in words.rows for question in questions for word in question),
    )


def _vectors(keys: Sequence[tuple[int, ...]], words: WordVectors) -> NDArray[np.float32]:
    table = np.vstack([words.table, np.zeros((1, words.size), dtype=np.float32)])  # row -1: no word
    made = np.zeros((len(keys), (FIRST + 1) * words.size), dtype=np.float32)
    for row, key in zip(made, keys, strict=True):
        row[: FIRST * words.size] = table[list(key[:FIRST])].ravel()
        if len(key) > FIRST:
            row[FIRST * words.size :] = table[list(key[FIRST:])].mean(axis=0)
    return made


def nearest(vectors: NDArray[np.float32], wanted: Sequence[int], number: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield each of the rows ``wanted`` with its ``number`` nearest rows (or all), itself among them.

    Nearest first by Euclidean distance, to nine decimals of its square; then the lower row. Products in single
    precision only sort out who cannot be among them, with room for all their rounding; the rest is measured in double.
    """
    squares = np.einsum("ij,ij->i", vectors, vectors)
    number = min(number, len(vectors))
    # The rounding of a product of n terms is below n * epsilon * |a| * |b|, and |a| * |b| <= (a² + b²) / 2.
    doubt = np.float32(4 * vectors.shape[1] * _EPSILON) * squares
    batch = max(1, BATCH_NUMBERS // len(vectors))
    for start in range(0, len(wanted), batch):
        rows = np.asarray(wanted[start : start + batch])
        distances = vectors[rows] @ vectors.T
        distances *= -2
        distances += squares + doubt  # the most it can be, but for what is the same in all of a row
        limits = np.partition(distances, number - 1, axis=1)[:, number - 1] + 2 * doubt[rows]
        distances -= 2 * doubt  # the least it can be
        for row, near, limit in zip(rows, distances, limits, strict=True):
            yield int(row), _measured(vectors, int(row), np.flatnonzero(near <= limit), number)


def _measured(vectors: NDArray[np.float32], row: int, near: NDArray[np.intp], number: int) -> NDArray[np.intp]:
    apart = vectors[near].astype(np.float64) - vectors[row]
    squares = np.round(np.einsum("ij,ij->i", apart, apart), 9)
    return near[np.lexsort((near, squares))[:number]]
