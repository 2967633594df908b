"""In which language is a page, and how does it write amounts, dates and counted things? What is active in Django says.

A study's language is a BCP 47 tag; its workers' pages are in it where there is a translation, else in English. Staff
pages are in English, which is active wherever nobody has asked for another language.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from decimal import Decimal
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.lists import format_list
from babel.numbers import format_currency, format_decimal
from django.conf import settings
from django.utils import formats, timezone
from django.utils.translation import get_language, get_language_bidi, ngettext, override, pgettext

ENGLISH = "en"

_COUNTED: dict[str, Callable[[int], str]] = {
    "second": lambda number: ngettext("{number} second", "{number} seconds", number),
    "minute": lambda number: ngettext("{number} minute", "{number} minutes", number),
    "hour": lambda number: ngettext("{number} hour", "{number} hours", number),
    "day": lambda number: ngettext("{number} day", "{number} days", number),
    "word": lambda number: ngettext("{number} word", "{number} words", number),
    "character": lambda number: ngettext("{number} character", "{number} characters", number),
    "question": lambda number: ngettext("{number} question", "{number} questions", number),
}


def of(tag: str) -> str:
    """Return the language in which the pages of a study are whose language has this tag."""
    known = dict(settings.LANGUAGES)
    return next((code for code in (tag.lower(), tag.lower().split("-")[0]) if code in known), ENGLISH)


def speaking(tag: str) -> AbstractContextManager[None]:
    """Make the language of such a study the one of all that is said inside."""
    return override(of(tag))


def active() -> str:
    """Return the language that is spoken now."""
    return get_language() or ENGLISH


def many(number: int, unit: str) -> str:
    """Return a number with its unit, one of those that workers read of: "1 minute", "2 minutes"."""
    return _COUNTED[unit](number).format(number=number)


def dollars(amount: Decimal | int | str) -> str:
    """Return US dollars as people read them: "$10,000.00", "10.000,00 US$"; in a text from right to left, isolated."""
    said = format_currency(Decimal(amount), "USD", locale=_locale(active()))
    return f"\u2066{said}\u2069" if get_language_bidi() else said


def whole(number: int) -> str:
    """Return a whole number with marks at the thousands: "2,000"."""
    return format_decimal(number, locale=_locale(active()))


def listed(parts: list[str]) -> str:
    """Return things in a row: "a check, a practice and a quiz"."""
    return format_list(parts, locale=_locale(active()))


def either(parts: list[str]) -> str:
    """Return things of which one is meant: "this or that"."""
    return format_list(parts, style="or", locale=_locale(active()))


def moment(at: datetime) -> str:
    """Return day and time in the installation's zone: "3 May 2026, 14:05"."""
    return formats.date_format(timezone.localtime(at), pgettext("format of a date", "j F Y, H:i"))


def day(at: datetime) -> str:
    """Return the day in the installation's zone: "3 May 2026"."""
    return formats.date_format(timezone.localtime(at), pgettext("format of a date", "j F Y"))


@lru_cache
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):  # the language for tests
        return Locale.parse(language.split("-")[0])
