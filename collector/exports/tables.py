"""How do rows become tables that data frames load? A Parquet file, or a folder of them with a card.

The folder is what ``datasets.load_dataset(FOLDER)`` of Hugging Face loads: a Parquet file a split and a README.md
whose head names them.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path

import pyarrow
from pyarrow.parquet import ParquetWriter

from chat.transcripts import Transcript
from collector.exports import card
from collector.exports.avsd import Tally
from collector.exports.rows import COLUMNS, Row, rows
from collector.exports.writing import CannotWrite

GROUP = 5_000
"""Rows of a row group, which are held in memory at once."""
_TYPES = {
    str: pyarrow.string(), int: pyarrow.int16(), float: pyarrow.float64(), bool: pyarrow.bool_(),
    datetime: pyarrow.timestamp("us", tz="UTC"),
}  # fmt: skip
SCHEMA = pyarrow.schema([pyarrow.field(name, _TYPES[kind], nullable=False) for name, kind in COLUMNS.items()])


class _Table:
    """A Parquet file that grows by row groups."""

    def __init__(self, path: Path) -> None:
        self._writer = ParquetWriter(path, SCHEMA, compression="zstd")
        self._waiting: list[Row] = []
        self.rows = 0

    def add(self, row: Row) -> None:
        self._waiting.append(row)
        self.rows += 1
        if len(self._waiting) == GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pyarrow.Table.from_pylist(self._waiting, SCHEMA))
            self._waiting = []


def parquet(path: Path, transcripts: Iterable[Transcript], tally: Tally) -> None:
    """Make a Parquet file at ``path`` with SCHEMA as its columns."""
    with _table(path) as table:
        for row in rows(transcripts, tally):
            table.add(row)


def huggingface(folder: Path, transcripts: Iterable[Transcript], tally: Tally, licences: Iterable[str]) -> None:
    """Fill ``folder`` with ``data/<split>.parquet`` and the card. Videos without a split are in train.

    Raises CannotWrite when there is no row.
    """
    (folder / "data").mkdir()
    tables: dict[str, _Table] = {}
    with ExitStack() as stack:
        for row in rows(transcripts, tally):
            split = row["split"] or "train"
            if split not in tables:
                tables[split] = stack.enter_context(_table(folder / "data" / f"{split}.parquet"))
            tables[split].add(row)
    if not tables:
        raise CannotWrite("There is no dialog to write, and a folder without any row could not be loaded.")
    counts = {split: table.rows for split, table in tables.items()}
    (folder / "README.md").write_text(card.text(counts, tally, sorted(set(licences))), encoding="utf-8")


@contextmanager
def _table(path: Path) -> Iterator[_Table]:
    table = _Table(path)
    try:
        yield table
    finally:
        table.close()
