"""What does a worker see and hear who checks the device? A clip of some seconds with two groups of beeps.

Made here, one file for each pair of numbers. Its address says which try it is, nothing which numbers.
"""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from django.conf import settings

from collector.catalogue.rendering import RATE, Pixels, Samples, write
from collector.catalogue.scenes import FPS

SIZE = (320, 180)
_BEEP = _GAP = 0.17  # seconds
_BEFORE, _BETWEEN, _AFTER = 0.4, 0.8, 0.4
_PITCHES = (587.0, 784.0)


def path_of(beeps: str) -> Path:
    """Return the file of a clip, made when it is missing."""
    path = Path(settings.MEDIA_ROOT) / "checks" / f"{beeps}.mp4"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        made = path.with_name(f"{secrets.token_hex(8)}.mp4")
        heard = sound_of(beeps)
        write(made, _pictures(round(len(heard) / RATE * FPS)), heard, SIZE)
        os.replace(made, path)  # whole or not at all: another page may ask for it now
    return path


def sound_of(beeps: str) -> Samples:
    """Return the sound of a clip."""
    parts = [_silence(_BEFORE)]
    for count, pitch in zip(beeps, _PITCHES, strict=True):
        parts += [part for _ in range(int(count)) for part in (_beep(pitch), _silence(_GAP))] + [_silence(_BETWEEN)]
    return np.concatenate([*parts[:-1], _silence(_AFTER)])


def _silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE), np.float32)


def _beep(pitch: float) -> Samples:
    t = np.arange(round(_BEEP * RATE)) / RATE
    fade = np.minimum(1, np.minimum(t, t[-1] - t) / 0.01)  # no click at either end
    return np.asarray(0.4 * fade * np.sin(2 * np.pi * pitch * t), np.float32)


def _pictures(frames: int) -> Iterator[Pixels]:
    """Yield a disc that rolls from left to right over a plane."""
    width, height = SIZE
    y, x = np.mgrid[0:height, 0:width]
    ground = np.where((y > 0.7 * height)[..., None], (86, 99, 122), (224, 230, 240)).astype(np.uint8)
    for number in range(frames):
        centre = width * (0.12 + 0.76 * number / max(1, frames - 1))
        picture = ground.copy()
        picture[(x - centre) ** 2 + (y - 0.55 * height) ** 2 < (0.15 * height) ** 2] = (59, 75, 184)
        yield picture
