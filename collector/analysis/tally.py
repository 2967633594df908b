"""What is counted while dialogs go by? Whole numbers for each dialog, and of the texts no more than figures need.

A dialog leaves one row of numbers, from which shares, means and their intervals are made; of a text only its hash and
its length stay, which tell how many are distinct. So memory grows by some hundred bytes a dialog, and with the words
and first words that are new.
"""

from array import array
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from collector.analysis.conversations import Conversation
from collector.analysis.probes import PROBES, Probed
from collector.lib.text import count_words
from collector.lib.words import WordLists, words_of

OPENING = 4
"""Words of the longest first n-gram that is counted, as in the paper's Figure 5."""
_PLAIN = (
    "dialogs", "pairs", "questions", "answers", "summaries",
    "question tokens", "answer tokens", "summary tokens", "question words", "answer words",
    "yes", "no", "bare",
)  # fmt: skip
COLUMNS = (*_PLAIN, *(f"questions: {p.key}" for p in PROBES), *(f"dialogs: {p.key}" for p in PROBES))
"""What a dialog's row holds, in this order; all are counts."""
_AT = {name: place for place, name in enumerate(COLUMNS)}
_QUESTIONS, _DIALOGS = len(_PLAIN), len(_PLAIN) + len(PROBES)


class Side:
    """What is counted of all questions, or of all answers."""

    def __init__(self) -> None:
        self.lengths: Counter[int] = Counter()
        """How many texts have so many tokens."""
        self.vocabulary: Counter[str] = Counter()
        self.openings: Counter[str] = Counter()
        """How many texts begin with these words, a space between them: four, or as many as there are."""
        self._hashes, self._lengths = array("q"), array("L")

    def add(self, text: str, found: list[str]) -> int:
        """Count a text with its words; return its tokens."""
        length = len(text.split())
        self.lengths[length] += 1
        self.vocabulary.update(found)
        self.openings[" ".join(found[:OPENING])] += 1
        self._hashes.append(hash(text))
        self._lengths.append(length)
        return length

    def distinct(self) -> tuple[int, int]:
        """Return how many texts are distinct, and how many tokens those have together."""
        _, first = np.unique(np.frombuffer(self._hashes, dtype=np.int64), return_index=True)
        return len(first), int(np.frombuffer(self._lengths, dtype=f"u{self._lengths.itemsize}")[first].sum())


class RoundTally:
    """What is counted of all first rounds, of all second rounds, and so on."""

    def __init__(self) -> None:
        self.questions = self.answers = self.question_tokens = self.answer_tokens = 0
        self.probes = [0] * len(PROBES)
        """Questions that fit each probe."""


class Tally:
    """What is counted of a collection, by the name it has in tables."""

    def __init__(self, name: str, lists: WordLists, dialogs_of_workers: Iterable[int] = ()) -> None:
        self.name, self.lists = name, lists
        self.videos: set[str] = set()
        self.questions, self.answers = Side(), Side()
        self.rounds: list[RoundTally] = []
        self.dialogs_of_workers = list(dialogs_of_workers)
        """Dialogs of each worker; empty where it is not known."""
        self._rows = array("q")
        self._probed = Probed(lists)
        self._yes, self._no = frozenset(lists.yes), frozenset(lists.no)

    def add(self, conversation: Conversation) -> None:
        """Count one dialog."""
        self.videos.add(conversation.video)
        row = [0] * len(COLUMNS)
        row[_AT["dialogs"]] = 1
        bits = 0
        for place, (question, answer) in enumerate(conversation.rounds):
            if place == len(self.rounds):
                self.rounds.append(RoundTally())
            bits |= self._add_question(question, row, self.rounds[place])
            if answer is not None:
                self._add_answer(answer, row, self.rounds[place])
        for place in range(len(PROBES)):
            row[_DIALOGS + place] = bits >> place & 1
        if conversation.summary and conversation.summary.strip():
            row[_AT["summaries"]] = 1
            row[_AT["summary tokens"]] = len(conversation.summary.split())
        self._rows.extend(row)

    def rows(self) -> NDArray[np.int64]:
        """Return (dialogs, COLUMNS)."""
        return np.frombuffer(self._rows, dtype=np.int64).reshape(-1, len(COLUMNS))

    def _add_question(self, text: str, row: list[int], of_round: RoundTally) -> int:
        found = words_of(text)
        length = self.questions.add(text, found)
        bits = self._probed.any_of(found)
        row[_AT["questions"]] += 1
        row[_AT["question tokens"]] += length
        row[_AT["question words"]] += count_words(text, "en")
        of_round.questions += 1
        of_round.question_tokens += length
        if bits:
            for place in range(len(PROBES)):
                fits = bits >> place & 1
                row[_QUESTIONS + place] += fits
                of_round.probes[place] += fits
        return bits

    def _add_answer(self, text: str, row: list[int], of_round: RoundTally) -> None:
        found = words_of(text)
        length = self.answers.add(text, found)
        row[_AT["answers"]] += 1
        row[_AT["pairs"]] += 1
        row[_AT["answer tokens"]] += length
        row[_AT["answer words"]] += count_words(text, "en")
        of_round.answers += 1
        of_round.answer_tokens += length
        if found and (found[0] in self._yes or found[0] in self._no):
            row[_AT["yes" if found[0] in self._yes else "no"]] += 1
            row[_AT["bare"]] += len(found) == 1
