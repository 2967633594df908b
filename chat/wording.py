"""What does a worker read when something was not taken? In the language that is spoken where it is asked."""

from django.utils.translation import gettext

from chat.protocol import Refused
from chat.rules import SENTENCES, Refusal
from collector.lib import languages


def sentence_of(refusal: Refusal) -> str:
    """Return a refusal in words."""
    values = {
        name: languages.many(*value) if isinstance(value, tuple) else value for name, value in refusal.values.items()
    }
    return gettext(SENTENCES[refusal.code]).format(**values)


def refused(refusal: Refusal, key: str = "") -> Refused:
    """Return the frame that says it."""
    return Refused(refusal.code, sentence_of(refusal), key)
