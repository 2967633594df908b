"""Files come back as they left, byte for byte; what is wrong with a file is said, and then nothing is stored."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from chat.models import Dialog, Utterance
from collector.catalogue.models import Video
from collector.studies import videos
from collector.studies.models import State, Study, StudyVideo, Worker
from tests import factories
from tests.exports.running import GOLDEN, export, make_dialogs

pytestmark = pytest.mark.django_db
FIRST_ANSWER = '"answer": "A kitchen; 3.5 meters wide *maybe*.", '


def take(path: Path, slug: str = "archive", *options: str) -> str:
    """Run the import; return what it says."""
    said = StringIO()
    call_command("import_dialogs", str(path), "--study", slug, *options, stdout=said, no_color=True)
    return said.getvalue()


@pytest.mark.parametrize("golden", ["dstc7.json", "dstc7-undisclosed.json", "raw.json", "rounds.jsonl"])
def test_a_file_comes_back_byte_for_byte(out: Path, golden: str) -> None:
    form = {"rounds.jsonl": "jsonl", "raw.json": "raw"}.get(golden, "dstc7")
    said = take(GOLDEN / golden)
    assert f"({form}) into the study 'archive'" in said
    assert "writes the same file, byte for byte" in said
    export(out, "--study", "archive", "--format", form)
    assert out.read_bytes() == (GOLDEN / golden).read_bytes()


@pytest.mark.parametrize("form", ["dstc7", "raw", "jsonl"])
def test_it_comes_back_where_the_catalogue_has_the_videos(out: Path, tmp_path: Path, form: str) -> None:
    make_dialogs({"train": 3, "val": 2})
    left = tmp_path / "left"
    export(left, "--format", form)
    Video.objects.update(split="test", duration=1.0, has_sound=False)
    said = take(left)
    assert "Imported 5 dialogs" in said
    assert "came into the catalogue" not in said
    export(out, "--study", "archive", "--format", form)
    assert out.read_bytes() == left.read_bytes()


def test_dialogs_without_summary_come_back(out: Path, tmp_path: Path) -> None:
    for summary in (None, "A summary."):
        factories.finished_dialog(summary=summary)
    export(tmp_path / "left", "--format", "jsonl", "--without-summary")
    assert "byte for byte" in take(tmp_path / "left")
    export(out, "--study", "archive", "--format", "jsonl", "--without-summary")
    assert out.read_bytes() == (tmp_path / "left").read_bytes()
    export(out, "--study", "archive", "--format", "jsonl")
    assert len(out.read_text().splitlines()) == 2


def test_texts_that_normalising_would_change_again_stay(out: Path, tmp_path: Path) -> None:
    factories.finished_dialog([("Y'a'll there, ok?", "We're here'n'there.")])
    export(tmp_path / "left")
    take(tmp_path / "left")
    export(out, "--study", "archive")
    assert out.read_bytes() == (tmp_path / "left").read_bytes()


def test_another_layout_has_the_same_content_and_that_is_said(out: Path, tmp_path: Path) -> None:
    content = json.loads((GOLDEN / "dstc7.json").read_text())
    (tmp_path / "left.json").write_text(json.dumps(content, indent=1))
    assert "writes a file that differs from it" in take(tmp_path / "left.json")
    assert export(out, "--study", "archive")[0] == content


def test_a_dialog_whose_answers_are_missing_is_kept_as_incomplete(out: Path, tmp_path: Path) -> None:
    content = (GOLDEN / "raw.json").read_text().replace(FIRST_ANSWER, "")
    (tmp_path / "left.json").write_text(content.replace('"answer": "She leaves..... for good!", ', ""))
    said = take(tmp_path / "left.json")
    assert "Imported 3 dialogs" in said
    assert "differs" in said
    _, said, _ = export(out, "--study", "archive", "--format", "raw")
    assert "Wrote 2 dialogs" in said
    assert "1  incomplete" in said


def test_an_archive_is_closed_has_nobody_in_it_and_leaves_only_when_named(out: Path) -> None:
    take(GOLDEN / "raw.json", "archive", "--language", "ja", "--licence", "CC0 1.0")
    study = Study.objects.get(slug="archive")
    assert (study.state, study.language, study.text_licence) == (State.CLOSED, "ja", "CC0 1.0")
    assert not Worker.objects.exists()
    assert export(out)[0]["dialogs"] == []
    assert len(export(out, "--study", "archive")[0]["dialogs"]) == 2
    assert [scene["image_id"] for scene in export(out, "--study", "archive", "--split", "val")[0]["dialogs"]] == [
        "ZX12Q"
    ]


def test_a_video_without_a_file_is_given_to_nobody(admin_client: Any) -> None:
    take(GOLDEN / "raw.json")
    study = factories.study(split="val")
    videos.refresh(study)
    assert not StudyVideo.objects.filter(study=study).exists()
    video = Video.objects.get(image_id="ZX12Q")
    assert not video.is_playable
    assert admin_client.get(reverse("admin:catalogue_video_change", args=[video.pk])).status_code == 200
    assert admin_client.get(reverse("admin:catalogue_video_changelist")).status_code == 200
    assert admin_client.get(reverse("catalogue-file", args=["video", video.pk])).status_code == 404
    assert admin_client.get(reverse("admin:chat_dialog_changelist")).status_code == 200
    dialog = Dialog.objects.filter(video=video).first()
    assert dialog
    assert admin_client.get(reverse("admin:chat_dialog_change", args=[dialog.pk])).status_code == 200


@pytest.mark.parametrize(
    ("golden", "change", "sentence"),
    [
        ("dstc7.json", lambda whole: whole[:-5], "is not JSON"),
        ("dstc7.json", lambda whole: whole.replace('"ZX12Q"', "7"), r"Expected `str`, got `int` - at `\$.dialogs\[1\]"),
        ("dstc7.json", lambda whole: whole.replace("ZX12Q", "0AB3C"), "the video 0AB3C stands twice"),
        ("dstc7.json", lambda whole: whole.replace("ZX12Q", "../up"), "Expected `str` matching regex"),
        ("dstc10.json", lambda whole: whole, r"Expected `str`, got `array` - at `\$.dialogs\[1\].dialog\[1\].answer`"),
        ("dstc7.json", lambda whole: whole.replace("a person", "a \\u0000"), "holds a NUL character"),
        ("raw.json", lambda whole: whole.replace(FIRST_ANSWER, ""), "a round without an answer has others after it"),
        ("raw.json", lambda whole: whole.replace('"val"', '"valid"'), "Invalid enum value 'valid'"),
        ("raw.json", lambda whole: "{}", "holds no dialog"),
        ("rounds.jsonl", lambda whole: whole.replace('"round": 2', '"round": 3'), "do not stand together"),
        ("rounds.jsonl", lambda whole: whole + "{}\n", "line 7: Object missing required field `image_id`"),
        ("rounds.jsonl", lambda whole: whole + whole, "do not stand together"),
        ("rounds.jsonl", lambda whole: whole.replace("+00:00", ""), "line 1: .*timezone"),
        ("visdial/visdial_test.json", lambda whole: whole, "a file of answers to rank: .* one of dstc7, raw, jsonl"),
        ("card.md", lambda whole: whole, "is not JSON"),
        ("card.md", lambda whole: "", "holds no dialog"),
    ],
)
def test_a_file_that_is_wrong_is_refused_and_nothing_stored(
    tmp_path: Path, golden: str, change: Callable[[str], str], sentence: str
) -> None:
    (tmp_path / "bad").write_text(change((GOLDEN / golden).read_text()))
    with pytest.raises(CommandError, match=f"{sentence}.* Nothing was imported"):
        take(tmp_path / "bad")
    assert not any(model.objects.exists() for model in (Study, Dialog, Utterance, Video))


def test_names_that_cannot_be_taken_are_refused(tmp_path: Path) -> None:
    take(GOLDEN / "raw.json")
    with pytest.raises(CommandError, match="There is a study 'archive' already"):
        take(GOLDEN / "dstc7.json")
    with pytest.raises(CommandError, match="'No Slug' is no short name"):
        take(GOLDEN / "dstc7.json", "No Slug")
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        take(tmp_path / "none", "other")
    factories.collection(name="Archive third")
    with pytest.raises(CommandError, match="a study or a collection 'Archive third' already"):
        take(GOLDEN / "dstc7.json", "third")
