"""Do lists of videos come into the catalogue whole, once, and with sentences for what is wrong?"""

import json
from pathlib import Path
from typing import Any

import av
import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from collector.catalogue import storing
from collector.catalogue.models import Frame, Script, Video
from tests.catalogue import clips

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def media_root(tmp_path: Path, settings: LazySettings) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


@pytest.fixture
def videos(tmp_path: Path, media_root: Path) -> Path:
    folder = tmp_path / "videos"
    folder.mkdir()
    clips.write(folder / "AAAA1.mp4", clips.bars(10), sound=clips.tone)
    clips.write(folder / "AAAA2.mp4", clips.bars(12))
    return folder


def manifest(folder: Path, *values: dict[str, Any]) -> Path:
    path = folder.parent / "list.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def entry(image_id: str, **more: Any) -> dict[str, Any]:
    return {"id": image_id, "script": f"Someone does {image_id}."} | more


def run(source: Path, videos: Path, *options: str) -> None:
    call_command("import_videos", str(source), "--videos", str(videos), *options)


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def refusal(source: Path, videos: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What is said of a source that is refused; nothing may have been left by it."""
    with pytest.raises(CommandError) as caught:
        run(source, videos)
    assert not Video.objects.exists()
    assert files(videos.parent / "media") == set()
    said = capsys.readouterr().err + str(caught.value)
    assert "Traceback" not in said
    return said


def test_a_charades_list_is_imported(videos: Path, media_root: Path) -> None:
    source = videos.parent / "list.csv"
    source.write_text("id,scene,script,length\r\nAAAA1,Den,It  rings.,1.10\r\nAAAA2,Den,It stops.,1.20\r\n")
    run(source, videos, "--split", "train")
    video = Video.objects.get(image_id="AAAA1")
    assert (video.split, video.length, video.metadata, video.has_sound) == ("train", 1.1, {"scene": "Den"}, True)
    assert video.script.text == "It  rings."
    assert [(frame.slot, frame.width) for frame in video.frames.all()] == [(1, 64), (2, 64), (3, 64)]
    names = {name for v in Video.objects.all() for name in [v.file.name, *v.frames.values_list("file", flat=True)]}
    assert files(media_root) == names
    assert not any("AAAA" in name for name in names)


def test_a_split_of_a_row_goes_before_the_option(videos: Path) -> None:
    run(manifest(videos, entry("AAAA1", split="val"), entry("AAAA2")), videos, "--split", "test")
    assert list(Video.objects.values_list("split", flat=True)) == ["val", "test"]


def test_importing_again_updates_and_keeps_the_files(videos: Path, media_root: Path) -> None:
    run(manifest(videos, entry("AAAA1", split="val", licence="X", publishable=True)), videos)
    before = files(media_root)
    run(manifest(videos, entry("AAAA1", script="It changed.", length=2.5)), videos)
    video = Video.objects.get()
    assert (video.script.text, video.length, video.split, video.licence) == ("It changed.", 2.5, "val", "X")
    assert video.is_publishable
    assert files(media_root) == before


def test_a_changed_file_gets_new_frames_and_the_old_ones_go(videos: Path, media_root: Path) -> None:
    source = manifest(videos, entry("AAAA1"), entry("AAAA2"))
    run(source, videos)
    before, other = files(media_root), Video.objects.get(image_id="AAAA2").file.name
    clips.write(videos / "AAAA1.mp4", clips.bars(20, (96, 48)))
    run(source, videos)
    video = Video.objects.get(image_id="AAAA1")
    assert (video.width, video.has_sound, round(video.duration, 1)) == (96, False, 2.0)
    assert {frame.width for frame in video.frames.all()} == {96}
    assert (Frame.objects.count(), Script.objects.count(), len(files(media_root))) == (6, 2, 8)
    assert len(before & files(media_root)) == 4
    assert other in files(media_root)


def test_a_lost_frame_is_made_again(videos: Path, media_root: Path) -> None:
    source = manifest(videos, entry("AAAA1"))
    run(source, videos)
    Path(Frame.objects.all()[0].file.path).unlink()
    run(source, videos)
    assert all(Path(frame.file.path).exists() for frame in Frame.objects.all())
    assert len(files(media_root)) == 4


def test_a_dry_run_writes_nothing(videos: Path, media_root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(manifest(videos, entry("AAAA1")), videos, "--dry-run")
    assert "1 rows checked, nothing was written." in capsys.readouterr().out
    assert not Video.objects.exists()
    assert files(media_root) == set()


def test_a_dry_run_finds_what_does_not_decode(videos: Path) -> None:
    (videos / "AAAA2.mp4").write_text("no video")
    with pytest.raises(CommandError, match="1 row cannot be used"):
        run(manifest(videos, entry("AAAA1"), entry("AAAA2")), videos, "--dry-run")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "There is no such file."),
        (b"", "zero bytes"),
        (b"no video at all", "not a video"),
        ("sound", "sound but no picture"),
        ("cut", "damaged or was cut off"),
    ],
)
def test_an_unusable_file_is_named_with_its_row(
    videos: Path, capsys: pytest.CaptureFixture[str], content: bytes | str | None, words: str
) -> None:
    path = videos / "bad.mp4"
    if content == "sound":
        clips.write_sound(path)
    elif content == "cut":
        path.write_bytes((videos / "AAAA1.mp4").read_bytes()[:500])
    elif isinstance(content, bytes):
        path.write_bytes(content)
    source = manifest(videos, entry("AAAA1"), entry("AAAA2", file="bad.mp4"))
    said = refusal(source, videos, capsys)
    assert f"Error: {source}, row 2, column file: {path}: " in said
    assert words in said
    assert "1 row cannot be used; nothing was imported." in said


def test_every_problem_is_told_and_a_duplicate_names_the_first(
    videos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [entry("AAAA1"), entry("AAAA1"), entry("AAAA2", script=""), entry("NONE1"), entry("../x")]
    said = refusal(manifest(videos, *rows), videos, capsys)
    assert "row 2, column id: 'AAAA1' stands in row 1 too" in said
    assert "row 3, column script" in said
    assert "row 4, column id" in said
    assert "row 5, column id" in said
    assert "4 rows cannot be used" in said


def test_skip_bad_imports_the_rest_and_lists_what_was_left(videos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (videos / "AAAA3.mp4").write_text("no video")
    run(manifest(videos, entry("AAAA1"), entry("AAAA3"), entry("NONE1"), entry("AAAA2")), videos, "--skip-bad")
    said = capsys.readouterr()
    assert list(Video.objects.values_list("image_id", flat=True)) == ["AAAA1", "AAAA2"]
    assert said.err.count("Left out: ") == 2
    assert "2 videos added, 0 updated. 2 left out (listed above)." in said.out


def test_nothing_usable_a_missing_list_and_a_missing_folder_are_sentences(videos: Path) -> None:
    with pytest.raises(CommandError, match="no row that can be used"):
        run(manifest(videos, entry("NONE1")), videos, "--skip-bad")
    with pytest.raises(CommandError, match="cannot be read"):
        run(videos / "none.csv", videos)
    with pytest.raises(CommandError, match="is no folder"):
        run(manifest(videos, entry("AAAA1")), videos / "none")


def test_a_failure_while_writing_leaves_nothing(
    videos: Path, media_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = storing.record

    def fail(details: storing.Details, placed: storing.Placed) -> Video:
        if details.image_id == "AAAA2":
            raise OSError("The disk is full")
        return real(details, placed)

    monkeypatch.setattr(storing, "record", fail)
    with pytest.raises(CommandError, match=r"The disk is full\. Nothing was imported"):
        run(manifest(videos, entry("AAAA1"), entry("AAAA2")), videos)
    assert not Video.objects.exists()
    assert files(media_root) == set()


@pytest.mark.parametrize(("scene", "warns"), [("Garage", True), ("Kitchen", False)])
def test_a_scrambled_scene_column_is_warned_of(
    videos: Path, capsys: pytest.CaptureFixture[str], scene: str, warns: bool
) -> None:
    source = videos.parent / "list.csv"
    rows = [f"K{number:04},{scene},Someone cooks in the kitchen." for number in range(20)]
    source.write_text("\n".join(["id,scene,script", *rows]))
    for number in range(20):
        (videos / f"K{number:04}.mp4").hardlink_to(videos / "AAAA2.mp4")
    run(source, videos)
    assert ("in only 0 % of the 20 rows" in capsys.readouterr().err) is warns


def test_what_browsers_cannot_play_is_refused_and_the_option_named(
    videos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clips.write(videos / "AAAA3.mkv", clips.bars(5))
    said = refusal(manifest(videos, entry("AAAA1"), entry("AAAA3")), videos, capsys)
    assert "row 2, column id: " in said
    assert "Have a copy made that they play: import_videos --transcode" in said


def test_how_many_players_wait_for_is_said_with_what_to_do(videos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = videos / "AAAA2.mp4"
    with av.open(str(first)) as old, av.open(str(videos / "AAAA3.mp4"), "w", options={"movflags": "+faststart"}) as new:
        stream = new.add_stream_from_template(old.streams.video[0])
        for packet in old.demux(old.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                new.mux(packet)
    run(manifest(videos, entry("AAAA1"), entry("AAAA3")), videos)
    said = capsys.readouterr().out
    assert "to the end before it begins: 1.\nCopy them and import them again: ffmpeg -i IN -c copy" in said
    assert "Put them into a study: admin, Studies, Add." in said


def test_store_video_takes_back_its_files_when_the_row_is_refused(videos: Path, media_root: Path) -> None:
    with pytest.raises(Exception, match="Letters, digits"):
        storing.store_video("a b", videos / "AAAA1.mp4", script="x")
    assert files(media_root) == set()


def test_a_sample_keeps_its_scene(videos: Path) -> None:
    made = storing.store_video("SCENE", videos / "AAAA1.mp4", script="x", scene={"objects": []}, licence="CC0")
    made.refresh_from_db()
    assert (made.scene, made.licence, made.script.text) == ({"objects": []}, "CC0", "x")


def test_a_link_that_leads_out_of_the_folder_is_refused_and_one_inside_is_followed(
    videos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (videos.parent / "private.mp4").write_bytes((videos / "AAAA1.mp4").read_bytes())
    (videos / "AAAA3.mp4").symlink_to("../private.mp4")
    said = refusal(manifest(videos, entry("AAAA3")), videos, capsys)
    assert "row 1, column id" in said
    assert "is a link that leads out of the folder of videos" in said
    (videos.parent / "up").symlink_to(videos.parent)
    (videos / "deep").symlink_to("../up")
    assert "leads out" in refusal(manifest(videos, entry("AAAA4", file="deep/private.mp4")), videos, capsys)
    (videos / "AAAA5.mp4").symlink_to("AAAA1.mp4")
    run(manifest(videos, entry("AAAA5")), videos)
    assert Video.objects.get().image_id == "AAAA5"
