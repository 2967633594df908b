"""Which words tell what a question is about? The lists of the AVSD paper, or a study's own in their place.

And what it is to hold one of them: words of any script, in lower case.
"""

import re
from collections.abc import Mapping, Set

import msgspec

AUDIO = frozenset({"talk", "hear", "sound", "audio", "music", "noise"})
"""Audio-related questions; AVSD, section 6, Table 5."""
TEMPORAL = frozenset({"after", "before", "beginning", "then", "end", "start"})
"""Temporal questions; AVSD, section 6, Table 5."""
COREFERENCE = frozenset({"he", "she", "they", "it", "him", "her", "them"})
"""Words that point back; the list that gives the share of the paper's section 6, 55 %, on its own data."""

MOST = 200
"""Words that a list holds at most; each is compared with every word of a collection."""

_WORD = re.compile(r"[^\W_]+")


class BadWords(ValueError):
    """The lists cannot be used; the message is a sentence that says which word of which list, and why."""


class WordLists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lists by name; each word in lower case."""

    audio: tuple[str, ...] = tuple(sorted(AUDIO))
    temporal: tuple[str, ...] = tuple(sorted(TEMPORAL))
    next: tuple[str, ...] = ("next", "happen")
    """With the temporal words as beginnings of words, these give "what happened next" (AVSD, section 3.2)."""
    coreference: tuple[str, ...] = tuple(sorted(COREFERENCE))
    yes: tuple[str, ...] = ("yes", "yeah", "yep")
    no: tuple[str, ...] = ("no", "nope", "nah")

    @property
    def own(self) -> dict[str, tuple[str, ...]]:
        """Return the lists that are not the paper's, by name."""
        every = {name: getattr(self, name) for name in LISTS}
        return {name: words for name, words in every.items() if words != getattr(PAPER, name)}

    @property
    def in_words(self) -> str:
        """Say which lists are not the paper's."""
        if not self.own:
            return "All word lists are those of the AVSD paper."
        return f"Word lists that are not those of the AVSD paper: {', '.join(self.own)}."


LISTS = WordLists.__struct_fields__
PAPER = WordLists()


def word_lists(own: Mapping[str, object], where: str = "") -> WordLists:
    """Return the paper's lists with ``own`` in the place of those it names. Raises BadWords, ``where`` before it."""
    try:
        found = msgspec.convert(own, WordLists)
    except msgspec.ValidationError as error:
        raise BadWords(f"{where}{error}. The lists are {', '.join(LISTS)}.") from error
    for name in LISTS:
        _check(name, getattr(found, name), where)
    return found


def _check(name: str, words: tuple[str, ...], where: str) -> None:
    if len(words) > MOST:
        raise BadWords(f"{where}The list {name!r} has {len(words)} words; at most {MOST} are expected.")
    for word in words:
        if words_of(word) != [word]:
            raise BadWords(f"{where}{word!r} in the list {name!r} is not one word in lower case.")


def words_of(text: str) -> list[str]:
    """Return the words of ``text`` in lower case: what stands between anything but letters and digits."""
    return _WORD.findall(text.lower())


def holds(text: str, words: Set[str]) -> bool:
    """Tell whether a word of ``text`` is one of ``words``; "talking" is not "talk"."""
    return not words.isdisjoint(words_of(text))
