"""How does a scene become a video file? H.264 and AAC in an mp4 with its index in front.

No Django. Same scene, same file. The index in front lets a page play it while it loads.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from collector.catalogue.scenes import FPS, HEIGHT, WIDTH, Scene, Sound
from collector.catalogue.tracing import pictures

RATE = 44_100  # samples a second
_BLOCK = 1024  # samples in a frame of AAC
Samples = NDArray[np.float32]
Pixels = NDArray[np.uint8]
_Wave = NDArray[np.float64]


def render(scene: Scene, path: Path) -> None:
    """Write the scene's video. Takes some seconds of one core."""
    write(path, pictures(scene), sound_of(scene), (WIDTH, HEIGHT))


def write(path: Path, shown: Iterable[Pixels], heard: Samples, size: tuple[int, int]) -> None:
    """Write a video of pictures, ``FPS`` a second, and of sound, ``RATE`` samples a second."""
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart", "fflags": "+bitexact"}) as file:
        picture = file.add_stream("libx264", rate=FPS)
        picture.width, picture.height, picture.pix_fmt = *size, "yuv420p"
        # A key frame each second lets players seek; one thread, since the scenes are rendered side by side.
        picture.options = {"preset": "fast", "crf": "20", "g": str(FPS), "threads": "1"}
        sound = file.add_stream("aac", rate=RATE, layout="mono")
        sound.bit_rate = 96_000
        blocks = _blocks(heard)
        for number, pixels in enumerate(shown):
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            file.mux(picture.encode(frame))
            while (block := next(blocks, None)) is not None:
                file.mux(sound.encode(block))
                if block.pts is not None and block.pts / RATE > (number + 1) / FPS:
                    break
        file.mux(picture.encode(None))
        for block in blocks:
            file.mux(sound.encode(block))
        file.mux(sound.encode(None))


def _blocks(samples: Samples) -> Iterator[av.AudioFrame]:
    for start in range(0, len(samples), _BLOCK):
        block = av.AudioFrame.from_ndarray(samples[None, start : start + _BLOCK], format="fltp", layout="mono")
        block.sample_rate, block.pts, block.time_base = RATE, start, Fraction(1, RATE)
        yield block


def sound_of(scene: Scene) -> Samples:
    """Return the scene's sound, as long as its pictures, between -1 and 1."""
    whole = np.zeros(round(scene.frames / scene.fps * RATE), np.float32)
    for sound in scene.sounds:
        start = round(sound.start / scene.fps * RATE)
        heard = _noise(sound, scene.fps, scene.seed)[: len(whole) - start]
        whole[start : start + len(heard)] += heard
    return np.clip(whole, -0.95, 0.95)


def _noise(sound: Sound, fps: int, seed: int) -> Samples:
    count = round((sound.end - sound.start + 1) / fps * RATE)
    t = np.arange(count, dtype=np.float64) / RATE
    part = t / t[-1]
    swell = np.sin(np.pi * part)
    made = {"whoosh": _whoosh, "whirr": _whirr, "chime": _chime, "thud": _thud}
    wave = made[sound.noise](t, part, np.random.default_rng(seed))
    fade = np.minimum(1, np.minimum(t, t[-1] - t) / 0.01)  # no click at either end
    return np.asarray(wave * fade * (swell if sound.noise != "thud" else 1), np.float32)


def _whoosh(t: _Wave, part: _Wave, rng: np.random.Generator) -> _Wave:
    """Air, darker at both ends."""
    air = rng.standard_normal(len(t))
    spectrum, at = np.fft.rfft(air), np.fft.rfftfreq(len(t), 1 / RATE)
    deep = np.fft.irfft(spectrum * np.exp(-((at - 350) ** 2) / 2 / 200**2), len(t))
    high = np.fft.irfft(spectrum * np.exp(-((at - 1100) ** 2) / 2 / 450**2), len(t))
    return np.asarray(1.6 * (deep + high * np.sin(np.pi * part)))


def _whirr(t: _Wave, part: _Wave, rng: np.random.Generator) -> _Wave:
    """A top that spins: a hum that beats faster, then slower."""
    beat = 0.6 + 0.4 * np.sin(2 * np.pi * 9 * t)
    return np.asarray(0.22 * beat * (np.sin(2 * np.pi * 165 * t) + 0.5 * np.sin(2 * np.pi * 330 * t + 1)))


def _chime(t: _Wave, part: _Wave, rng: np.random.Generator) -> _Wave:
    """A tone that rises with the object and falls with it."""
    pitch = 392 * 2 ** (np.sin(np.pi * part))
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    return np.asarray(0.22 * (np.sin(phase) + 0.3 * np.sin(2 * phase)))


def _thud(t: _Wave, part: _Wave, rng: np.random.Generator) -> _Wave:
    """Something lands."""
    return np.asarray(0.8 * np.exp(-t * 16) * np.sin(2 * np.pi * (62 + 60 * np.exp(-t * 40)) * t))
