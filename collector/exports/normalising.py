"""How does a text look in the DSTC7 files? The rule that their raw and released forms agree on.

Measured on the published releases: lower case, a space around ``. , ! ? ; : ( ) " / *``, a space before an
apostrophe within a word (``don 't``), single spaces. Readers split on white space and lower nothing, so this is what
makes tokens. Exceptions: ``..`` and ``...`` stay one token, longer runs of dots are cut to three; of ``????`` three
remain; hyphens stay (``make-up``). Other punctuation and other scripts are left alone.
"""

import re
from collections.abc import Callable

from chat.transcripts import Transcript

_DOTS = re.compile(r"\.{4,}")
_QUESTION_MARKS = re.compile(r"\?{4,}")
_SPACED = re.compile(r'(\.{2,3}|[.,!?;:()"/*])')
# As measured: the letter after an apostrophe is used up, so "y'a'll" becomes "y 'a'll".
_APOSTROPHE = re.compile(r"(\w)'(\w)")
_LINE_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


def as_normalised(transcript: Transcript) -> Callable[[str], str]:
    """Return what normalises a dialog's texts; those of an imported DSTC7 file are so already, and stay as they are."""
    return str if _is_from(transcript, "dstc7") else normalised


def as_typed(transcript: Transcript) -> Callable[[str], str]:
    """Return what puts a dialog's texts on one line each; those of an imported raw file stay as they are."""
    return str if _is_from(transcript, "raw") else on_one_line


def _is_from(transcript: Transcript, form: str) -> bool:
    return transcript.origin is not None and transcript.origin["format"] == form


def normalised(text: str) -> str:
    """Return ``text`` as the DSTC7 files write it, on one line."""
    text = _QUESTION_MARKS.sub("???", _DOTS.sub("...", text.lower()))
    text = _APOSTROPHE.sub(r"\1 '\2", _SPACED.sub(r" \1 ", text))
    return " ".join(text.split())


def on_one_line(text: str) -> str:
    """Return ``text`` as typed, but with a space for each line break."""
    return _LINE_BREAKS.sub(" ", text)
