"""A bundle is whole or not there, holds what it says, comes back, and names nobody."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
import yaml
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from chat.models import Dialog, Utterance
from collector.exports import archiving, personal
from collector.releases import data, holding, proving
from collector.releases.models import Release
from collector.studies.models import Participation, Study, Worker
from hits.models import Assignment, Hit
from tests import factories
from tests.releases.conftest import AUTHOR, read, release

pytestmark = pytest.mark.django_db


def ids_of(folder: Path, form: str, split: str) -> list[str]:
    content = json.loads((folder / data.place(form, split)).read_text())
    return [scene["image_id"] for scene in content["dialogs"]]


# What it holds


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
    assert json.loads((out / "datasheet.json").read_text())["candidates"]["vectors"] in sheet


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


# Names of people


def test_no_id_of_any_kind_is_in_any_file(
    talks: Study, sums: Study, through_hits: None, written: None, out: Path
) -> None:
    everything = "dstc7,dstc10,raw,jsonl,parquet,huggingface"
    release(out, "--study", "talks", "--study", "sums", "--with-evidence", "--formats", everything)
    parts = Participation.objects.all()
    tokens = [str(dialog) for dialog in Utterance.objects.values_list("key", flat=True)]
    ids = [
        *Worker.objects.values_list("external_id", flat=True),
        *Hit.objects.values_list("external_id", flat=True),
        *Assignment.objects.values_list("external_id", flat=True),
        *parts.exclude(completion_code="").values_list("completion_code", flat=True),
        *tokens,
        "reviewer-of-9",
    ]
    assert {"A2EXAMPLEWORKER7", "3HITEXAMPLE00000001", "3ASSIGNMENTEXAMPLE1"} <= set(ids)
    texts = {name: content for name, content in read(out).items() if not name.endswith(".parquet")}
    for path in out.rglob("*.parquet"):
        texts[path.name] = repr(pyarrow.parquet.read_table(path).to_pylist()).encode()
    assert len(texts) > 15
    found = [
        (name, each) for name, content in texts.items() for each in ids if each.lower().encode() in content.lower()
    ]
    assert found == []


@pytest.mark.parametrize(
    ("form", "text", "what"),
    [
        ("raw", "Yes, my worker id is a2exampleworker7.", "the id of worker"),
        ("parquet", "It is 3HITEXAMPLE00000001, I accepted it.", "the id of HIT"),
        ("dstc7", "It says (3ASSIGNMENTEXAMPLE1) over the video.", "the id of assignment"),
    ],
)
def test_an_id_that_somebody_typed_stops_the_release(
    talks: Study, through_hits: None, out: Path, form: str, text: str, what: str
) -> None:
    Utterance.objects.filter(dialog=900_102, position=1).update(text=text)
    with pytest.raises(CommandError, match=rf"{form}_val.* holds {what} \d+: somebody wrote it into a text") as refused:
        release(out, "--study", "talks", "--formats", form, "--with-undecided")
    assert "EXAMPLE" not in str(refused.value).upper(), "an id is in no message either"
    assert not out.exists()
    assert not Release.objects.exists()


def test_what_looks_personal_is_decided_first_and_redacted(talks: Study, out: Path, tmp_path: Path) -> None:
    Utterance.objects.filter(dialog=900_101, position=1).update(text="Yes, write to ada@example.org or 555-123-4567.")
    with pytest.raises(CommandError, match=rf"2 parts of texts .* Decide at /desk/studies/{talks.pk}/personal/ .*"):
        release(out, "--study", "talks", "--formats", "raw")
    assert not Release.objects.exists()
    release(out, "--study", "talks", "--formats", "raw", "--with-undecided")
    assert "**About 2 finds no person had decided when this was released.**" in (out / "DATASHEET.md").read_text()
    mail, phone = personal.undecided([talks])
    somebody = User.objects.create(username="somebody")
    personal.decide(mail.key, somebody, redact=True)
    personal.decide(phone.key, somebody, redact=False)
    release(tmp_path / "again", "--study", "talks", "--formats", "raw")
    text = (tmp_path / "again" / data.place("raw", "train")).read_text()
    assert "Yes, write to [e-mail address] or 555-123-4567." in text
    sheet = (tmp_path / "again/DATASHEET.md").read_text()
    assert "Redacted: 1 part of texts, replaced" in sheet
    assert "No find is left without" in sheet


# Whole or not at all


@pytest.mark.parametrize(
    ("step", "error"), [("write_split", RuntimeError("a bug")), ("write_evidence", KeyboardInterrupt())]
)
def test_what_goes_wrong_leaves_nothing_behind(
    talks: Study, out: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*args: Any) -> None:
        raise error

    monkeypatch.setattr(data, step, fail)
    with pytest.raises(type(error)):
        release(out, "--study", "talks", "--with-evidence")
    assert [path.name for path in out.parent.iterdir()] == ["media"]
    assert not Release.objects.exists()


KILLED = """
import os, pathlib, signal, sys
from collector.exports.writing import making
with making(pathlib.Path(sys.argv[1])) as folder:
    (folder / "half").write_text("of it")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_is_killed_leaves_no_bundle_under_its_name(out: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(out)], cwd=Path(__file__).parents[2])
    assert killed.returncode == -9
    assert not out.exists()
    (left,) = out.parent.glob(".bundle.*.part")
    assert (left / "half").exists()


def test_a_folder_with_something_in_it_is_left_alone(talks: Study, out: Path) -> None:
    out.mkdir()
    (out / "mine").write_text("mine")
    with pytest.raises(CommandError, match="is not empty"):
        release(out, "--study", "talks")
    assert read(out) == {"mine": b"mine"}


