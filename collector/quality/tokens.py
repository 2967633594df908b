"""Where are the words of a text? With their places in it, so that evidence can be marked."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer

from collector.lib.text import UNSPACED_LANGUAGES
from collector.quality import languages

_WORD = re.compile(r"[^\W_]+")
_SIGN = re.compile(r"[^\W_]")


class Token(NamedTuple):
    """A word in lower case, and where it stands: characters ``start`` to before ``end``."""

    word: str
    start: int
    end: int


def tokens(text: str, language: str) -> list[Token]:
    """Return the words of ``text``, or its letters and digits where the language has no spaces between words."""
    pattern = _SIGN if is_unspaced(language) else _WORD
    return [Token(each.group().lower(), each.start(), each.end()) for each in pattern.finditer(text)]


def is_unspaced(language: str) -> bool:
    """Tell whether the language is written without spaces, so that characters stand for words."""
    return languages.primary(language) in UNSPACED_LANGUAGES


@lru_cache(maxsize=64)
def stems(language: str) -> Callable[[str], str]:
    """Return what takes a word to its stem; the word itself where no stemmer for the language is at hand."""
    name = languages.name(language)
    if name not in snowballstemmer.algorithms():
        return lambda word: word
    found: Callable[[str], str] = lru_cache(maxsize=50_000)(snowballstemmer.stemmer(name).stemWord)
    return found


class Phrases:
    """Words and phrases to be found in texts as whole words; one in capitals is found in capitals only."""

    def __init__(self, phrases: tuple[str, ...], language: str) -> None:
        begins = {each: next(iter(tokens(each, language)), None) for each in phrases}
        plain = {each: word.word for each, word in begins.items() if word and word.start == 0}
        self._firsts = frozenset(plain.values())
        self._plain = _pattern(list(plain), language)
        self._others = _pattern([each for each in phrases if each not in plain], language)

    def find(self, text: str, words: Iterable[Token]) -> Iterator[tuple[int, int]]:
        """Yield where they stand in a text of these words: characters from the first to before the second.

        To try thousands of phrases at every character is slow: most begin with a word, and are tried where it stands.
        """
        end = 0
        for word in words:
            if word.start >= end and word.word in self._firsts and (found := self._plain.match(text, word.start)):
                end = found.end()
                yield found.span()
        yield from (each.span() for each in self._others.finditer(text))


def _pattern(phrases: list[str], language: str) -> re.Pattern[str]:
    capitals = [each for each in phrases if each.upper() == each != each.lower()]
    others = [each for each in phrases if each not in capitals]
    either = [rf"(?{flag}:{'|'.join(map(_escaped, _longest_first(group)))})"
              for flag, group in (("-i", capitals), ("i", others)) if group]  # fmt: skip
    bounds = ("", "") if is_unspaced(language) else (r"(?<!\w)", r"(?!\w)")
    return re.compile(f"{bounds[0]}(?:{'|'.join(either) or '(?!)'}){bounds[1]}")


@lru_cache(maxsize=64)
def phrases(listed: tuple[str, ...], language: str) -> Phrases:
    """Return the phrases of a list, made once."""
    return Phrases(listed, language)


def _longest_first(listed: list[str]) -> list[str]:
    return sorted(listed, key=len, reverse=True)


def _escaped(phrase: str) -> str:
    return r"\s+".join(map(re.escape, phrase.split()))
