"""How do a study's flags become files? Read once, a line a figure, whole or not at all."""

from collections.abc import Iterator
from pathlib import Path

from collector.analysis.tables import Table
from collector.exports import writing
from collector.lib.spreadsheets import csv_line
from collector.quality.counting import FLAG_HEADER, WORKER_HEADER, Counted, flag_lines, worker_lines
from collector.quality.flags import look
from collector.quality.models import rules_of
from collector.quality.writings import rows_of
from collector.studies.models import Study


def write_flags(study: Study, path: Path, *, simulated: bool = False) -> Counted:
    """Write a line for each figure of each dialog, or summary, and return what was counted. Raises CannotWrite."""
    counted = Counted(rules_of(study))
    writing.write(path, _flag_lines(study, counted, simulated=simulated))
    return counted


def _flag_lines(study: Study, counted: Counted, *, simulated: bool) -> Iterator[str]:
    yield csv_line(FLAG_HEADER)
    for looked in look(rows_of(study, simulated=simulated), counted.rules):
        counted.add(looked)
        for cells in flag_lines(study, looked, counted.rules):
            yield csv_line(cells)


def write_workers(study: Study, counted: Counted, path: Path) -> None:
    """Write a line for each worker and flag that some of their dialogs have. Raises CannotWrite."""
    writing.write(path, Table("workers", WORKER_HEADER, list(worker_lines(study, counted))).as_csv())
