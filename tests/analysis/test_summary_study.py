"""Table 2 is computed from what is stored: the right summaries, of the right dialogs."""

import csv
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from collector.analysis.summary_table import ROWS, Summarised, summary_table
from collector.analysis.watchers import summarised
from collector.studies.models import Study
from tests import factories
from tests.exports.test_export_summaries import wrote
from tests.summaries import scene

pytestmark = pytest.mark.django_db

TEXTS = [
    "A man opens the door, walks in and sits down on a chair.",
    "Somebody comes in through a door and then sits on a chair.",
    "A person enters the room, sits down and starts to laugh.",
    "The man walks into the room and sits down to read a book.",
]


def test_the_table_of_a_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    talked = factories.finished_dialog(summary="A man walks in and sits down on a chair, laughing.")
    other = factories.finished_dialog(study=talked.study, summary="A woman reads a book at the window and hums.")
    study = scene.study(videos=0, slug="sums", videos_of=talked.study)
    for dialog in (talked, other):
        scene.offer(study, dialog.video)
    for number in range(8):
        wrote(study, TEXTS[number % 4] if number < 4 else TEXTS[number % 4].replace("man", "woman"))
    found = summarised(study)
    assert {each.video: each.questioner for each in found} == {
        each.video.image_id: each.utterances.order_by("-position")[0].text for each in (talked, other)
    }
    assert all(len(each.watchers) == 4 for each in found)
    call_command("summary_study", "--study", "sums", "--out", str(tmp_path / "t.csv"), "--resamples", "50")
    said = capsys.readouterr().out
    assert "Videos: 2. In brackets" in said
    with (tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    table = summary_table(found, resamples=50)
    wanted = {(row, metric): each.value for row, cells in table.rows.items() for metric, each in cells.items()}
    assert {(row["row"], row["metric"]): pytest.approx(float(row["value"])) for row in rows} == wanted
    assert set(wanted) >= {(row, "BLEU-1") for row in ROWS} or set(wanted) >= {(row, "Bleu_1") for row in ROWS}


def test_the_dialogs_are_those_of_the_study_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    video = factories.video()
    collection = factories.collection()
    studies = [factories.study(collection=collection, slug=f"talk-{number}") for number in (1, 2)]
    for number, each in enumerate(studies):
        factories.finished_dialog(study=each, video=video, summary=f"Somebody reads aloud from book number {number}.")
    study = scene.study(videos=0, slug="sums", collection=collection)
    scene.offer(study, video)
    wrote(study, TEXTS[0])

    def questioner(dialogs_of: Study | None) -> list[Summarised]:
        return summarised(study, dialogs_of)

    assert questioner(studies[1])[0].questioner.endswith("number 1.")
    assert questioner(None)[0].questioner.endswith("number 0.")
    assert questioner(factories.study())[0].questioner == ""


def test_what_is_missing_is_said() -> None:
    scene.study(slug="sums")
    with pytest.raises(CommandError, match="No video has summaries of 4 watchers"):
        call_command("summary_study", "--study", "sums")
    with pytest.raises(CommandError, match=r"There is no summary study 'none'\. The summary studies are: sums"):
        call_command("summary_study", "--study", "none")
    with pytest.raises(CommandError, match="There is no dialog study 'sums'"):
        call_command("summary_study", "--study", "sums", "--dialogs", "sums")
