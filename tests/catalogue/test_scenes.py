"""Sample scenes: their script is true, in order, and the same seed gives the same video."""

import re
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from collector.catalogue.rendering import RATE, render, sound_of
from collector.catalogue.scenes import MOST, SAMPLES, Scene, from_json, make_scene, samples, script_of, to_json
from collector.catalogue.tracing import pictures

MANY = [*SAMPLES.values(), *range(100, 160)]


def seen_events(scene: Scene) -> list[str]:
    """Tell what happens from the positions alone."""
    found: list[tuple[int, str]] = []
    for thing in scene.things:
        places = np.array(thing.path)
        moving = np.flatnonzero(np.abs(np.diff(places, axis=0)).sum(axis=1) > 0)
        for run in np.split(moving, np.flatnonzero(np.diff(moving) > 1) + 1):
            if len(run):
                part = places[run[0] : run[-1] + 2]
                dx, dy, _, turn = part[-1] - part[0]
                side = ("left" if dx < 0 else "right") if abs(dx) > abs(dy) else ("front" if dy < 0 else "back")
                if part[:, 2].max() > 0.5:
                    does = f"flies through the air to the {side}"
                else:
                    does = "rotates on the spot" if abs(turn) > 90 else f"slides to the {side}"
                found.append((int(run[0]), f"the {thing.name} {does}"))
    return [told for _, told in sorted(found)]


@pytest.mark.parametrize("seed", MANY)
def test_the_script_tells_what_the_positions_show_in_order(seed: int) -> None:
    scene = make_scene(seed)
    told = [part.removeprefix("Then ").lower() for part in re.findall(r"[^.]+(?=\.)", script_of(scene))]
    assert [part.strip().removeprefix("then ") for part in told] == seen_events(scene)


@pytest.mark.parametrize("seed", MANY)
def test_a_scene_is_six_to_ten_seconds_of_objects_that_never_touch(seed: int) -> None:
    scene = make_scene(seed)
    assert 6 <= scene.seconds <= 10
    assert len({thing.colour for thing in scene.things}) == len(scene.things) >= 4
    assert all(len(thing.path) == scene.frames for thing in scene.things)
    ends = [(event.start, event.end) for event in scene.events]
    assert all(first[1] < second[0] for first, second in pairwise(ends))
    for number, thing in enumerate(scene.things):
        for other in scene.things[:number]:
            apart = np.array(thing.path)[:, :3] - np.array(other.path)[:, :3]
            assert np.linalg.norm(apart, axis=1).min() > 0.7


def test_ids_of_samples_are_five_digits_or_capitals() -> None:
    assert samples(6) == SAMPLES
    assert len(samples(MOST)) == len(set(samples(MOST).values())) == MOST
    assert all(re.fullmatch(r"[0-9A-Z]{5}", image_id) for image_id in samples(MOST))
    assert len({script_of(make_scene(seed)) for seed in SAMPLES.values()}) == 6


def test_a_scene_comes_back_from_json_as_it_was() -> None:
    scene = make_scene(11)
    assert scene == make_scene(11) == from_json(to_json(scene))
    assert scene != make_scene(12)


def test_every_event_is_heard() -> None:
    scene = make_scene(32)
    heard = sound_of(scene)
    assert len(heard) == round(scene.seconds * RATE)
    for event in scene.events:
        part = heard[event.start * RATE // scene.fps : event.end * RATE // scene.fps]
        assert np.abs(part).max() > 0.05
    assert np.abs(heard[: scene.events[0].start * RATE // scene.fps]).max() == 0


def test_events_are_seen() -> None:
    scene = make_scene(32)
    frames = [frame.astype(int) for frame in pictures(scene)]
    assert len(frames) == scene.frames
    for event in scene.events:
        before, during = frames[event.start - 1], frames[event.start : event.end]
        # A cube looks the same after a quarter turn, so the frame that differs most counts.
        assert max((np.abs(frame - before).max(axis=2) > 24).sum() for frame in during) > 150
    assert (frames[0] == frames[scene.events[0].start - 1]).all()


def test_a_video_plays_while_it_loads_and_is_always_the_same(tmp_path: Path) -> None:
    scene = make_scene(11)
    for name in ("first.mp4", "second.mp4"):
        render(scene, tmp_path / name)
    data = (tmp_path / "first.mp4").read_bytes()
    assert data == (tmp_path / "second.mp4").read_bytes()
    assert 0 < data.index(b"moov") < data.index(b"mdat")
    with av.open(str(tmp_path / "first.mp4")) as file:
        stream = file.streams.video[0]
        assert (stream.width, stream.height, stream.average_rate, stream.codec_context.name) == (640, 360, 25, "h264")
        assert file.streams.audio[0].codec_context.name == "aac"
        keys = [float(packet.pts * packet.time_base) for packet in file.demux(stream) if packet.is_keyframe]
    assert keys == pytest.approx([*range(len(keys))])
    with av.open(str(tmp_path / "first.mp4")) as file:
        assert sum(1 for _ in file.decode(video=0)) == scene.frames
