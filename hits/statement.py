"""What is owed and paid, as a table? Written for people who pay by hand, and read back when they have paid."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from django.contrib.auth.models import User
from django.db import transaction

from collector.lib.spreadsheets import Cell, csv_line
from collector.studies.models import Outcome
from hits import ledger
from hits.models import EntryState, LedgerEntry

COLUMNS = ["entry", "study", "marketplace", "worker", "kind", "amount_usd", "why", "owed_at", "state", "reference"]


class BadStatement(Exception):
    """A file that cannot be read back; the message says where and what to do."""


@dataclass(frozen=True)
class Row:
    """A payment that somebody made: the entry's number and what the payer calls it."""

    line: int
    entry: int
    reference: str


def write(entries: Iterable[LedgerEntry], file: TextIO) -> int:
    """Write entries as CSV; return how many. Worker ids are personal data: they are what is paid to.

    Once paid, an entry of who has withdrawn carries our own number of the worker instead, as does any whose id was
    removed.
    """
    file.write(csv_line(COLUMNS))
    rows = 0
    for entry in entries:
        file.write(csv_line(_cells(entry)))
        rows += 1
    return rows


def _cells(entry: LedgerEntry) -> list[Cell]:
    return [
        entry.pk, entry.study.slug, entry.worker.marketplace, _whose(entry), entry.kind, round(entry.amount, 2),
        entry.why, entry.at.isoformat(timespec="seconds"), entry.state, entry.reference,
    ]  # fmt: skip


def _whose(entry: LedgerEntry) -> str:
    part = entry.participation
    is_over = entry.state == EntryState.PAID and part is not None and part.outcome == Outcome.WITHDRAWN
    return str(entry.worker) if is_over else entry.worker.external_id or str(entry.worker)


def read(path: Path) -> list[Row]:
    """Return the payments in a statement whose ``reference`` column was filled in. Raises BadStatement."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return list(_rows(path, csv.DictReader(file)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadStatement(f"{path}: cannot be read as CSV ({error}).") from None


def _rows(path: Path, reader: "csv.DictReader[str]") -> Iterator[Row]:
    missing = {"entry", "reference"} - set(reader.fieldnames or [])
    if missing:
        raise BadStatement(f"{path}: no column {', '.join(sorted(missing))}. Fill in a file that `statement` wrote.")
    for line, row in enumerate(reader, 2):
        if not (row["reference"] or "").strip():
            continue
        if not (row["entry"] or "").isdigit():
            raise BadStatement(f"{path}, row {line}, entry: {row['entry']!r} is no entry's number.")
        yield Row(line, int(row["entry"]), row["reference"].strip()[:60])


def record(path: Path, who: User) -> int:
    """Mark as paid what a filled-in statement says was paid; all or nothing. Returns how many. Raises BadStatement."""
    done = 0
    with transaction.atomic():
        for row in read(path):
            entry = LedgerEntry.objects.filter(pk=row.entry).first()
            if entry is None:
                raise BadStatement(f"{path}, row {row.line}, entry: there is no entry {row.entry}. Nothing was marked.")
            done += ledger.paid_by_hand(entry, who, row.reference)
    return done
