"""The export as a researcher calls it: files, counts, warnings, refusals."""

import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError

from chat import transcripts
from chat.models import Dialog
from collector.exports import avsd, normalising, rows
from tests import factories
from tests.exports.running import export

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("made_up_dialogs")
def test_every_dialog_comes_back_from_the_raw_file(out: Path) -> None:
    content, _, _ = export(out, "--format", "raw")
    found = [
        (video, [(said["question"], said["answer"]) for said in rounds])
        for video, entry in content.items()
        for rounds in entry["data"].values()
    ]
    assert found == [(d.video.image_id, _rounds(d)) for d in Dialog.objects.order_by("video__image_id", "started_at")]
    assert all(
        [said["id"] for said in rounds] == [str(n + 1) for n in range(len(rounds))]
        for entry in content.values()
        for rounds in entry["data"].values()
    )


def _rounds(dialog: Dialog) -> list[tuple[str, str]]:
    texts = [u.text.replace("\n", " ") for u in dialog.utterances.order_by("position")]
    return list(zip(texts[0 : 2 * dialog.rounds : 2], texts[1 : 2 * dialog.rounds : 2], strict=True))


@pytest.mark.usefixtures("made_up_dialogs")
def test_the_dstc7_file_has_the_exact_shape(out: Path) -> None:
    content, _, _ = export(out)
    assert {key: content[key] for key in content if key != "dialogs"} == {
        "type": "scene_aware_dialog",
        "version": "0.1",
    }
    for scene in content["dialogs"]:
        assert set(scene) == {"image_id", "caption", "summary", "dialog"}
        assert all(set(said) == {"question", "answer"} for said in scene["dialog"])


def test_the_first_complete_dialog_of_a_video_is_taken(out: Path) -> None:
    video, study = factories.video(), factories.study()
    for hours, summary in ((0, None), (2, "The later of both."), (1, "The earlier of both.")):
        started = factories.START + timedelta(hours=hours)
        factories.finished_dialog(summary=summary, video=video, study=study, started_at=started)
    content, said, _ = export(out, "--without-summary")
    assert [scene["summary"] for scene in content["dialogs"]] == ["the earlier of both ."]
    assert "2  second dialog of a video" in said


def test_raw_holds_every_dialog_of_a_video(out: Path) -> None:
    video, study = factories.video(split="test"), factories.study()
    for hours in (0, 1):
        factories.finished_dialog(video=video, study=study, started_at=factories.START + timedelta(hours=hours))
    content, said, _ = export(out, "--format", "raw")
    assert list(content) == [video.image_id]
    assert len(content[video.image_id]["data"]) == 2
    assert content[video.image_id]["split"] == "test"
    assert "Wrote 2 dialogs about 1 video" in said
    assert "one summary a video: 1 of further dialogs left out" in said


def test_what_is_left_out_is_counted_by_reason(out: Path) -> None:
    factories.finished_dialog()
    factories.finished_dialog(summary=None)
    _broken_off()
    factories.dialog()
    factories.finished_dialog(is_simulated=True)
    content, said, _ = export(out)
    assert len(content["dialogs"]) == 1
    for reason in ("no summary", "incomplete", "still running", "simulated"):
        assert f"1  {reason}" in said
    assert "Left out: 4 dialogs:" in said


def _broken_off() -> Dialog:
    dialog = factories.dialog(ended_at=factories.START + timedelta(minutes=5), ended_why="left")
    factories.talk(dialog, [("Is somebody there?", "Yes, one person is there.")])
    return dialog


def test_dialogs_without_summary_come_on_request(out: Path) -> None:
    factories.finished_dialog(summary=None)
    _broken_off()
    content, said, _ = export(out, "--without-summary")
    assert [scene["summary"] for scene in content["dialogs"]] == [""]
    assert "no summary" not in said
    assert "1  incomplete" in said


