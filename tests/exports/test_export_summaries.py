"""Summaries leave as JSON and CSV, without ids, and without what was withdrawn or simulated."""

import csv
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from collector.exports import summaries
from collector.studies.models import Outcome, Participation, Study
from tests import factories
from tests.summaries import scene

pytestmark = pytest.mark.django_db


def wrote(study: Study, text: str, **fields: object) -> scene.Watcher:
    made = scene.watcher(study, **fields)
    made.begin()
    made.watch()
    assert made.summarise(text, key=f"key-of-{made.participation.pk}-0")["type"] == "over"
    return made


def eight(word: str) -> str:
    return f'Somebody opens a door, sits down, and {word}, "slowly".'


@pytest.fixture
def study() -> Study:
    made = scene.study(videos=2, slug="sums")
    wrote(made, eight("reads"))
    wrote(made, eight("sings"))
    wrote(made, eight("hums"))
    wrote(made, eight("simulates"), is_simulated=True)
    withdrawn = wrote(made, eight("withdraws"))
    Participation.objects.filter(pk=withdrawn.participation.pk).update(outcome=Outcome.WITHDRAWN)
    left = scene.watcher(made)
    left.begin()
    left.post("leave")
    return made


def test_json_and_csv_hold_the_same(study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "s.json"
    call_command("export_summaries", "--study", "sums", "--out", str(out))
    assert "Wrote 3 summaries of 2 videos" in capsys.readouterr().out
    held = json.loads(out.read_text())
    assert (held["type"], held["version"]) == ("video_summaries", "0.1")
    said = {(v["image_id"], s["summary"], s["worker"]) for v in held["videos"] for s in v["summaries"]}
    call_command("export_summaries", "--out", str(tmp_path / "s.csv"))
    with (tmp_path / "s.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["image_id"], row["summary"], row["worker"]) for row in rows} == said
    assert {text for _, text, _ in said} == {eight("reads"), eight("sings"), eight("hums")}
    assert len({worker for _, _, worker in said}) == 3
    for worker in Participation.objects.values_list("worker__external_id", flat=True):
        assert worker not in out.read_text()
    assert len(list(summaries.read("sums", simulated=True))) == 4


def test_what_cannot_be_written_is_said(study: Study, tmp_path: Path) -> None:
    factories.study(slug="talks")
    with pytest.raises(CommandError, match=r"no summary study 'talks'\. The summary studies are: sums"):
        call_command("export_summaries", "--study", "talks", "--out", str(tmp_path / "s.json"))
    with pytest.raises(CommandError, match=r"neither .json nor .csv"):
        call_command("export_summaries", "--out", str(tmp_path / "s.txt"))
    with pytest.raises(CommandError, match="There is no folder"):
        call_command("export_summaries", "--out", str(tmp_path / "none" / "s.csv"))


def test_an_empty_export_is_well_formed(tmp_path: Path) -> None:
    call_command("export_summaries", "--out", str(tmp_path / "s.json"))
    assert json.loads((tmp_path / "s.json").read_text())["videos"] == []
