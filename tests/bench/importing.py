"""How fast does a collection come in? Videos probed and their frames taken, on all cores; rows of a manifest read."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from collector.catalogue.sources import read
from tests.bench import servers
from tests.bench.table import Row
from tests.catalogue import clips
from tests.product import BASE_DIR

VIDEOS = 60
KINDS = 6
"""Different clips; the rest are copies under other names."""
SECONDS = 30
SIZE = (480, 360)
ROWS = 100_000


def measure(runs: int) -> list[Row]:
    """Measure both in turn."""
    videos, rows = [], []
    with TemporaryDirectory(prefix="collector-bench-") as name:
        folder = Path(name)
        _make(folder)
        for _ in range(runs):
            videos.append(VIDEOS / _import(folder) * 60)
            rows.append(ROWS / _read(folder / "long.jsonl"))
            print(f"  {videos[-1]:,.0f} videos/min, {rows[-1]:,.0f} rows/s", flush=True)
    size = f"{SIZE[0]}x{SIZE[1]}, {SECONDS} s, H.264"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [
        Row(f"import: videos ({size}) probed, framed and stored, {cores} cores", videos, "a minute"),
        Row("import: rows of a JSON Lines manifest read and checked", rows, "a second"),
    ]


def _make(folder: Path) -> None:
    noise = np.random.default_rng(1)
    for kind in range(KINDS):
        grain = noise.integers(0, 40, (SIZE[1], SIZE[0], 3), np.uint8)
        bars = clips.bars(SECONDS * clips.RATE, SIZE)
        pictures = [picture // 2 + np.roll(grain, index, 1) for index, picture in enumerate(bars)]
        clips.write(folder / f"kind{kind}.mp4", pictures, sound=clips.tone)
    with (folder / "short.jsonl").open("w") as out:
        for number in range(VIDEOS):
            shutil.copy(folder / f"kind{number % KINDS}.mp4", folder / f"V{number:04}.mp4")
            out.write(json.dumps({"id": f"V{number:04}", "script": "A person opens a door and sits down."}) + "\n")
    with (folder / "long.jsonl").open("w") as out:
        for number in range(ROWS):
            out.write(json.dumps({"id": f"W{number:06}", "script": "A person opens a door and sits down."}) + "\n")


def _import(folder: Path) -> float:
    with servers.installation() as installation:
        started = time.perf_counter()
        command = [sys.executable, "manage.py", "import_videos", str(folder / "short.jsonl"), "--videos", str(folder)]
        done = subprocess.run(command, cwd=BASE_DIR, env=installation.env, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return time.perf_counter() - started


def _read(path: Path) -> float:
    started = time.perf_counter()
    bad = [row for row in read(path) if isinstance(row, Exception)]
    if bad:
        raise RuntimeError(str(bad[0]))
    return time.perf_counter() - started
