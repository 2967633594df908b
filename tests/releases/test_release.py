"""What a bundle holds: data by split, media that may be passed on, and which of it has left the data since."""

import csv
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from django.core.management import CommandError
from django.test import Client

from collector.catalogue.models import Video
from collector.releases import data, holding, proving
from collector.releases.models import Release
from collector.studies.models import Participation, Study
from tests.exports.test_formats import check
from tests.moto import Moto
from tests.releases.conftest import read, release

pytestmark = pytest.mark.django_db


def ids_of(folder: Path, form: str, split: str) -> list[str]:
    content = json.loads((folder / data.place(form, split)).read_text())
    return [scene["image_id"] for scene in content["dialogs"]]


def test_a_bundle_holds_data_by_split_and_all_that_a_reader_needs(talks: Study, sums: Study, out: Path) -> None:
    said = release(out, "--study", "talks", "--study", "sums")
    assert "It holds 2 dialogs between two workers each (4 rounds) and 1 summary" in said
    assert "byte for byte the same: dstc7, raw, jsonl." in said
    assert (ids_of(out, "dstc7", "train"), ids_of(out, "dstc7", "val")) == (["PUBL1"], ["HIDN2"])
    held = json.loads((out / "data/summaries/summaries_train.json").read_text())
    assert [video["image_id"] for video in held["videos"]] == ["PUBL1"]
    assert {path.name for path in out.iterdir()} == {
        "CITATION.bib", "CITATION.cff", "DATASHEET.md", "LICENSE.txt", "README.md", "SHA256SUMS", "data",
        "datasheet.json", "left_out.csv", "media",
    }  # fmt: skip
    row = Release.objects.get()
    assert list(row.dialogs.order_by("pk").values_list("pk", flat=True)) == [900_101, 900_102]
    assert row.viewings.count() == 1
    assert (row.formats, [study.slug for study in row.studies.order_by("pk")]) == (
        ["dstc7", "raw", "jsonl", "huggingface"], ["talks", "sums"],
    )  # fmt: skip


def test_all_formats_hold_the_same_dialogs(talks: Study, out: Path) -> None:
    release(out, "--study", "talks", "--formats", "dstc10,parquet,raw")
    assert ids_of(out, "dstc10", "val") == ["HIDN2"]
    table = pyarrow.parquet.read_table(out / data.place("parquet", "val"))
    raw = json.loads((out / data.place("raw", "val")).read_text())
    assert set(table["image_id"].to_pylist()) == set(raw) == {"HIDN2"}
    assert table["dialog"].to_pylist()[0] in raw["HIDN2"]["data"]


def test_summaries_are_released_alone(sums: Study, out: Path) -> None:
    said = release(out, "--study", "sums", "--title", "Sums")
    assert "It holds 1 summary by workers who watched a video, about 1 video." in said
    assert {path.name for path in (out / "data").iterdir()} == {"summaries"}
    assert "| train | 1 | 0 | 0 | 1 |" in (out / "DATASHEET.md").read_text()
    readme = (out / "README.md").read_text()
    assert "byte" not in said + readme
    assert "Of two strangers" not in readme
    assert Release.objects.get().formats == []


def test_the_hundred_answers_are_chosen_and_the_datasheet_says_how(out: Path) -> None:
    from tests.exports.running import make_dialogs

    make_dialogs({"train": 6, "test": 5})
    study = Study.objects.get()
    release(out, "--study", study.slug, "--formats", "visdial", "--pool", "all", "--seed", "7", "--title", "Hundreds")
    assert {path.name for path in (out / "data/visdial").iterdir()} == {"visdial_train.json", "visdial_test.json"}
    sheet = (out / "DATASHEET.md").read_text()
    assert "| taken from | all splits |" in sheet
    assert "| seed, together with a key that is not published | 7 |" in sheet
    facts = json.loads((out / "datasheet.json").read_text())
    assert facts["candidates"]["vectors"] in sheet
    check(facts, "datasheet")


