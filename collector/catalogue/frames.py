"""Which three stills show a video? Its beginning, middle and end, as a player would show them.

Plain Python with PyAV and Pillow, no Django: it runs in worker processes too. A seek lands on a key frame before the
wanted time, so decoding goes on from there. A nearly uniform frame (black, a hand on the camera) tells nothing and
gives way to the next one towards the inside.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import av
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from PIL import Image

from collector.catalogue.probing import Facts, Reason, Unreadable, clockwise, decode, opened, shown_size

MAX_WIDTH = 960
"""Pixels; wider frames are made smaller."""
_UNIFORM = 8.0  # standard deviation, of 255, below which every channel of a frame counts as one flat colour
_WINDOW = 2.0  # seconds before the end where the last frame is looked for first
_QUALITY = 85


@dataclass(frozen=True)
class Still:
    """One frame: seconds from the start of the video, JPEG bytes, and its size in pixels."""

    seconds: float
    jpeg: bytes
    width: int
    height: int


class _Shot(NamedTuple):
    seconds: float
    frame: VideoFrame
    size: tuple[int, int]


def take_stills(path: Path, facts: Facts) -> list[Still]:
    """Return the beginning, middle and end frame of ``path``, in this order. Raises Unreadable.

    A video of one single frame gives that frame three times.
    """
    first = _beginning(path, facts)
    last, end = _end(path, facts)
    middle = _middle(path, facts, end.seconds)
    return [_still(shot) for shot in (first, middle, last)]


def _shots(path: Path, facts: Facts, seconds: float = 0.0) -> Iterator[_Shot]:
    """Yield the frames from the key frame at or before ``seconds`` on, or all when seeking does not work."""
    with opened(path) as (container, stream):
        if seconds == 0 or _seek(container, stream, facts.start + seconds):
            rate = float(stream.average_rate or stream.guessed_rate or 25)
            for index, frame in enumerate(decode(container, stream)):
                time = frame.time - facts.start if frame.time is not None else index / rate
                if index == 0 and seconds > 0 and (frame.time is None or time > seconds):
                    break  # without times, or beyond the target: the index of this file cannot be trusted
                yield _Shot(max(0.0, time), frame, shown_size(frame, stream))
            else:
                return
    yield from _shots(path, facts)


def _seek(container: InputContainer, stream: VideoStream, seconds: float) -> bool:
    """Go to the key frame at or before ``seconds``; tell whether the file allows it."""
    try:
        container.seek(int(seconds / (stream.time_base or 1)), stream=stream)
    except (av.FFmpegError, OverflowError):
        return False
    return True


def _beginning(path: Path, facts: Facts) -> _Shot:
    first = None
    for shot in _shots(path, facts):
        if not is_uniform(shot.frame):
            return shot
        first = first or shot
    return _found(first)


def _end(path: Path, facts: Facts) -> tuple[_Shot, _Shot]:
    """Return the last frame worth showing and the very last that decodes."""
    span, end, last = _WINDOW, None, None
    while last is None:
        start = max(0.0, facts.duration - span)
        window = None
        for shot in _shots(path, facts, start):
            window = shot
            if not is_uniform(shot.frame):
                last = shot
        end = end or window
        if start == 0:
            break
        span *= 3
    return last or _found(end), _found(end)


def _middle(path: Path, facts: Facts, end: float) -> _Shot:
    """Return what is shown at half the time, or the nearest frame after, else before, that is not uniform."""
    target, shown = end / 2, None
    for shot in _shots(path, facts, target):
        if shown is None or shot.seconds <= target:
            shown = shot
            continue
        if not is_uniform(shown.frame):
            return shown
        if shot.seconds > end * 5 / 6:
            break
        if not is_uniform(shot.frame):
            return shot
    shown = _found(shown)
    if not is_uniform(shown.frame):
        return shown
    before = None
    for shot in _shots(path, facts, end / 6):
        if shot.seconds > target:
            break
        if not is_uniform(shot.frame):
            before = shot
    return before or shown


def _found(shot: _Shot | None) -> _Shot:
    if shot is None:
        raise Unreadable(Reason.NO_FRAME)
    return shot


def is_uniform(frame: VideoFrame) -> bool:
    """Tell whether ``frame`` is nearly one flat colour."""
    small = frame.reformat(width=64, height=36, format="rgb24").to_ndarray()
    return bool(small.std(axis=(0, 1)).max() < _UNIFORM)


def _still(shot: _Shot) -> Still:
    """Return ``shot`` upright, with square pixels and not too wide, as a JPEG."""
    width, height = shot.size
    if width > MAX_WIDTH:
        width, height = MAX_WIDTH, max(1, round(height * MAX_WIDTH / width))
    turn = clockwise(shot.frame)
    image: Image.Image = shot.frame.to_image()  # type: ignore[no-untyped-call]
    if turn:
        turns = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}
        image = image.transpose(turns[turn])  # Pillow counts the other way round
    if image.size != (width, height):
        image = image.resize((width, height), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=_QUALITY, optimize=True)
    return Still(round(shot.seconds, 3), buffer.getvalue(), width, height)
