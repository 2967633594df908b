"""What is there to see in what one worker wrote in one dialog? Each measure gives a figure, its words, its evidence.

A measure returns None where it does not apply: a share of too few texts, pastes where no evidence is kept.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from collector.lib.text import many
from collector.quality import languages
from collector.quality.rules import Rules
from collector.quality.tokens import Token, is_unspaced, phrases, stems, tokens
from collector.quality.writings import Line, Writing

LEAST_TEXTS = 4
"""Of fewer texts no share is made."""
LEAST_WORDS = 3
"""A text of fewer words may well be written twice: "Yes, it is."."""
LEAST_LANGUAGE = 20
"""Words, or characters, in which a language can be told."""
LEAST_CONTENT = 2
"""Content words from which on two questions are compared."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A piece of a text that is evidence: characters ``start`` to before ``end`` of the text at ``position``."""

    position: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure, what it says in words, and its evidence; no marks where the whole is meant."""

    value: float
    said: str
    marks: tuple[Mark, ...] = ()


class Reading:
    """A writing with its words, worked out once for all measures."""

    def __init__(self, writing: Writing, elsewhere: frozenset[int] = frozenset()) -> None:
        self.writing = writing
        self.language = writing.language
        self.elsewhere = elsewhere
        """The keys of texts that a worker wrote in more than one dialog; see ``key``."""

    @cached_property
    def lines(self) -> list[tuple[Line, list[Token]]]:
        """Questions, or answers, with their words."""
        return [(line, tokens(line.text, self.language)) for line in self.writing.lines]

    @cached_property
    def texts(self) -> list[tuple[Line, list[Token]]]:
        """All texts with their words, the summary last."""
        last = self.writing.summary
        return [*self.lines, (last, tokens(last.text, self.language))] if last else self.lines

    @cached_property
    def script(self) -> "SequenceMatcher[str]":
        """The script's words, ready to be compared with."""
        words = [each.word for each in tokens(self.writing.script, self.language)]
        return SequenceMatcher(None, [], words, autojunk=False)


def key(worker: int | None, words: Iterable[Token]) -> int:
    """Return a number that tells a worker's text from others, the same for the same words; of this process only."""
    return hash((worker, " ".join(each.word for each in words)))


def _whole(line: Line) -> Mark:
    return Mark(line.position, 0, len(line.text))


def _share(found: list[Mark], of: int, noun: str) -> Measured:
    value = 100 * len(found) / of
    return Measured(value, f"{len(found)} of {many(of, noun)}, {value:.0f} %", tuple(found))


def first_words(reading: Reading, listed: tuple[str, ...], noun: str) -> Measured | None:
    """Measure the share of texts whose first word is listed."""
    if len(reading.lines) < LEAST_TEXTS:
        return None
    found = [
        Mark(line.position, words[0].start, words[0].end)
        for line, words in reading.lines
        if words and words[0].word in listed
    ]
    return _share(found, len(reading.lines), noun)


def short(reading: Reading, rules: Rules) -> Measured | None:
    """Measure the share of answers that are short."""
    if len(reading.lines) < LEAST_TEXTS:
        return None
    found = [_whole(line) for line, words in reading.lines if len(words) <= rules.short_words]
    return _share(found, len(reading.lines), "answer")


def short_summary(reading: Reading, rules: Rules) -> Measured | None:
    """Measure the words of the summary."""
    if reading.writing.summary is None:
        return None
    line, words = reading.texts[-1]
    return Measured(len(words), many(len(words), "word"), (_whole(line),))


def repeated(reading: Reading, rules: Rules) -> Measured:
    """Count the texts that have the same words as an earlier one of the dialog."""
    seen: set[int] = set()
    marks = []
    for line, words in reading.texts:
        if len(words) >= LEAST_WORDS:
            its = key(None, words)
            if its in seen:
                marks.append(_whole(line))
            seen.add(its)
    return Measured(len(marks), many(len(marks), "text"), tuple(marks))


