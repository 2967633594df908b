"""What did a worker type, and how long is it? One definition for page, server and export.

Lengths are counted in code points after NFC; a word is a token with a letter or a digit.
"""

import re
import unicodedata
from decimal import Decimal

MAX_NEWLINES = 5
_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029\u0085\v\f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Whitespace-separated tokens; a token is a word when it holds a letter, mark or digit.
_TOKEN = re.compile(r"\S+")
UNSPACED_LANGUAGES = frozenset({"zh", "ja", "th", "lo", "km", "my"})
"""Languages written without spaces between words: their limits count characters, not words."""
QUESTION_MARKS = ("?", "？", "؟")


class UnstorableText(ValueError):
    """The text holds a NUL or a lone surrogate, which no database stores."""


def clean(text: str) -> str:
    """Return ``text`` as it is stored: NFC, trimmed, without control characters, line ends as ``\\n``.

    At most five line ends are kept; later ones become spaces. Joiners and direction marks stay, since emoji and
    right-to-left scripts need them. Raises UnstorableText for NUL and lone surrogates.
    """
    if "\x00" in text or _SURROGATE.search(text):
        raise UnstorableText
    if not text.isprintable():
        text = _LINE_ENDS.sub("\n", text)
        text = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")
    lines = unicodedata.normalize("NFC", text).strip().split("\n")
    kept, rest = lines[: MAX_NEWLINES + 1], lines[MAX_NEWLINES + 1 :]
    return " ".join(["\n".join(kept), *rest])


def count_words(text: str, language: str) -> int:
    """Return how many words ``text`` has, or how many letters and digits in a language without spaces."""
    if language.split("-")[0] in UNSPACED_LANGUAGES:
        return sum(1 for c in text if c.isalnum())
    return sum(1 for token in _TOKEN.findall(text) if token[0].isalnum() or any(c.isalnum() for c in token))


def unit(language: str) -> str:
    """Return what :func:`count_words` counts in ``language``."""
    return "character" if language.split("-")[0] in UNSPACED_LANGUAGES else "word"


def is_question(text: str) -> bool:
    """Tell whether ``text`` ends in a question mark of Latin, CJK or Arabic script."""
    return text.rstrip().endswith(QUESTION_MARKS)


def many(number: int, unit: str) -> str:
    """Return a number with its unit in English: "1 minute", "2 minutes"."""
    return f"{number} {unit}{'' if number == 1 else 's'}"


def dollars(amount: Decimal | int) -> str:
    """Return US dollars as people read them: "$10,000.00", "-$0.30"."""
    return f"{'-' if amount < 0 else ''}${abs(amount):,.2f}"
