"""From where on is something flagged? The thresholds with their bounds, and the word lists, all for a study to change.

Defaults are where a person who reads dialogs begins to wonder, chosen to flag few of ordinary ones; none is published.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from collector.lib.words import PAPER
from collector.quality import wordlists


class BadRules(ValueError):
    """A value cannot be used; the message is a sentence that says which and why."""


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The thresholds, whole numbers in the units of ``THRESHOLDS``, and the word lists."""

    yes_no_questions: int = 90
    yes_no_answers: int = 80
    short: int = 50
    short_words: int = 5
    short_summary: int = 12
    repeated: int = 2
    elsewhere: int = 50
    copied: int = 8
    redundant: int = 2
    similar: int = 75
    fast: int = 50
    reading: int = 400
    typing: int = 100
    pasted: int = 1
    paste: int = 20
    chatter: int = 1
    language: int = 50
    profanity: int = 1
    worker: int = 50
    yes_no: tuple[str, ...] = (*PAPER.yes, *PAPER.no)
    """The study's lists for its statistics; not kept here."""
    asking: tuple[str, ...] = wordlists.ASKING
    chatting: tuple[str, ...] = wordlists.CHATTING
    function: tuple[str, ...] = wordlists.FUNCTION
    profane: tuple[str, ...] = ()
    harmless: tuple[str, ...] = wordlists.HARMLESS

    def changes(self) -> dict[str, Any]:
        """Return the values to keep: those that differ from the defaults."""
        own, default = msgspec.to_builtins(self), msgspec.to_builtins(Rules())
        return {name: own[name] for name in (*THRESHOLDS, *LISTS) if own[name] != default[name]}


@dataclass(frozen=True)
class Threshold:
    """How a threshold is asked for: its label, its bounds and its unit."""

    label: str
    least: int
    most: int
    unit: str


THRESHOLDS = {
    "yes_no_questions": Threshold("Questions that ask for yes or no, from", 1, 100, "%"),
    "yes_no_answers": Threshold("Answers that open with yes or no, from", 1, 100, "%"),
    "short_words": Threshold("An answer is short up to", 0, 100, "words"),
    "short": Threshold("Short answers, from", 1, 100, "%"),
    "short_summary": Threshold("A summary is short up to", 0, 500, "words"),
    "repeated": Threshold("Repeated within a dialog, from", 1, 100, "texts"),
    "elsewhere": Threshold("Written in another dialog as well, from", 1, 100, "%"),
    "copied": Threshold("As in the script one after the other, from", 2, 500, "words"),
    "similar": Threshold("A question is like an earlier one, from", 30, 100, "% of content words"),
    "redundant": Threshold("Redundant questions, from", 1, 100, "questions"),
    "reading": Threshold("Nobody reads more than", 100, 2000, "words a minute"),
    "typing": Threshold("Nobody types more than", 20, 500, "words a minute"),
    "fast": Threshold("Texts faster than that, from", 1, 100, "%"),
    "paste": Threshold("A paste counts from", 1, 5000, "characters"),
    "pasted": Threshold("Texts with a paste, from", 1, 100, "texts"),
    "chatter": Threshold("Texts with off-task chatter, from", 1, 100, "texts"),
    "language": Threshold("Probability of the study's language, below", 1, 99, "%"),
    "profanity": Threshold("Texts with profanity, from", 1, 100, "texts"),
    "worker": Threshold("A worker is flagged when the dialogs with that flag are, from", 1, 100, "% of theirs"),
}
LISTS = {
    "asking": "First words of a question that asks for yes or no",
    "chatting": "Off-task chatter; a word in capitals is meant in capitals only",
    "function": "Words that say nothing of what a question is about",
    "profane": "Profanity, more than the library's list",
    "harmless": "Not profanity here, though the library lists it",
}
MOST_PHRASES, LONGEST_PHRASE = 1000, 60


def from_stored(values: dict[str, Any]) -> Rules:
    """Return the rules of which ``values`` are kept; what is not among them is as by default."""
    return msgspec.convert(values, Rules)


def checked(rules: Rules) -> Rules:
    """Return the rules when every value is within its bounds. Raises BadRules."""
    for name, each in THRESHOLDS.items():
        value = getattr(rules, name)
        if not each.least <= value <= each.most:
            raise BadRules(f"{each.label}: {value} is not between {each.least} and {each.most} {each.unit}.")
    for name, label in LISTS.items():
        _check_list(label, getattr(rules, name))
    return rules


def _check_list(label: str, phrases: tuple[str, ...]) -> None:
    if len(phrases) > MOST_PHRASES:
        raise BadRules(f"{label}: {len(phrases)} lines are too many; {MOST_PHRASES} is the most.")
    for phrase in phrases:
        if len(phrase) > LONGEST_PHRASE:
            raise BadRules(f"{label}: {phrase[:20]!r}… is too long; write one word or phrase a line.")
        if not any(c.isalnum() for c in phrase):
            raise BadRules(f"{label}: {phrase!r} holds no letter and no digit.")
