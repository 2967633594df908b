"""Summaries leave as JSON and CSV, without ids, and without what was withdrawn or simulated."""

import csv
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.core.management import CommandError, call_command

from collector.exports import summaries
from collector.studies.models import Kind, Outcome, Participation, Study
from collector.summaries.models import Summary, Viewing
from tests import factories
from tests.exports.running import GOLDEN
from tests.exports.test_formats import check
from tests.product import BASE_DIR
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


@pytest.fixture
def made_up_summaries(settings: Any) -> None:
    """Three summaries of two videos, full of what is hard, with fixed ids and times."""
    settings.SECRET_KEY = "a fixed key, so that the names in the golden files stay the same"
    made = factories.study(collection=factories.collection(pk=900_001), slug="sums", kind=Kind.SUMMARY, language="es")
    porch, hall = factories.video(image_id="0AB3C", split="val"), factories.video(image_id="HALL0")
    for number, video, text in (
        (1, porch, 'Alguien dice "hola", dos veces;\ny se va.'),
        (2, hall, "彼女は手を振る。 😀"),
        (3, porch, "A person, with 3.5 m of rope, leaves."),
    ):
        part = factories.participation(made, factories.worker(pk=900_010 + number), outcome=Outcome.COMPLETE)
        at = factories.START + timedelta(minutes=number)
        viewing = Viewing.objects.create(participation=part, video=video, started_at=at, watched_at=at, ended_at=at)
        later = at + timedelta(seconds=90, microseconds=250_000)
        Summary.objects.create(viewing=viewing, key=f"key-{number}", text=text, stored_at=later)


@pytest.mark.usefixtures("made_up_summaries")
def test_made_up_summaries_give_the_golden_files(tmp_path: Path) -> None:
    for name in ("summaries.json", "summaries.csv"):
        call_command("export_summaries", "--out", str(tmp_path / name))
        assert (tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes()


@pytest.mark.usefixtures("made_up_summaries")
def test_the_files_are_as_the_schema_and_the_docs_say(tmp_path: Path) -> None:
    call_command("export_summaries", "--out", str(tmp_path / "s.json"))
    check(json.loads((tmp_path / "s.json").read_text()), "summaries")
    call_command("export_summaries", "--out", str(tmp_path / "s.csv"))
    with (tmp_path / "s.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    documented = re.findall(r"^\| `(\w+)` \|", (BASE_DIR / "docs" / "summaries.md").read_text(), re.MULTILINE)
    assert list(lines[0]) == documented
    own = [{name: line[name] for name in list(line)[2:]} for line in lines]
    check(
        {
            "type": "video_summaries",
            "version": "0.1",
            "videos": [
                {"image_id": line["image_id"], "split": line["split"], "summaries": [summary]}
                for line, summary in zip(lines, own, strict=True)
            ],
        },
        "summaries",
    )


def test_the_schema_refuses_a_summary_without_a_text() -> None:
    said = {"study": "s", "language": "en", "worker": "0" * 40, "summary": "", "watched_at": "", "stored_at": ""}
    videos = [{"image_id": "AAAAA", "split": "", "summaries": [said]}]
    with pytest.raises(jsonschema.ValidationError):
        check({"type": "video_summaries", "version": "0.1", "videos": videos}, "summaries")
