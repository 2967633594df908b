"""What is a question about? The ways in which a word can fit one of the word lists, which are in ``lib.words``.

Words are those of ``lib.words``, with which the published shares come out; lengths are counted in another way, see
``measures``.
"""

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import snowballstemmer

from collector.lib.words import PAPER, BadWords, WordLists, word_lists

_stem: Callable[[str], str] = lru_cache(2**16)(snowballstemmer.stemmer("porter").stemWord)


def read_lists(path: Path | None = None) -> WordLists:
    """Return the paper's lists, with those that the TOML file ``path`` names in their place. Raises BadWords."""
    return word_lists(_read(path), f"{path}: ") if path else PAPER


def _read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadWords(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadWords(f"{path} is not TOML: {error}.") from error


@dataclass(frozen=True)
class Probe:
    """One way to tell whether a question is about something: its lists, and how a word must fit a word of them."""

    key: str
    lists: tuple[str, ...]
    how: str

    def fits(self, word: str, lists: WordLists) -> bool:
        """Tell whether ``word`` fits one of the listed words."""
        listed = [each for name in self.lists for each in getattr(lists, name)]
        return any(_FITS[self.how](word, each) for each in listed)


_FITS: dict[str, Callable[[str, str], bool]] = {
    "exact": lambda word, listed: word == listed,
    "stem": lambda word, listed: _stem(word) == _stem(listed),
    "prefix": lambda word, listed: word.startswith(listed),
    "substring": lambda word, listed: listed in word,
}
HOW = {
    "exact": "a word is one of",
    "stem": "a word has the Porter stem of one of",
    "prefix": "a word begins with one of",
    "substring": "a word contains one of",
}
PROBES = (
    Probe("audio, exact", ("audio",), "exact"),
    Probe("audio, stem", ("audio",), "stem"),
    Probe("audio, prefix", ("audio",), "prefix"),
    Probe("audio, substring", ("audio",), "substring"),
    Probe("temporal, exact", ("temporal",), "exact"),
    Probe("temporal, prefix", ("temporal",), "prefix"),
    Probe("temporal and next, prefix", ("temporal", "next"), "prefix"),
    Probe("co-reference, exact", ("coreference",), "exact"),
)


class Probed(dict[str, int]):
    """For each word one bit a probe, set where it fits; worked out once a word."""

    def __init__(self, lists: WordLists) -> None:
        super().__init__()
        self._lists = lists

    def __missing__(self, word: str) -> int:
        """Work out the bits of a word."""
        bits = sum(1 << place for place, probe in enumerate(PROBES) if probe.fits(word, self._lists))
        self[word] = bits
        return bits

    def any_of(self, words: Iterable[str]) -> int:
        """Return the probes that some of ``words`` fits."""
        found = 0
        for word in words:
            found |= self[word]
        return found
