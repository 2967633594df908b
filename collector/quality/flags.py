"""Which flags are there, what is each, and who has which? A flag is something to look at, and decides nothing."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from collector.quality import measuring
from collector.quality.measuring import Measured, Reading
from collector.quality.rules import Rules
from collector.quality.tokens import tokens
from collector.quality.writings import WATCHER, Rows, Writing, read

QUESTIONER, ANSWERER = "questioner", "answerer"
WRITERS = (QUESTIONER, WATCHER)
EVERYBODY = (QUESTIONER, ANSWERER, WATCHER)


@dataclass(frozen=True)
class Flag:
    """A flag's key (and threshold's name in the rules), its name, whose texts it is about, and what exactly it is."""

    key: str
    name: str
    roles: tuple[str, ...]
    what: str
    unit: str
    measure: Callable[[Reading, Rules], Measured | None]
    is_high: bool = True
    """Flagged from the threshold on; else below it, or for a length up to it."""

    def definition(self, rules: Rules) -> str:
        """Return what the flag means under these rules."""
        return self.what.format(rules=rules)

    def applies(self, value: float, rules: Rules) -> bool:
        """Tell whether a figure is flagged."""
        threshold: int = getattr(rules, self.key)
        if self.is_high:
            return value >= threshold
        return value <= threshold if self.unit == "words" else value < threshold


FLAGS = (
    Flag(
        "yes_no_questions", "Questions for yes or no", (QUESTIONER,),
        "{rules.yes_no_questions} % or more of the questions open with an auxiliary verb, such as is or does.",
        "%", lambda reading, rules: measuring.first_words(reading, rules.asking, "question"),
    ),
    Flag(
        "yes_no_answers", "Answers yes or no", (ANSWERER,),
        "{rules.yes_no_answers} % or more of the answers open with yes or no.",
        "%", lambda reading, rules: measuring.first_words(reading, rules.yes_no, "answer"),
    ),
    Flag(
        "short", "Short answers", (ANSWERER,),
        "{rules.short} % or more of the answers have {rules.short_words} words or fewer.", "%", measuring.short,
    ),
    Flag(
        "short_summary", "Short summary", WRITERS, "The summary has {rules.short_summary} words or fewer.",
        "words", measuring.short_summary, is_high=False,
    ),
    Flag(
        "repeated", "Repeated", (QUESTIONER, ANSWERER),
        "{rules.repeated} or more texts have the same words, three at least, as an earlier text of the same worker "
        "in the dialog.", "texts", measuring.repeated,
    ),
    Flag(
        "elsewhere", "Written elsewhere as well", EVERYBODY,
        "{rules.elsewhere} % or more of the texts, of three words at least, stand word for word in another dialog, or "
        "summary, of the same worker.", "%", measuring.elsewhere,
    ),
    Flag(
        "copied", "Copied from the script", (ANSWERER, WATCHER),
        "{rules.copied} or more words of a text stand in the script just so, one after the other.",
        "words", measuring.copied,
    ),
    Flag(
        "redundant", "Redundant questions", (QUESTIONER,),
        "{rules.redundant} or more questions were answered already: of the content words of the question and of an "
        "earlier one, {rules.similar} % or more are in both.", "questions", measuring.redundant,
    ),
    Flag(
        "fast", "Too fast", EVERYBODY,
        "{rules.fast} % or more of the texts came sooner than it takes to read what stood before at {rules.reading} "
        "words a minute and to type the text at {rules.typing}.", "%", measuring.fast,
    ),
    Flag(
        "pasted", "Pasted", EVERYBODY,
        "{rules.pasted} or more texts with {rules.paste} or more characters pasted at once.", "texts", measuring.pasted,
    ),
    Flag(
        "chatter", "Off-task chatter", EVERYBODY,
        "{rules.chatter} or more texts with a word about the work itself, or of courtesy, such as bonus, HIT, thanks.",
        "texts", lambda reading, rules: measuring.listed(reading, rules.chatting),
    ),
    Flag(
        "language", "Another language", EVERYBODY,
        "All texts of the worker in the dialog, 20 words at least, are in the study's language with a probability "
        "under {rules.language} %.", "%", measuring.language, is_high=False,
    ),
    Flag(
        "profanity", "Profanity", EVERYBODY, "{rules.profanity} or more texts with a listed word.",
        "texts", measuring.profane,
    ),
)  # fmt: skip
BY_KEY = {flag.key: flag for flag in FLAGS}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a measure gave, and whether the flag is set."""

    flag: Flag
    measured: Measured
    is_set: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """What there is to see in one writing."""

    writing: Writing
    findings: tuple[Finding, ...]
    """Of every measure that applies."""

    @property
    def set(self) -> list[Finding]:
        """Return the flags that are set."""
        return [each for each in self.findings if each.is_set]


def look(rows: Rows, rules: Rules, among: Rows | None = None) -> Iterator[Looked]:
    """Return what there is to see in every writing of ``rows``; what workers repeat is sought in ``among``, else there.

    It reads twice: once for what is repeated, of which it keeps eight bytes a text.
    """
    repeats = _repeats(read(rows if among is None else among))
    return (_look(writing, rules, repeats) for group in read(rows) for writing in group)


def look_at(groups: Sequence[list[Writing]], rules: Rules) -> Iterator[Looked]:
    """Return what there is to see in writings that have been read; what workers repeat is sought in them."""
    repeats = _repeats(groups)
    return (_look(writing, rules, repeats) for group in groups for writing in group)


def _look(writing: Writing, rules: Rules, repeats: frozenset[int]) -> Looked:
    reading = Reading(writing, repeats)
    measured = ((flag, flag.measure(reading, rules)) for flag in FLAGS if writing.role in flag.roles)
    findings = tuple(Finding(flag, each, flag.applies(each.value, rules)) for flag, each in measured if each)
    return Looked(writing, findings)


def _repeats(groups: Iterable[list[Writing]]) -> frozenset[int]:
    """Return the keys of the texts that a worker wrote in more than one dialog."""
    keys = np.fromiter(_keys(groups), dtype=np.int64)
    found, times = np.unique(keys, return_counts=True)
    return frozenset(found[times > 1].tolist())


def _keys(groups: Iterable[list[Writing]]) -> Iterator[int]:
    for group in groups:
        for writing in group:
            if writing.worker is not None:
                yield from {
                    measuring.key(writing.worker, tokens(each.text, writing.language)) for each in writing.texts
                }