def elsewhere(reading: Reading, rules: Rules) -> Measured | None:
    """Measure the share of texts that the worker wrote in another dialog as well."""
    worker = reading.writing.worker
    long = [(line, words) for line, words in reading.texts if len(words) >= LEAST_WORDS]
    if worker is None or (len(long) < LEAST_TEXTS and reading.lines) or not long:
        return None
    return _share([_whole(line) for line, words in long if key(worker, words) in reading.elsewhere], len(long), "text")


def copied(reading: Reading, rules: Rules) -> Measured | None:
    """Measure the longest run of words that stands in the script just so; the longest of each text is marked."""
    if not reading.writing.script:
        return None
    longest, marks = 0, []
    for line, words in reading.texts:
        reading.script.set_seq1([each.word for each in words])
        run = reading.script.find_longest_match()
        longest = max(longest, run.size)
        if run.size >= rules.copied:
            marks.append(Mark(line.position, words[run.a].start, words[run.a + run.size - 1].end))
    return Measured(longest, f"{_counted(reading, longest)} one after the other", tuple(marks))


def _counted(reading: Reading, number: int) -> str:
    return many(number, "character" if is_unspaced(reading.language) else "word")


def redundant(reading: Reading, rules: Rules) -> Measured:
    """Count the questions like an earlier, answered one, by the share of their content words that is in both."""
    stem, function = stems(reading.language), frozenset(rules.function)
    earlier: set[frozenset[str]] = set()
    marks = []
    for line, words in reading.lines:
        content = frozenset(stem(each.word) for each in words if each.word not in function)
        if len(content) < LEAST_CONTENT:
            continue
        if any(100 * len(content & each) >= rules.similar * len(content | each) for each in earlier):
            marks.append(_whole(line))
        earlier.add(content)
    return Measured(len(marks), many(len(marks), "question"), tuple(marks))


def fast(reading: Reading, rules: Rules) -> Measured | None:
    """Measure the share of texts that came sooner than what was read and written takes."""
    timed = [(line, line.seconds, len(words)) for line, words in reading.texts if line.seconds is not None]
    if not timed or (len(timed) < LEAST_TEXTS and reading.lines):
        return None
    found = [
        _whole(line)
        for line, seconds, written in timed
        if seconds < 60 * (len(tokens(line.read, reading.language)) / rules.reading + written / rules.typing)
    ]
    return _share(found, len(timed), "text")


def pasted(reading: Reading, rules: Rules) -> Measured | None:
    """Count the texts into which something long was pasted."""
    seen = [line for line, _ in reading.texts if line.evidence]
    if not seen:
        return None
    found = [(line, max(line.evidence.get("pastes") or [0])) for line in seen]
    marks = tuple(_whole(line) for line, longest in found if longest >= rules.paste)
    longest = max(longest for _, longest in found)
    return Measured(len(marks), f"{many(len(marks), 'text')}, at most {many(longest, 'character')} at once", marks)


def listed(reading: Reading, phrases_wanted: tuple[str, ...]) -> Measured:
    """Count the texts that hold one of the words or phrases."""
    wanted = phrases(phrases_wanted, reading.language)
    marks = [Mark(line.position, *span) for line, words in reading.texts for span in wanted.find(line.text, words)]
    number = len({mark.position for mark in marks})
    return Measured(number, many(number, "text"), tuple(marks))


def profane(reading: Reading, rules: Rules) -> Measured:
    """Count the texts that hold profanity of the study's language."""
    return listed(reading, languages.profane(reading.language, rules.profane, rules.harmless))


def language(reading: Reading, rules: Rules) -> Measured | None:
    """Measure how probable it is that all of the texts together are in the study's language, in percent."""
    if sum(len(words) for _, words in reading.texts) < LEAST_LANGUAGE:
        return None
    found = languages.probability("\n".join(line.text for line, _ in reading.texts), reading.language)
    if found is None:
        return None
    value, likeliest = 100 * found[0], found[1]
    return Measured(value, f"{reading.language} with {value:.0f} %, likeliest {likeliest}")
