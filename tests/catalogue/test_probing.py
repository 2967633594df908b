"""Is what we say of a video file true, and is each unusable one refused with its reason?"""

from pathlib import Path

import pytest

from collector.catalogue import probing
from collector.catalogue.probing import SENTENCES, Reason, Unreadable, probe
from tests.catalogue import clips


def reason(path: Path) -> Reason:
    with pytest.raises(Unreadable) as caught:
        probe(path)
    assert str(caught.value) == SENTENCES[caught.value.code]
    return caught.value.code


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert reason(tmp_path / "none.mp4") is Reason.MISSING
    assert reason(tmp_path) is Reason.MISSING


def test_zero_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    path.touch()
    assert reason(path) is Reason.EMPTY


@pytest.mark.parametrize(
    "content", [b"id,script\nA,B\n", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, b"#EXTM3U\nhttp://a/b.ts\n"]
)
def test_what_is_not_a_video_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.mp4"
    path.write_bytes(content)
    assert reason(path) is Reason.NOT_VIDEO


def test_sound_alone_is_refused(tmp_path: Path) -> None:
    assert reason(clips.write_sound(tmp_path / "a.mp4")) is Reason.AUDIO_ONLY


def test_a_video_whose_index_is_cut_off_is_broken(tmp_path: Path) -> None:
    path = clips.write(tmp_path / "a.mp4", clips.bars(20))
    path.write_bytes(path.read_bytes()[:600])
    assert reason(path) is Reason.BROKEN


def test_a_video_without_one_decodable_frame_is_refused(tmp_path: Path) -> None:
    path = clips.write(tmp_path / "a.mp4", clips.bars(20), options={"movflags": "+faststart"})
    content = path.read_bytes()
    path.write_bytes(content[: content.index(b"mdat") + 5])
    assert reason(path) is Reason.NO_FRAME


def test_size_seconds_and_codecs_are_measured(tmp_path: Path) -> None:
    facts = probe(clips.write(tmp_path / "a.mp4", clips.bars(25), sound=clips.tone))
    assert (facts.width, facts.height, facts.rotation) == (64, 48, 0)
    assert facts.duration == pytest.approx(2.5, abs=0.01)
    assert (facts.video_codec, facts.audio_codec) == ("h264", "aac")
    assert (facts.is_playable, facts.playable_note) == (True, "")


@pytest.mark.parametrize(
    ("sound", "has_sound", "is_silent"), [(clips.tone, True, False), (clips.silence, False, True), (None, False, False)]
)
def test_a_silent_track_is_told_from_sound_and_from_none(tmp_path, sound, has_sound, is_silent) -> None:
    facts = probe(clips.write(tmp_path / "a.mp4", clips.bars(10), sound=sound))
    assert (facts.has_sound, facts.is_silent) == (has_sound, is_silent)
    assert bool(facts.audio_codec) == (sound is not None)


def test_a_sound_late_in_the_track_is_heard(tmp_path: Path) -> None:
    late = lambda index: clips.tone(index) if index == 18 else clips.silence(index)  # noqa: E731
    assert probe(clips.write(tmp_path / "a.mp4", clips.bars(20), sound=late)).has_sound


def test_webm_is_playable(tmp_path: Path) -> None:
    path = clips.write(tmp_path / "a.webm", clips.bars(5), codec="libvpx-vp9", sound=clips.tone)
    assert probe(path).is_playable


@pytest.mark.parametrize(
    ("name", "codec", "pixels", "word"),
    [
        ("a.avi", "mpeg4", "yuv420p", "avi"),
        ("a.mp4", "mpeg4", "yuv420p", "mpeg4"),
        ("a.mkv", "libx264", "yuv420p", "Matroska"),
        ("a.mov", "libx264", "yuv420p", "QuickTime"),
        ("a.mp4", "libx264", "yuv444p", "yuv444p"),
    ],
)
def test_what_browsers_cannot_play_says_what_to_do(
    tmp_path: Path, name: str, codec: str, pixels: str, word: str
) -> None:
    facts = probe(clips.write(tmp_path / name, clips.bars(5), codec=codec, pixels=pixels))
    assert not facts.is_playable
    assert word in facts.playable_note
    assert "import_videos --transcode" in facts.playable_note
    assert len(facts.playable_note) <= 300


def test_a_small_file_that_claims_a_huge_picture_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "decode", lambda *_: pytest.fail("it was decoded"))
    path = clips.write(tmp_path / "bomb.mov", [clips.flat(0, (8192, 4640))], codec="png", pixels="rgb24")
    assert path.stat().st_size < 1_000_000
    assert reason(path) is Reason.TOO_MANY_PIXELS


def test_what_is_too_large_in_bytes_seconds_or_pixels_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.mp4"
    with path.open("wb") as file:
        file.truncate(probing.MAX_BYTES + 1)
    assert reason(path) is Reason.TOO_LARGE
    assert reason(clips.write(path, clips.bars(2), times=lambda index: index * 800_000)) is Reason.TOO_LONG
    monkeypatch.setattr(probing, "MAX_PIXELS", 64 * 48 - 1)
    assert reason(clips.write(path, clips.bars(2))) is Reason.TOO_MANY_PIXELS


def test_pictures_that_turn_out_larger_than_allowed_do_not_decode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = clips.write(tmp_path / "a.h264", clips.bars(400))  # so many that opening does not look beyond
    large = clips.write(tmp_path / "b.h264", clips.bars(5, (640, 480)))
    path = tmp_path / "c.h264"
    path.write_bytes(small.read_bytes() + large.read_bytes())
    with probing.opened(path) as (container, stream):
        assert {frame.width for frame in probing.decode(container, stream)} == {64, 640}
    monkeypatch.setattr(probing, "MAX_PIXELS", 64 * 48)
    with probing.opened(path) as (container, stream):
        assert {frame.width for frame in probing.decode(container, stream)} == {64}