@pytest.mark.parametrize("form", ["dstc7", "raw", "jsonl"])
def test_a_file_that_does_not_come_back_stops_the_release(
    talks: Study, out: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setitem(archiving.PIECES, form, lambda dialogs, tally: iter(["something else"]))
    before = (Study.objects.count(), Dialog.objects.count())
    with pytest.raises(CommandError, match=rf"{form}_train\.json.*, imported and exported again, is not the same file"):
        release(out, "--study", "talks", "--formats", form)
    assert not out.exists()
    assert (Study.objects.count(), Dialog.objects.count()) == before


def test_the_proof_of_coming_back_leaves_no_trace(talks: Study, out: Path) -> None:
    before = (Study.objects.count(), Dialog.objects.count(), holding.Video.objects.count())
    release(out, "--study", "talks")
    assert (Study.objects.count(), Dialog.objects.count(), holding.Video.objects.count()) == before


def test_an_archive_can_be_released_again(talks: Study, out: Path, tmp_path: Path) -> None:
    release(out, "--study", "talks")
    call_command("import_dialogs", str(out / data.place("raw", "val")), "--study", "archive", stdout=io.StringIO())
    release(tmp_path / "again", "--study", "archive", "--formats", "raw", "--license", "CC-BY-4.0")
    assert (tmp_path / "again" / data.place("raw", "val")).read_bytes() == (out / data.place("raw", "val")).read_bytes()
    assert "were imported from a file" in (tmp_path / "again/DATASHEET.md").read_text()


# Refusals


REFUSED = [
    (["--study", "talk"], r"There is no study 'talk'\. The studies are: small\."),
    (["--study", "small", "--formats", "raw,csv"], r"There is no format csv\. The formats are: dstc7, "),
    (["--study", "small", "--formats", ","], "Name at least one format"),
    (["--study", "small", "--license", "do as you like"], r"'do as you like' is not the identifier of a licence"),
    (["--study", "small", "--license", "MIT OR 0BSD"], "is not the identifier of a licence"),
    (["--study", "small", "--license", "LicenseRef-mine"], "is not the identifier of a licence"),
    (["--study", "small", "--formats", "visdial"], "has 2 distinct answers; 100 are needed"),
    (["--study", "small", "--who", "nobody"], "There is no account 'nobody'"),
]


def test_what_cannot_be_released_is_said(out: Path) -> None:
    factories.finished_dialog(study=factories.study(slug="small"), video=factories.video(split="train"))
    for options, sentence in REFUSED:
        with pytest.raises(CommandError, match=sentence):
            release(out, *options)
    assert not out.exists()
    assert not Release.objects.exists()


def test_nothing_complete_is_nothing_to_release(out: Path) -> None:
    study = factories.study(slug="empty")
    factories.finished_dialog(study=study, summary=None)
    with pytest.raises(CommandError, match="There is nothing complete to release in empty"):
        release(out, "--study", "empty")


# Licence and citation


def test_the_licence_is_the_one_that_workers_were_told_of(talks: Study, out: Path, tmp_path: Path) -> None:
    assert "Warning" not in release(out, "--study", "talks", "--formats", "raw")
    assert "    CC-BY-4.0\n" in (out / "LICENSE.txt").read_text()
    said = release(tmp_path / "other", "--study", "talks", "--formats", "raw", "--license", "cc0-1.0")
    assert "workers were told of another licence: CC BY 4.0." in said
    assert "license: CC0-1.0\n" in (tmp_path / "other/CITATION.cff").read_text()


def test_it_says_how_to_cite_it(talks: Study, out: Path) -> None:
    options = [
        "--title",
        'Talks & "sums": 100%',
        "--edition",
        "2.1",
        "--author",
        "Institute: of Talk",
        "--doi",
        "10.1/x",
    ]
    release(out, "--study", "talks", "--formats", "raw", *options, "--url", "https://example.org/talks")
    cited = yaml.safe_load((out / "CITATION.cff").read_text())
    assert cited["authors"] == [{"family-names": "Müller", "given-names": "Ada"}, {"name": "Institute: of Talk"}]
    assert (cited["title"], cited["version"], cited["type"]) == ('Talks & "sums": 100%', "2.1", "dataset")
    assert (cited["doi"], cited["url"], cited["license"]) == ("10.1/x", "https://example.org/talks", "CC-BY-4.0")
    bib = (out / "CITATION.bib").read_text()
    assert r'title = {{Talks \& "sums": 100\%}},' in bib
    assert "author = {Müller, Ada and {Institute: of Talk}}," in bib
    assert bib in (out / "README.md").read_text()


def test_without_an_author_the_institution_is_cited_or_one_is_asked_for(talks: Study, out: Path) -> None:
    def without_author() -> None:
        call_command(
            "release",
            "--study",
            "talks",
            "--formats",
            "raw",
            "--out",
            str(out),
            stdout=io.StringIO(),
            stderr=io.StringIO(),
        )

    Study.objects.filter(pk=talks.pk).update(institution="")
    with pytest.raises(CommandError, match=r"Somebody must be cited: name them with --author"):
        without_author()
    Study.objects.filter(pk=talks.pk).update(institution="University of Nowhere")
    without_author()
    assert "author = {{University of Nowhere}}," in (out / "CITATION.bib").read_text()
    assert AUTHOR.startswith("--author=")


# Marks


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
    assert f"dialog {pair} about HIDN2; summary by " in which


def test_a_file_is_compared_whatever_its_size(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c").write_bytes(b"abc")
    proving.write_checksums(tmp_path)
    assert [line.split()[1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines()] == ["a", "b/c"]
