"""Which video files do the tests of the catalogue need? Each is drawn and encoded here, none is kept."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

SIZE = (64, 48)
RATE = 10
Picture = np.ndarray


def flat(level: int, size: tuple[int, int] = SIZE) -> Picture:
    """Return a picture of one grey."""
    return np.full((size[1], size[0], 3), level, np.uint8)


def bar(index: int, count: int, size: tuple[int, int] = SIZE) -> Picture:
    """Return a white bar on black whose place says which of ``count`` pictures this is."""
    picture = flat(0, size)
    left = round(index * size[0] / count)
    picture[:, left : left + max(2, size[0] // 8)] = 255
    return picture


def bars(count: int, size: tuple[int, int] = SIZE) -> list[Picture]:
    """Return ``count`` pictures of a bar that moves from left to right."""
    return [bar(index, count + 6, size) for index in range(count)]


def corner(size: tuple[int, int] = SIZE) -> Picture:
    """Return a black picture with a white upper left quarter."""
    picture = flat(0, size)
    picture[: size[1] // 2, : size[0] // 2] = 255
    return picture


def write(
    path: Path,
    pictures: Iterable[Picture],
    *,
    codec: str = "libx264",
    pixels: str = "yuv420p",
    keys: int = 12,
    rotation: int = 0,
    aspect: Fraction | None = None,
    times: Callable[[int], int] | None = None,
    sound: Callable[[int], np.ndarray] | None = None,
    options: dict[str, str] | None = None,
) -> Path:
    """Encode ``pictures`` at ten a second; ``keys`` is the distance of key frames, ``rotation`` counter-clockwise.

    ``times`` gives the time of a picture in hundredths of a second. ``sound`` gives 1,600 samples for each picture.
    """
    pictures = list(pictures)
    with av.open(str(path), "w", options=options or {}) as out:
        video = out.add_stream(codec, rate=RATE)
        video.width, video.height, video.pix_fmt = pictures[0].shape[1], pictures[0].shape[0], pixels
        video.gop_size = keys
        if codec == "libx264":
            video.options = {"sc_threshold": "0", "keyint_min": str(keys), "preset": "ultrafast", "bf": "0"}
        if aspect:
            video.codec_context.sample_aspect_ratio = aspect
        if rotation:
            video.set_display_rotation(rotation)
        audio = (
            out.add_stream("libopus" if path.suffix == ".webm" else "aac", rate=16000, layout="mono") if sound else None
        )
        for index, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = (times(index) if times else index * 10), Fraction(1, 100)
            if times:
                video.codec_context.time_base = Fraction(1, 100)
            else:
                frame.pts, frame.time_base = index, Fraction(1, RATE)
            out.mux(video.encode(frame))
            if audio and sound:
                out.mux(audio.encode(_samples(sound(index), index)))
        for stream in filter(None, (video, audio)):
            out.mux(stream.encode(None))
    return path


def write_sound(path: Path) -> Path:
    """Write a file with a tone and no picture."""
    with av.open(str(path), "w") as out:
        audio = out.add_stream("aac", rate=16000, layout="mono")
        for index in range(10):
            out.mux(audio.encode(_samples(tone(index), index)))
        out.mux(audio.encode(None))
    return path


def tone(index: int) -> np.ndarray:
    """Return a tenth of a second of a tone."""
    return (np.sin(np.arange(1600) * 0.2) * 0.3).astype(np.float32)


def silence(index: int) -> np.ndarray:
    """Return a tenth of a second of nothing."""
    return np.zeros(1600, np.float32)


def _samples(samples: np.ndarray, index: int) -> av.AudioFrame:
    frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="fltp", layout="mono")
    frame.sample_rate, frame.pts, frame.time_base = 16000, index * 1600, Fraction(1, 16000)
    return frame
