"""Are the three stills the beginning, the middle and the end, whatever the file is like?"""

import io
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from collector.catalogue.frames import Still, take_stills
from collector.catalogue.preparing import prepare_all
from collector.catalogue.probing import Reason, Unreadable, probe
from tests.catalogue import clips


def stills(path: Path) -> list[Still]:
    return take_stills(path, probe(path))


def picture(still: Still) -> np.ndarray:
    image = Image.open(io.BytesIO(still.jpeg))
    assert image.format == "JPEG"
    assert image.size == (still.width, still.height)
    return np.asarray(image.convert("L"))


def bar_at(still: Still) -> float:
    """Where the white bar begins, as a share of the width."""
    columns = picture(still).mean(axis=0) > 128
    return float(np.argmax(columns)) / still.width


def seconds(taken: list[Still]) -> list[float]:
    return [pytest.approx(still.seconds, abs=0.02) for still in taken]


def test_frames_differ_when_the_only_key_frame_is_the_first(tmp_path: Path) -> None:
    taken = stills(clips.write(tmp_path / "a.mp4", clips.bars(40), keys=1000))
    assert seconds(taken) == [0.0, 1.9, 3.9]
    assert [bar_at(still) for still in taken] == [pytest.approx(n / 46, abs=0.04) for n in (0, 19, 39)]


def test_the_wanted_frame_is_reached_from_the_key_frame_before(tmp_path: Path) -> None:
    taken = stills(clips.write(tmp_path / "a.mp4", clips.bars(45), keys=7))
    assert seconds(taken) == [0.0, 2.2, 4.4]


def test_black_ends_move_inwards(tmp_path: Path) -> None:
    pictures = [clips.flat(0)] * 8 + clips.bars(30) + [clips.flat(20)] * 30
    taken = stills(clips.write(tmp_path / "a.mp4", pictures))
    assert seconds(taken) == [0.8, 3.3, 3.7]


def test_a_uniform_middle_moves_to_a_frame_beside_it(tmp_path: Path) -> None:
    after = clips.write(tmp_path / "a.mp4", [*clips.bars(18), *[clips.flat(90)] * 4, *clips.bars(18)])
    assert stills(after)[1].seconds == pytest.approx(2.2, abs=0.02)
    before = clips.write(tmp_path / "b.mp4", [*clips.bars(18), *[clips.flat(90)] * 21, clips.bar(3, 6)])
    assert stills(before)[1].seconds == pytest.approx(1.7, abs=0.02)


def test_a_wholly_uniform_video_still_has_frames(tmp_path: Path) -> None:
    taken = stills(clips.write(tmp_path / "a.mp4", [clips.flat(0)] * 21))
    assert seconds(taken) == [0.0, 1.0, 2.0]


def test_one_single_frame_is_taken_three_times(tmp_path: Path) -> None:
    taken = stills(clips.write(tmp_path / "a.mp4", clips.bars(1)))
    assert seconds(taken) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(("turn", "quarter"), [(90, "lower left"), (-90, "upper right"), (180, "lower right")])
