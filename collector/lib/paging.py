"""How is a long list read in pages? One page, and whether another follows; how many rows there are is never counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet

FARTHEST = 100_000
"""Pages; what asks for one beyond is no person."""
_Row = TypeVar("_Row", bound=Model)


class More(int):
    """More rows than the number less one: 101 is shown as 100+."""

    def __str__(self) -> str:
        return f"{int(self) - 1}+"


@dataclass(frozen=True)
class Page(Generic[_Row]):
    """The rows of one page, counted from 1; ``known`` is the number of all rows as far as it is known."""

    rows: Sequence[_Row]
    number: int
    has_next: bool
    known: int


def read(rows: QuerySet[_Row], number: int, size: int) -> Page[_Row]:
    """Return a page of so many rows; behind the last one it is empty.

    The keys of the page are found first, so that a page far down costs no columns, joins or subqueries of the rows
    before it.
    """
    number = min(max(1, number), FARTHEST)
    first = (number - 1) * size
    keys = list(rows.prefetch_related(None).values_list("pk", flat=True)[first : first + size + 1])
    shown = keys[:size]
    found = {row.pk: row for row in rows.filter(pk__in=shown).order_by()} if shown else {}
    has_next, known = len(keys) > size, first + len(keys)
    return Page([found[key] for key in shown if key in found], number, has_next, More(known) if has_next else known)


def at_most(rows: QuerySet[Any], most: int = 1000) -> int:
    """Return how many rows there are, read by their keys; with more than ``most`` it is only known that there are."""
    number = len(rows.order_by().values_list("pk", flat=True)[: most + 1])
    return More(number) if number > most else number


def number_in(text: str) -> int:
    """Return the number of a page as an address names it; 1 where it names none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1
