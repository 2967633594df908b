"""How is a table written as CSV, so that a spreadsheet runs nothing of what workers wrote? Every CSV file's lines.

A spreadsheet takes a cell that begins in one of a few ways for a formula, which may send away what stands beside it.
Such a text gets an apostrophe before it, as the spreadsheets themselves mark a text. Numbers stay numbers.
"""

import csv
import io
from collections.abc import Sequence
from decimal import Decimal

Cell = str | int | float | Decimal | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a cell that is run begins with; in full width, too, which Japanese versions read alike."""


def csv_line(cells: Sequence[Cell]) -> str:
    """Return one line of a CSV file (RFC 4180), with its line end."""
    out = io.StringIO()
    csv.writer(out).writerow([as_text(cell) if isinstance(cell, str) else cell for cell in cells])
    return out.getvalue()


def as_text(cell: str) -> str:
    """Return ``cell`` as a spreadsheet shows it and runs nothing."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
