"""How do facts become Markdown? Blocks without a line end, which ``document`` sets apart by empty lines."""

from collections.abc import Iterable
from typing import Any


def document(blocks: Iterable[str]) -> str:
    """Return a file of these blocks; empty ones are left out."""
    return "\n\n".join(block for block in blocks if block) + "\n"


def table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table; empty when there is no row."""
    heads, rows = list(heads), list(rows)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(_cell(each) for each in cells)} |" for cells in lines) if rows else ""


def _cell(value: Any) -> str:
    return on_one_line(str(value)).replace("|", r"\|")


def quotation(text: str) -> str:
    """Return a text as it is, quoted."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def listed(parts: list[str]) -> str:
    """Return parts of a sentence as its words list them: a, b and c."""
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def on_one_line(text: str) -> str:
    """Return a text with single spaces for all white space."""
    return " ".join(text.split())


def day(at: str) -> str:
    """Return the day of a time in ISO 8601."""
    return at[:10]


def summaries(number: int) -> str:
    """Return a number of summaries in words."""
    return f"{number} {'summary' if number == 1 else 'summaries'}"
