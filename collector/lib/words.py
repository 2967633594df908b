"""Which words tell what a question is about? The lists of the AVSD paper, and what it is to hold one of them."""

import re
from collections.abc import Set

AUDIO = frozenset({"talk", "hear", "sound", "audio", "music", "noise"})
"""Audio-related questions; AVSD, section 6, Table 5."""
TEMPORAL = frozenset({"after", "before", "beginning", "then", "end", "start"})
"""Temporal questions; AVSD, section 6, Table 5."""
COREFERENCE = frozenset({"he", "she", "they", "it", "him", "her", "them"})
"""Words that point back; the list that gives the share of the paper's section 6, 55 %, on its own data."""

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """Return the words of ``text`` in lower case: what stands between anything but letters and digits."""
    return _WORD.findall(text.lower())


def holds(text: str, words: Set[str]) -> bool:
    """Tell whether a word of ``text`` is one of ``words``; "talking" is not "talk"."""
    return not words.isdisjoint(words_of(text))
