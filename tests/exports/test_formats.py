"""Each format as a file: the golden one, its schema in docs/schemas, the readers it is for."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet
import pytest
from django.core.management import CommandError

from chat import transcripts
from chat.models import Dialog, Seat
from collector.exports import cutting, tables
from tests import factories
from tests.exports.running import GOLDEN, export, make_dialogs, word_vectors
from tests.product import BASE_DIR

pytestmark = pytest.mark.django_db


def check(content: Any, name: str) -> None:
    """Validate against docs/schemas."""
    schema = json.loads((BASE_DIR / "docs" / "schemas" / f"{name}.schema.json").read_text())
    validator = jsonschema.Draft202012Validator
    validator.check_schema(schema)
    validator(schema, format_checker=validator.FORMAT_CHECKER).validate(content)


CASES = {
    "dstc7": ("dstc7", []),
    "raw": ("raw", []),
    "dstc7-undisclosed": ("dstc7", ["--format", "dstc7", "--undisclosed-last", "--truncate", "--seed", "3"]),
    "dstc10": ("dstc10", []),
}


@pytest.mark.parametrize("golden", CASES)
@pytest.mark.usefixtures("made_up_dialogs")
def test_made_up_dialogs_give_the_golden_file(out: Path, golden: str, request: pytest.FixtureRequest) -> None:
    form, options = CASES[golden]
    if form == "dstc10":
        request.getfixturevalue("asked_twice")
    content, _, _ = export(out, "--format", form, *options)
    assert out.read_text() == (GOLDEN / f"{golden}.json").read_text()
    check(content, form)


@pytest.mark.usefixtures("made_up_dialogs")
def test_the_lines_are_the_golden_ones(out: Path) -> None:
    _, said, _ = export(out, "--format", "jsonl")
    assert out.read_text() == (GOLDEN / "rounds.jsonl").read_text()
    assert "Wrote 3 dialogs, 6 rounds, about 2 videos" in said
    for line in out.read_text().splitlines():
        check(json.loads(line), "rounds")


@pytest.mark.usefixtures("made_up_dialogs")
def test_the_table_holds_what_the_lines_hold(out: Path) -> None:
    export(out, "--format", "parquet")
    table = pyarrow.parquet.read_table(out)
    assert table.schema.equals(tables.SCHEMA)
    assert [json.dumps(row, default=datetime.isoformat) for row in table.to_pylist()] == _golden_lines()


def _golden_lines() -> list[str]:
    return (GOLDEN / "rounds.jsonl").read_text().splitlines()


def test_a_table_of_several_groups_is_whole(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "GROUP", 7)
    make_dialogs({"train": 2})
    export(out, "--format", "parquet")
    file = pyarrow.parquet.ParquetFile(out)
    assert [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)] == [7, 7, 6]
    assert file.read().column("round").to_pylist() == [*range(1, 11)] * 2


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_DATASETS_DISABLE_PROGRESS_BARS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))


@pytest.mark.usefixtures("made_up_dialogs", "offline")
def test_the_folder_loads_offline_in_the_library_it_is_for(tmp_path: Path) -> None:
    export(tmp_path / "out", "--format", "huggingface")
    assert (tmp_path / "out" / "README.md").read_text() == (GOLDEN / "card.md").read_text()
    from datasets import load_dataset

    loaded = load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert {split: len(loaded[split]) for split in loaded} == {"train": 2, "val": 4}
    rows = [row for split in ("train", "val") for row in loaded[split]]
    assert [json.dumps(row, default=datetime.isoformat) for row in rows] == _golden_lines()


def test_a_folder_of_no_dialogs_which_nobody_could_load_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no dialog to write"):
        export(tmp_path / "out", "--format", "huggingface")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("many_dialogs")
def test_visdial_gives_the_golden_folder(tmp_path: Path) -> None:
    words = word_vectors(tmp_path / "made.3d.txt")
    export(tmp_path / "out", "--format", "visdial", "--pool", "all", "--test", "--vectors", str(words))
    written = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert written == {path.name: path.read_text() for path in (GOLDEN / "visdial").iterdir()}
    check(json.loads(written["visdial_train.json"]), "visdial")
    check(json.loads(written["visdial_test.json"]), "visdial-test")
    check(json.loads(written["visdial_test_key.json"]), "visdial-key")


def test_the_folder_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.finished_dialog()

    def broken(*_: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("collector.exports.card.text", broken)
    with pytest.raises(CommandError, match="No space left on device"):
        export(tmp_path / "out", "--format", "huggingface")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("kept")
    with pytest.raises(CommandError, match=r"is not empty\. Give --out the name of a new one"):
        export(tmp_path, "--format", "huggingface")
    with pytest.raises(CommandError, match=r"is a file\. This format is a folder"):
        export(tmp_path / "kept.txt", "--format", "visdial")
    assert (tmp_path / "kept.txt").read_text() == "kept"


@pytest.mark.parametrize("form", ["jsonl", "parquet", "huggingface", "raw", "dstc7", "dstc10"])
@pytest.mark.usefixtures("made_up_dialogs")
def test_no_id_of_a_worker_leaves(tmp_path: Path, form: str) -> None:
    export(tmp_path / "out", "--format", form)
    files = [tmp_path / "out"] if (tmp_path / "out").is_file() else list((tmp_path / "out").rglob("*.*"))
    written = b"".join(path.read_bytes() for path in files)
    if form in ("parquet", "huggingface"):  # they compress
        paths = [path for path in files if path.read_bytes()[:4] == b"PAR1"]
        written += b"".join(str(pyarrow.parquet.read_table(path).to_pylist()).encode() for path in paths)
    ids = {seat.worker.external_id for seat in Seat.objects.select_related("worker")}
    assert ids
    assert [worker for worker in ids if worker.encode() in written] == []


def test_a_worker_has_one_name_within_a_collection_and_another_in_the_next(out: Path) -> None:
    worker, first = factories.worker(), factories.study()
    second = factories.study(collection=first.collection)
    for study in (first, second, factories.study()):
        factories.finished_dialog(study=study, questioner=worker)
    export(out, "--format", "jsonl")
    names = {row["study"]: row["questioner"] for row in map(json.loads, out.read_text().splitlines())}
    assert names[first.slug] == names[second.slug]
    assert len(set(names.values())) == 2


@pytest.mark.usefixtures("asked_twice")
def test_references_are_other_answers_to_the_same_question(out: Path) -> None:
    content, said, _ = export(out, "--format", "dstc10")
    assert [turn["answer"] for turn in content["dialogs"][0]["dialog"]] == [
        "he opens door number 0 .",
        ["one man is there .", "there is only one ."],
    ]
    assert "Further dialogs gave 1 further reference." in said


@pytest.mark.usefixtures("asked_twice")
def test_a_question_that_points_back_has_no_references(out: Path) -> None:
    content, _, _ = export(out, "--format", "dstc10", "--truncate", "1")
    assert content["dialogs"][0]["dialog"][-1] == {
        "question": "what does he open ?",
        "answer": "he opens door number 0 .",
    }


def test_an_answer_kept_back_is_nowhere_in_the_file(out: Path) -> None:
    factories.finished_dialog([("Is it a cat?", "Yes, a cat."), ("Is it black?", "It is purple.")])
    content, _, _ = export(out, "--undisclosed-last")
    assert [turn["answer"] for turn in content["dialogs"][0]["dialog"]] == ["yes , a cat .", "__UNDISCLOSED__"]
    assert "purple" not in out.read_text()


def test_dialogs_end_where_they_are_cut(out: Path) -> None:
    make_dialogs({"train": 3})

    def lengths(*options: str) -> list[int]:
        return [len(scene["dialog"]) for scene in export(out, *options)[0]["dialogs"]]

    assert lengths("--truncate", "4") == [4, 4, 4]
    assert lengths("--truncate", "40") == [10, 10, 10]
    assert lengths("--truncate", "--seed", "1") == lengths("--truncate", "--seed", "1")


def test_each_round_is_drawn_as_often(settings: Any) -> None:
    drawn = [cutting.drawn_round(7, f"video {n}", 10) for n in range(5000)]
    assert {number: 400 < drawn.count(number) < 600 for number in set(drawn)} == dict.fromkeys(range(1, 11), True)
    again = [cutting.drawn_round(8, f"video {n}", 10) for n in range(5000)]
    assert drawn != again
    settings.SECRET_KEY = "another installation, which must not be able to draw the same"
    assert drawn != [cutting.drawn_round(7, f"video {n}", 10) for n in range(5000)]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--test", "--format", "raw"], "--test goes with --format visdial, not raw."),
        (["--seed", "0", "--format", "raw"], "--seed goes with --format dstc7, dstc10, visdial, not raw."),
        (["--undisclosed-last", "--format", "dstc10"], "--undisclosed-last goes with --format dstc7, not dstc10."),
        (["--truncate", "-1"], "--truncate takes a number of rounds from 1"),
    ],
)
def test_an_option_of_another_format_is_refused(out: Path, options: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence.replace(".", r"\.")):
        export(out, *options)
    assert not out.exists()


def test_transcripts_carry_times_and_people() -> None:
    dialog = factories.finished_dialog()
    seats = {seat.role: seat.worker_id for seat in dialog.seats.all()}
    (found,) = transcripts.read(Dialog.objects.all())
    assert (found.questioner_id, found.answerer_id) == (seats["questioner"], seats["answerer"])
    stored = [utterance.stored_at for utterance in dialog.utterances.order_by("position")]
    assert [at for both in found.times for at in both] == stored[:-1]