def test_a_dialog_that_waits_for_its_summary_is_still_running(out: Path) -> None:
    dialog = factories.dialog(rounds=1)
    factories.talk(dialog, [("Is somebody there?", "Yes, one person is there.")])
    content, said, _ = export(out, "--without-summary")
    assert content["dialogs"] == []
    assert "1  still running" in said


def test_simulated_dialogs_come_on_request(out: Path) -> None:
    factories.finished_dialog(is_simulated=True)
    assert export(out)[0]["dialogs"] == []
    assert len(export(out, "--simulated")[0]["dialogs"]) == 1


def test_one_study_or_split_alone_can_be_taken(out: Path) -> None:
    study = factories.study(slug="pilot")
    factories.finished_dialog(study=study, video=factories.video(image_id="AAAAA", split="val"))
    factories.finished_dialog(study=study, video=factories.video(image_id="BBBBB", split="test"))
    factories.finished_dialog(video=factories.video(image_id="CCCCC", split="test"))

    def ids(*options: str) -> list[str]:
        return [scene["image_id"] for scene in export(out, *options)[0]["dialogs"]]

    assert ids() == ["AAAAA", "BBBBB", "CCCCC"]
    assert ids("--study", "pilot") == ["AAAAA", "BBBBB"]
    assert ids("--split", "test") == ["BBBBB", "CCCCC"]
    assert ids("--study", "pilot", "--split", "test") == ["BBBBB"]


def test_a_video_without_split_or_script_leaves_no_null(out: Path) -> None:
    factories.finished_dialog(video=factories.video(script=None))
    assert export(out)[0]["dialogs"][0]["caption"] == ""
    (entry,) = export(out, "--format", "raw")[0].values()
    assert (entry["script"], entry["split"]) == ("", "train")


def test_ids_that_some_readers_cannot_take_are_named(out: Path) -> None:
    for image_id in ("bikes", "GOOD1", "LONGER"):
        factories.finished_dialog(video=factories.video(image_id=image_id))
    _, _, warned = export(out)
    assert "LONGER, bikes" in warned
    assert "GOOD1" not in warned


def test_order_is_by_bytes_and_the_same_each_time(out: Path) -> None:
    for image_id in ("b0000", "B0000", "a0000", "A0000", "00000"):
        factories.finished_dialog(video=factories.video(image_id=image_id))
    first = export(out)[0]
    assert [scene["image_id"] for scene in first["dialogs"]] == ["00000", "A0000", "B0000", "a0000", "b0000"]
    assert export(out)[0] == first


def test_pair_keys_are_pseudonyms(out: Path) -> None:
    dialog = factories.finished_dialog()
    raw, _, _ = export(out, "--format", "raw")
    (key,) = raw[dialog.video.image_id]["data"]
    assert len(key) == 40
    text = out.read_text()
    for seat in dialog.seats.select_related("worker"):
        assert seat.worker.external_id not in text


@pytest.mark.parametrize("form", ["raw", "dstc7"])
def test_how_texts_were_written_is_left_out(out: Path, form: str) -> None:
    dialog = factories.finished_dialog()
    evidence = {"to_first_key": 1.5, "to_send": 987.6, "pastes": [4321], "focus_losses": 3, "corrections": 14}
    dialog.utterances.update(evidence=evidence)
    export(out, "--format", form)
    written = out.read_text()
    assert dialog.video.image_id in written
    assert not [each for each in (*evidence, "987.6", "4321") if each in written]


def test_nothing_to_write_is_said(out: Path) -> None:
    content, said, warned = export(out)
    assert content["dialogs"] == []
    assert "Left out: 0 dialogs." in said
    assert "no dialog to write" in warned
    assert export(out, "--format", "raw")[0] == {}


def test_an_unknown_study_is_refused_with_the_known_ones(out: Path) -> None:
    factories.study(slug="pilot")
    with pytest.raises(CommandError, match=r"There is no study 'pilt'. The studies are: pilot\."):
        export(out, "--study", "pilt")
    assert not out.exists()


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no folder"):
        export(tmp_path / "nowhere" / "out.json")