def test_rotation_is_applied_as_a_player_does(tmp_path: Path, turn: int, quarter: str) -> None:
    path = clips.write(tmp_path / "a.mp4", [clips.corner()] * 5, rotation=turn)
    facts = probe(path)
    assert facts.rotation == -turn % 360
    for still in take_stills(path, facts):
        assert (still.width, still.height) == (facts.width, facts.height) == ((64, 48) if turn == 180 else (48, 64))
        upper, left = "upper" in quarter, "left" in quarter
        rows = slice(0, still.height // 3) if upper else slice(-still.height // 3, None)
        columns = slice(0, still.width // 3) if left else slice(-still.width // 3, None)
        shown = picture(still)
        assert shown[rows, columns].mean() > 200
        assert shown.mean() < 90


def test_a_variable_frame_rate_gives_what_is_shown_at_half_the_time(tmp_path: Path) -> None:
    times = [0, 5, 10, 15, 20, 25, 30, 300, 400, 500, 1000]
    path = clips.write(tmp_path / "a.mp4", clips.bars(11), times=lambda index: times[index])
    assert seconds(stills(path)) == [0.0, 5.0, 10.0]


def test_times_count_from_the_first_frame(tmp_path: Path) -> None:
    path = clips.write(tmp_path / "a.mkv", clips.bars(21), times=lambda index: 5000 + index * 10)
    assert probe(path).duration == pytest.approx(2.1, abs=0.11)
    assert seconds(stills(path)) == [0.0, 1.0, 2.0]


def test_a_file_without_duration_is_measured(tmp_path: Path) -> None:
    path = clips.write(tmp_path / "a.mkv", clips.bars(21), options={"live": "1"})
    assert probe(path).duration == pytest.approx(2.1, abs=0.02)
    assert seconds(stills(path)) == [0.0, 1.0, 2.0]


def test_a_wrong_duration_is_not_believed(tmp_path: Path) -> None:
    path = clips.write(tmp_path / "a.mp4", clips.bars(21))
    content = bytearray(path.read_bytes())
    for box, offset in ((b"mvhd", 20), (b"mdhd", 20), (b"tkhd", 24)):
        at = content.index(box) + offset
        content[at : at + 4] = (int.from_bytes(content[at : at + 4], "big") * 50).to_bytes(4, "big")
    path.write_bytes(content)
    assert probe(path).duration == pytest.approx(2.1, abs=0.05)
    assert seconds(stills(path)) == [0.0, 1.0, 2.0]


def test_a_raw_stream_without_times_is_decoded_from_its_start(tmp_path: Path) -> None:
    taken = stills(clips.write(tmp_path / "a.h264", clips.bars(21)))
    assert [bar_at(still) for still in taken] == [pytest.approx(n / 27, abs=0.06) for n in (0, 10, 20)]


def test_a_file_that_ends_early_gives_the_last_frame_that_decodes(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (60, 48, 64, 3), dtype=np.uint8)
    whole = clips.write(tmp_path / "a.mp4", noise, options={"movflags": "+faststart"})
    content = whole.read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(content[: len(content) * 6 // 10])
    taken = stills(cut)
    assert taken[0].seconds == 0
    assert 2.5 < taken[2].seconds < 4.5
    assert taken[1].seconds == pytest.approx(taken[2].seconds / 2, abs=0.11)
    assert probe(cut).duration == pytest.approx(taken[2].seconds + 0.1, abs=0.25)


@pytest.mark.parametrize("size", [(63, 47), (17, 9), (2, 2)])
def test_odd_sizes_stay_as_they_are(tmp_path: Path, size: tuple[int, int]) -> None:
    taken = stills(clips.write(tmp_path / "a.avi", clips.bars(5, size), codec="ffv1", pixels="bgr0"))
    assert {(still.width, still.height) for still in taken} == {size}


def test_wide_frames_become_960_pixels_wide_and_never_larger(tmp_path: Path) -> None:
    taken = stills(clips.write(tmp_path / "a.mp4", clips.bars(3, (1922, 100))))
    assert {(still.width, still.height) for still in taken} == {(960, 50)}


def test_pixels_that_are_not_square_are_shown_so(tmp_path: Path) -> None:
    path = clips.write(tmp_path / "a.mkv", clips.bars(3), aspect=Fraction(2, 1))
    assert probe(path).width == 128
    assert {(still.width, still.height) for still in stills(path)} == {(128, 48)}


def test_many_files_are_prepared_on_all_cores_in_order(tmp_path: Path) -> None:
    good = clips.write(tmp_path / "a.mp4", clips.bars(5))
    bad = tmp_path / "b.mp4"
    bad.write_bytes(b"")
    results = list(prepare_all((number, bad if number == 3 else good, "") for number in range(8)))
    assert [number for number, _ in results] == list(range(8))
    assert [isinstance(result, Unreadable) for _, result in results] == [number == 3 for number in range(8)]
    error = results[3][1]
    assert isinstance(error, Unreadable)
    assert error.code is Reason.EMPTY
