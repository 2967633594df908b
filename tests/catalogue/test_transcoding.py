"""Does what browsers cannot play come out as they play it: same times, same colours, right shape, with its sound?"""

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from collector.catalogue import transcoding
from collector.catalogue.frames import take_stills
from collector.catalogue.probing import begins_at_once, probe
from collector.catalogue.transcoding import Made, transcode
from tests.catalogue import clips

COLOURS = {"red": (200, 30, 30), "green": (30, 180, 40), "blue": (40, 50, 190), "grey": (128, 128, 128)}


def converted(path: Path) -> tuple[Path, Made]:
    """Convert a file, see that it is what browsers play, and return it."""
    out = path.with_name("out.part")
    made = transcode(path, out, 1, lambda seconds: None)
    with av.open(str(out)) as opened:
        picture = opened.streams.video[0]
        assert (picture.codec_context.name, picture.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert [each.codec_context.name for each in opened.streams.audio] in (["aac"], [])
        assert not opened.metadata.keys() & {"location", "com.apple.quicktime.location.ISO6709"}
    assert probe(out).is_playable
    assert begins_at_once(out)
    return out, made


def shown(path: Path) -> list[tuple[float, np.ndarray]]:
    """Return each picture with its second, as a browser shows it: in the colours that the file names."""
    with av.open(str(path)) as opened:
        frames = list(opened.decode(opened.streams.video[0]))
        assert {(f.color_primaries, f.color_trc, int(f.colorspace), int(f.color_range)) for f in frames} == {
            (1, 1, 1, 1)
        }
        return [(float(each.time or 0), each.to_ndarray(format="rgb24", src_colorspace="ITU709")) for each in frames]


def quarters() -> np.ndarray:
    picture = np.zeros((96, 128, 3), np.uint8)
    for (row, column), colour in zip(((0, 0), (0, 64), (48, 0), (48, 64)), COLOURS.values(), strict=True):
        picture[row : row + 48, column : column + 64] = colour
    return picture


@pytest.mark.parametrize(
    ("name", "codec", "pixels"),
    [
        ("a.mkv", "libx265", "yuv420p10le"),
        ("a.mov", "prores_ks", "yuv422p10le"),
        ("a.mp4", "libx264", "yuv444p"),
        ("a.avi", "mpeg4", "yuv420p"),
        ("a.mov", "libx264", "yuv420p"),
    ],
)
def test_colours_stay_what_they_were(tmp_path: Path, name: str, codec: str, pixels: str) -> None:
    out, _ = converted(clips.write(tmp_path / name, [quarters()] * 5, codec=codec, pixels=pixels))
    picture = shown(out)[2][1]
    for (row, column), colour in zip(((24, 32), (24, 96), (72, 32), (72, 96)), COLOURS.values(), strict=True):
        assert np.abs(picture[row, column].astype(int) - colour).max() <= 10, (row, column, picture[row, column])


def hdr(path: Path, lights: tuple[int, ...], transfer: int) -> Path:
    """Write a grey picture of each light (10 bits) in the colours of BT.2020 and a transfer of H.273."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx265", rate=10)
        stream.width, stream.height, stream.pix_fmt = 128, 96, "yuv420p10le"
        stream.options = {"x265-params": "log-level=none"}
        context = stream.codec_context
        context.color_primaries, context.color_trc, context.colorspace, context.color_range = 9, transfer, 9, 1
        for number, light in enumerate(lights):
            frame = av.VideoFrame(128, 96, "yuv420p10le")
            for plane, level in zip(frame.planes, (light, 512, 512), strict=True):
                plane.update(np.full(plane.buffer_size // 2, level, np.uint16).tobytes())
            frame.pts, frame.time_base = number, Fraction(1, 10)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(("transfer", "says"), [(16, "PQ"), (18, "HLG"), (1, ""), (2, "")])
def test_only_hdr_is_mapped_and_it_is_said(transfer: int, says: str) -> None:
    frame = av.VideoFrame(128, 96, "yuv420p10le")
    frame.color_trc = transfer
    plan = transcoding._plan(frame, None)
    assert says in "".join(plan.notes)
    assert bool(plan.notes) is bool(says)
    assert ("out_transfer=bt709" in dict(plan.filters)["scale"]) is bool(says)


@pytest.mark.long_drill  # FFmpeg takes seconds to work out its table of colours
@pytest.mark.parametrize(("transfer", "name"), [(16, "PQ"), (18, "HLG")])
def test_hdr_is_mapped_to_an_ordinary_screen_and_said(tmp_path: Path, transfer: int, name: str) -> None:
    out, made = converted(hdr(tmp_path / "a.mkv", (300, 572, 800), transfer))
    assert made.notes == [f"It is HDR ({name}): brightness is mapped to that of ordinary screens."]
    greys = [picture[48, 64].astype(int) for _, picture in shown(out)]
    assert all(np.ptp(grey) <= 4 for grey in greys), "grey stays grey"
    levels = [int(grey.mean()) for grey in greys]
    assert levels[0] < 80
    assert 120 < levels[1] < 180, "paper white is no longer half as bright as the screen"
    assert 190 < levels[2] < 250, "and what is brighter still has room"


def disc(size: tuple[int, int], squeezed: float) -> np.ndarray:
    """Return a picture with a white disc in its middle, that is ``squeezed`` in width."""
    width, height = size
    y, x = np.mgrid[0:height, 0:width]
    inside = ((x - width / 2) * squeezed) ** 2 + (y - height / 2) ** 2 < (height / 3) ** 2
    return np.where(inside[..., None], 255, 0).astype(np.uint8).repeat(3, axis=2)


@pytest.mark.parametrize(
    ("size", "aspect", "wide"),
    [((96, 96), Fraction(4, 3), 128), ((160, 96), Fraction(3, 4), 120), ((128, 97), None, 128)],
)
def test_pixels_come_out_square_and_the_shape_right(
    tmp_path: Path, size: tuple[int, int], aspect: Fraction | None, wide: int
) -> None:
    path = tmp_path / "a.mkv"
    pixels = "yuv420p" if size[1] % 2 == 0 else "yuv444p"
    out, _ = converted(clips.write(path, [disc(size, float(aspect or 1))] * 3, aspect=aspect, pixels=pixels))
    facts = probe(out)
    assert (facts.width, facts.height) == (wide, 96)
    with av.open(str(out)) as opened:
        assert (opened.streams.video[0].sample_aspect_ratio or 1) == 1
    white = shown(out)[1][1][..., 0] > 128
    across, down = np.ptp(np.nonzero(white.any(axis=0))[0]), np.ptp(np.nonzero(white.any(axis=1))[0])
    assert abs(across - down) <= 2, "a disc stays a disc"


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_picture_comes_out_upright(tmp_path: Path, turn: int) -> None:
    source = clips.write(tmp_path / "a.mov", [clips.corner()] * 4, rotation=turn)
    out, _ = converted(source)
    assert (probe(out).rotation, probe(out).width, probe(out).height) == (0, probe(source).width, probe(source).height)
    picture = shown(out)[1][1]
    (before, *_), (after, *_) = take_stills(source, probe(source)), take_stills(out, probe(out))
    assert (before.width, before.height) == (after.width, after.height)
    lit = {90: (-5, 5), 180: (-5, -5), 270: (5, -5)}[turn]  # counter-clockwise, as clips writes it
    assert picture[lit].min() > 240
    assert picture[5, 5].max() < 15


def test_half_pictures_are_put_together_and_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.mkv"
    with av.open(str(path), "w") as out:
        video = out.add_stream("libx264", rate=10)
        video.width, video.height, video.pix_fmt = *clips.SIZE, "yuv420p"
        video.options = {"x264-params": "tff=1"}
        for index, picture in enumerate(clips.bars(10)):
            woven = picture.copy()
            woven[1::2] = clips.bar(index + 4, 16)[1::2]  # the other half is from another moment
            frame = av.VideoFrame.from_ndarray(woven, format="rgb24")
            frame.pts, frame.time_base = index, Fraction(1, 10)
            out.mux(video.encode(frame))
        out.mux(video.encode(None))
    out, made = converted(path)
    assert made.notes == ["Its half pictures are put together."]
    assert [second for second, _ in shown(out)] == pytest.approx([index / 10 for index in range(10)], abs=0.002)
    picture = shown(out)[4][1][..., 0].astype(int)
    assert np.abs(np.diff(picture, axis=0)).mean() < 12, "no comb"


def uneven(index: int) -> int:
    """Return hundredths of a second: ten pictures in the first second, then one a second."""
    return index * 10 if index < 10 else 100 * (index - 9)


def test_a_variable_rate_keeps_each_picture_at_its_time(tmp_path: Path) -> None:
    source = clips.write(tmp_path / "a.mkv", clips.bars(14), times=uneven, codec="libx265", pixels="yuv420p10le")
    out, _ = converted(source)
    pictures = shown(out)
    assert [second for second, _ in pictures] == pytest.approx([uneven(index) / 100 for index in range(14)], abs=0.002)
    assert probe(out).duration == pytest.approx(probe(source).duration, abs=0.002)
    places = [int(np.average(np.arange(64), weights=picture[24, :, 0])) for _, picture in pictures]
    assert places == sorted(places)
    before, after = take_stills(source, probe(source)), take_stills(out, probe(out))
    assert [each.seconds for each in after] == pytest.approx([each.seconds for each in before], abs=0.002)


def test_sound_stays_with_the_picture(tmp_path: Path) -> None:
    """A flash and a beep come together, in the middle of uneven pictures."""
    pictures = [clips.flat(255 if index == 12 else 40) for index in range(14)]
    path = tmp_path / "a.mkv"
    with av.open(str(path), "w") as out:
        video, audio = out.add_stream("mpeg4", rate=10), out.add_stream("flac", rate=16000, layout="mono")
        video.width, video.height, video.pix_fmt = *clips.SIZE, "yuv420p"
        video.codec_context.time_base = Fraction(1, 100)
        for index, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = uneven(index), Fraction(1, 100)
            out.mux(video.encode(frame))
        loud = (np.arange(5 * 16000) // 1600 == 30) * np.sin(np.arange(5 * 16000) * 0.2) * 20000
        sound = av.AudioFrame.from_ndarray(loud.astype(np.int16).reshape(1, -1), format="s16", layout="mono")
        sound.sample_rate, sound.pts, sound.time_base = 16000, 0, Fraction(1, 16000)
        out.mux(audio.encode(sound))
        for stream in (video, audio):
            out.mux(stream.encode(None))
    made, _ = converted(path)
    flash = next(second for second, picture in shown(made) if picture.mean() > 200)
    assert flash == pytest.approx(uneven(12) / 100, abs=0.002)
    assert beep(made) == pytest.approx(flash, abs=0.03)


def beep(path: Path) -> float:
    """Return the second of the first sound."""
    with av.open(str(path)) as opened:
        for frame in opened.decode(opened.streams.audio[0]):
            loud = np.nonzero(np.abs(frame.to_ndarray()).max(axis=0) > 0.1)[0]
            if loud.size:
                return float(frame.time or 0) + int(loud[0]) / frame.sample_rate
    raise AssertionError("no sound")


def tracks(path: Path, default: int | None) -> Path:
    """Write two audio tracks, silence and a tone."""
    with av.open(str(path), "w") as out:
        video = out.add_stream("libx264", rate=10)
        video.width, video.height, video.pix_fmt = *clips.SIZE, "yuv420p"
        sounds = [out.add_stream("aac", rate=16000, layout="mono") for _ in range(2)]
        for number, each in enumerate(sounds):
            each.metadata["language"] = ("fra", "eng")[number]
            each.disposition = av.stream.Disposition.default if number == default else av.stream.Disposition(0)
        for index, picture in enumerate(clips.bars(10)):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = index, Fraction(1, 10)
            out.mux(video.encode(frame))
            for stream, sound in zip(sounds, (clips.silence, clips.tone), strict=True):
                out.mux(stream.encode(clips._samples(sound(index), index)))
        for stream in (video, *sounds):
            out.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(("default", "number", "language"), [(1, 2, "eng"), (None, 1, "fra")])
def test_which_of_many_audio_tracks_is_taken_is_said(
    tmp_path: Path, default: int | None, number: int, language: str
) -> None:
    out, made = converted(tracks(tmp_path / "a.mkv", default))
    assert probe(out).has_sound is (number == 2)
    (note,) = made.notes
    assert note.startswith(f"Of 2 audio tracks number {number} ({language}) is taken")


def test_without_sound_none_is_made(tmp_path: Path) -> None:
    out, made = converted(clips.write(tmp_path / "a.avi", clips.bars(5), codec="mpeg4"))
    assert (probe(out).audio_codec, made.settings["audio"]) == ("", "")
    assert made.settings["video"].startswith("libx264 crf=")
    assert "FFmpeg" in made.settings["program"]


def run(*arguments: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "collector.catalogue.transcoding", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})


def test_the_process_tells_how_far_it_is_and_what_is_wrong(tmp_path: Path) -> None:
    said = run(clips.write(tmp_path / "a.avi", clips.bars(25), codec="mpeg4"), tmp_path / "b", 1).stdout.splitlines()
    assert [line.split(":")[0] for line in said] == ['{"at"'] * 3 + ['{"notes"']
    (tmp_path / "c").write_text("no video")
    assert "not a video that FFmpeg knows" in run(tmp_path / "c", tmp_path / "d", 1).stdout