def test_a_folder_instead_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is not a file"):
        export(tmp_path)


@pytest.mark.parametrize(("closed", "sentence"), [("", "Nothing may be written"), ("out.json", "may not be written")])
def test_what_may_not_be_written_is_refused_before_the_work(
    out: Path, monkeypatch: pytest.MonkeyPatch, closed: str, sentence: str
) -> None:
    out.write_text("old")
    # Asked of the system, which lets root do everything.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != out.parent / closed)
    with pytest.raises(CommandError, match=sentence):
        export(out)
    assert out.read_text() == "old"


def test_a_failed_export_leaves_the_old_file_and_nothing_else(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.finished_dialog()
    export(out)
    before = out.read_bytes()

    def broken(text: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(normalising, "normalised", broken)
    with pytest.raises(CommandError, match="No space left on device"):
        export(out)
    assert out.read_bytes() == before
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    factories.finished_dialog()
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    export(link)
    assert link.is_symlink()
    assert json.loads(target.read_text())["dialogs"]


def test_queries_grow_by_two_a_chunk_only(django_assert_num_queries: Any) -> None:
    study = factories.study()
    for _ in range(7):
        factories.finished_dialog(study=study, seated=False)
    with django_assert_num_queries(1 + 2):
        assert len(list(transcripts.read(Dialog.objects.all(), chunk=7))) == 7
    with django_assert_num_queries(1 + 6):
        assert len(list(transcripts.read(Dialog.objects.all(), chunk=3))) == 7


def test_nothing_is_read_ahead(django_assert_num_queries: Any) -> None:
    study = factories.study()
    for _ in range(6):
        factories.finished_dialog(study=study, seated=False)
    reading = transcripts.read(Dialog.objects.all(), chunk=2)
    with django_assert_num_queries(1 + 2):
        list(islice(reading, 2))
    with django_assert_num_queries(2):
        next(reading)


@pytest.mark.parametrize("form", [avsd.dstc7, avsd.dstc10, avsd.raw, rows.jsonl])
def test_memory_does_not_grow_with_the_dialogs(form: Callable[..., Iterator[str]]) -> None:
    study, long = factories.study(), "word " * 400

    def peak(dialogs: int) -> int:
        for _ in range(dialogs):
            factories.finished_dialog([(long, long)], long, study=study, seated=False)
        tracemalloc.start()
        try:
            for _ in form(transcripts.read(Dialog.objects.all(), chunk=20), avsd.Tally()):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few = peak(100)
    assert peak(300) < 1.5 * few  # four times as many


def test_what_a_person_has_taken_out_stays_behind_and_is_counted_apart(out: Path, admin_user: User) -> None:
    study = factories.study()
    factories.finished_dialog(study=study)
    taken_out = factories.finished_dialog(study=study)
    Dialog.objects.filter(pk=taken_out.pk).take_out("Off the subject.", admin_user)
    said = export(out)[1]
    assert "Wrote 1 dialog about 1 video" in said
    assert "1  taken out by a person" in said
    assert taken_out.video.image_id not in out.read_text()
    Dialog.objects.filter(pk=taken_out.pk).put_back(admin_user)
    assert "Wrote 2 dialogs about 2 videos" in export(out)[1]


def test_a_dialog_of_which_a_worker_has_withdrawn_stays_behind_whole(out: Path) -> None:
    study = factories.study()
    factories.finished_dialog(study=study)
    withdrawn = factories.finished_dialog(study=study)
    part = withdrawn.seats.get(role="answerer").participation
    type(part).objects.filter(pk=part.pk).update(outcome="withdrawn")
    for options in ((), ("--without-summary", "--format", "raw")):
        _, said, _ = export(out, *options)
        assert "Wrote 1 dialog about 1 video" in said
        assert "1  withdrawn by a worker" in said
