"""Where in a text might stand how somebody can be found? A guess, for a person to decide about; never a name.

The kinds are those of the hint that a worker's page gives before a text is sent (static/js/chat/personal.js), and the
same examples are held against both.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

LONG = 7
"""Digits."""
LONGEST_PHONE = 15
"""Digits, country code included (ITU-T E.164)."""
MAIL, WEB, ACCOUNT, PHONE, NUMBER = "e-mail address", "web address", "account name", "phone number", "long number"
KINDS = (MAIL, WEB, ACCOUNT, PHONE, NUMBER)
_SERVICE = "insta(?:gram)?|snap(?:chat)?|telegram|discord|whatsapp|tiktok|skype|wechat|facebook|twitter"
_AT = r"\s{0,3}(?:[([]at[)\]]|\bat\b)\s{0,3}"
_DOT = _AT.replace("at", "dot")
_IS = r"\s{0,3}(?::|=|\bis\b)\s{0,3}"
_TOP = "com|net|org|edu|gov|info|io|gg|ly|app|dev|xyz"
# Repetitions have an upper bound, so that no text takes long to look through.
_LOOKS = [
    (MAIL, r"[^\s@(<,;:]{1,64}@[^\s@]{1,100}\.[^\W\d_]{2,20}"),
    (MAIL, rf"\S{{1,64}}{_AT}[\w-]{{1,63}}{_DOT}(?:com|net|org)\b"),
    (WEB, r"\bhttps?://\S+|\bwww\.[^\W_]\S*"),
    (WEB, rf"(?<![\w.@])(?:(?:[^\W_]|-){{1,63}}\.){{1,4}}(?:(?:{_TOP})(?![^\W_])|[^\W\d_]{{2,6}}/[^\W_]\S*)"),
    (ACCOUNT, r"(?<![\w.%+-])@[\w.]{2,64}"),
    (ACCOUNT, rf"(?<![^\W_])(?:{_SERVICE})(?:\s+(?:name|id|handle|account))?{_IS}\S{{1,64}}"),
    (ACCOUNT, r"[\w.]{2,32}#\d{4}(?!\d)"),
    (PHONE, r"(?<![^\W\d_])(?<![\d.,])\+?\(?\d[\d \u00a0().\/-]{4,40}\d"),
    (NUMBER, rf"\d{{{LONG},}}"),
]  # fmt: skip
_PATTERNS = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _LOOKS]
# What at least one of these patterns needs: most texts hold none of it, and are done with in no time.
_MARKS = ("@", "#", "http", "www", "dot", "insta", "snap", *_SERVICE.split("|")[2:])
_SHAPES = re.compile(r"\d[\d \u00a0().\/-]{4}|\.[^\W_]")
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|(?:19|20)\d{2}[ -]{1,3}(?:19|20)\d{2}")
_AFTER = ".,;:!?)]"
"""What ends a sentence is no part of what was found."""


@dataclass(frozen=True, order=True)
class Found:
    """A part of a text, in code points, and what it looks like."""

    start: int
    end: int
    kind: str


def find(text: str) -> list[Found]:
    """Return all that looks personal, in the order of the text; of two that overlap, the kind that is named first."""
    plain, places = _plain(text)
    lower = plain.lower()
    if not (any(mark in lower for mark in _MARKS) or _SHAPES.search(plain)):
        return []
    found: list[Found] = []
    for kind, start, end in _all(plain):
        one = Found(places[start], places[end - 1] + 1, kind)
        if all(one.end <= other.start or other.end <= one.start for other in found):
            found.append(one)
    return sorted(found)


def _all(plain: str) -> Iterator[tuple[str, int, int]]:
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(plain):
            part = match[0].rstrip(_AFTER)
            if part and (kind != PHONE or _is_phone(part)):
                yield kind, match.start(), match.start() + len(part)


def _plain(text: str) -> tuple[str, list[int] | range]:
    """Return the text with wide and other shapes of letters made plain, and where each of its letters stood."""
    if text.isascii():
        return text, range(len(text))
    letters = [(letter, place) for place, c in enumerate(text) for letter in unicodedata.normalize("NFKC", c)]
    return "".join(letter for letter, _ in letters), [place for _, place in letters]


def _is_phone(part: str) -> bool:
    """Counted things, dates and years are no phone numbers; an unbroken number is one only with a plus."""
    if _DATE.fullmatch(part):
        return False
    groups = re.findall(r"\d+", part)
    size = sum(map(len, groups))
    is_grouped = len(groups) > 1 and all(len(group) > 1 for group in groups[1:])
    is_marked = part[0] in "+(0" or any(len(group) > 2 for group in groups)
    return LONG <= size <= LONGEST_PHONE and is_marked and (is_grouped or part[0] == "+")
