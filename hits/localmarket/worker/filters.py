"""How do amounts and durations read on the pages?"""

from datetime import timedelta
from typing import Any

from django import template

from hits.localmarket import fees

register = template.Library()


@register.filter
def dollars(cents: int) -> str:
    """Return cents as dollars."""
    return f"${fees.to_amount(cents)}"


@register.filter
def duration(value: int | timedelta) -> str:
    """Return seconds in the two largest units that say something: ``1 h 30 min``."""
    seconds = int(value.total_seconds() if isinstance(value, timedelta) else value)
    units = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
    parts = []
    for name, size in units:
        number, seconds = divmod(seconds, size)
        if number:
            parts.append(f"{number} {name}")
        elif parts:
            break
    return " ".join(parts[:2]) or "0 s"


@register.filter
def words(name: Any) -> str:
    """Return a name of a program as words: ``events_lost`` as Events lost."""
    return str(name).replace("_", " ").capitalize()