def test_the_checksums_are_those_that_sha256sum_reads(talks: Study, out: Path) -> None:
    said = release(out, "--study", "talks")
    checked = subprocess.run(["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=out, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    named = {line.partition("  ")[2] for line in (out / "SHA256SUMS").read_text().splitlines()}
    assert named == set(read(out)) - {"SHA256SUMS"}
    digest = subprocess.run(["sha256sum", out / "SHA256SUMS"], capture_output=True, text=True).stdout.split()[0]
    assert Release.objects.get().sha256 == digest
    assert digest in said


def test_what_may_not_be_passed_on_stays_behind_and_is_listed(talks: Study, out: Path) -> None:
    release(out, "--study", "talks", "--formats", "jsonl")
    files = read(out)
    assert files["media/videos/PUBL1.mp4"] == b"moving pictures"
    assert files["media/frames/PUBL1_2.jpg"] == b"frame 2"
    assert len([name for name in files if name.startswith("media/")]) == 4
    assert "stirs soup" in files["data/jsonl/jsonl_train.jsonl"].decode()
    assert not [name for name, content in files.items() if b"Nobody may read" in content or b"nobody may" in content]
    listed = list(csv.DictReader(io.StringIO(files["left_out.csv"].decode())))
    assert [(row["image_id"], row["what"]) for row in listed] == [("HIDN2", "script"), ("HIDN2", "video and frames")]


def test_media_may_be_left_out_and_one_that_is_gone_is_named(talks: Study, out: Path, settings: Any) -> None:
    video = holding.Video.objects.get(image_id="PUBL1")
    Path(video.file.path).unlink()
    with pytest.raises(CommandError, match=r"video PUBL1 is gone .* --without-media"):
        release(out, "--study", "talks", "--formats", "raw")
    assert not out.exists()
    release(out, "--study", "talks", "--formats", "raw", "--without-media")
    assert not (out / "media").exists()
    assert "PUBL1,video and frames,left out of this release" in (out / "left_out.csv").read_text()


@pytest.mark.usefixtures("written")
def test_how_texts_were_written_leaves_on_request_only(talks: Study, sums: Study, out: Path, tmp_path: Path) -> None:
    release(out, "--study", "talks", "--formats", "raw", "--study", "sums")
    assert not [name for name, content in read(out).items() if b"77.25" in content or b"41.5" in content]
    release(tmp_path / "more", "--study", "talks", "--formats", "raw", "--study", "sums", "--with-evidence")
    lines = [json.loads(line) for line in (tmp_path / "more/evidence/dialogs.jsonl").read_text().splitlines()]
    assert [(line["round"], line["text"]) for line in lines] == [
        (1, "question"), (1, "answer"), (2, "question"), (2, "answer"), (None, "summary"),
    ]  # fmt: skip
    assert (lines[0]["to_send"], lines[0]["image_id"], len(lines[0]["dialog"])) == (77.25, "PUBL1", 40)
    (line,) = (tmp_path / "more/evidence/summaries.jsonl").read_text().splitlines()
    assert json.loads(line)["corrections"] == 2


def test_simulated_work_is_in_it_only_when_asked_for_and_is_named(talks: Study, out: Path, tmp_path: Path) -> None:
    release(out, "--study", "talks", "--formats", "raw")
    assert "Work of simulated workers is not in it." in (out / "DATASHEET.md").read_text()
    said = release(tmp_path / "more", "--study", "talks", "--formats", "raw", "--simulated")
    assert "**Programs, not people, wrote 1 of the dialogs.**" in said
    assert "**Programs, not people, wrote 1 of the dialogs.**" in (tmp_path / "more/README.md").read_text()


def test_a_release_is_marked_when_work_of_it_leaves_the_data(
    talks: Study, sums: Study, out: Path, admin_client: Client
) -> None:
    release(out, "--study", "talks", "--formats", "raw", "--study", "sums")
    row = Release.objects.get()
    page = admin_client.get("/admin/releases/release/").content.decode()
    assert "2 dialogs, 1 summary" in page
    assert not row.dialogs_left().exists()
    Participation.objects.filter(seats__dialog=900_102, seats__role="questioner").update(outcome="withdrawn")
    Participation.objects.filter(viewing__isnull=False).update(outcome="withdrawn")
    page = admin_client.get("/admin/releases/release/").content.decode()
    assert "1 dialog, 1 summary" in page
    which = admin_client.get(f"/admin/releases/release/{row.pk}/change/").content.decode()
    (pair,) = json.loads((out / data.place("raw", "val")).read_text())["HIDN2"]["data"]
    assert f"dialog {pair} about HIDN2<br>summary by " in which


def test_a_file_is_compared_whatever_its_size(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c").write_bytes(b"abc")
    proving.write_checksums(tmp_path)
    assert [line.split()[1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines()] == ["a", "b/c"]


def test_media_of_a_bucket_go_with_a_release_and_what_is_gone_is_named(bucket: Moto, talks: Study, out: Path) -> None:
    release(out, "--study", "talks", "--formats", "raw")
    found = read(out)
    assert found["media/videos/PUBL1.mp4"] == b"moving pictures"
    name = Video.objects.get(image_id="PUBL1").file.name
    bucket.client().delete_object(Bucket=bucket.bucket, Key=name)
    with pytest.raises(CommandError, match=f"is gone from the bucket: {name}"):
        release(out.with_name("later"), "--study", "talks", "--formats", "raw")
