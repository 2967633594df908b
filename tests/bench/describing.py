"""How long do the statistics of 118,160 pairs take on one core, and Table 2 of 10,000 videos, and what memory?"""

import json
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

from collector.analysis import meteor
from tests.bench import servers
from tests.bench.table import Row
from tests.product import BASE_DIR

DIALOGS = 11_816
FEW = DIALOGS // 10
VIDEOS = 10_000
METEOR_VIDEOS = 500
WORDS = 9_000
"""Different words, the n-th as frequent as 1/n, as in texts."""
_SYLLABLES = ("ka", "lo", "mi", "re", "tu", "sa", "no", "be", "di", "fu", "ga", "he")
_START = """
import sys, time, os
import django
django.setup()
def report(before):
    peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(time.perf_counter() - before, int(peak) / 1024)
"""
_STATISTICS = (
    _START
    + """
from django.core.management import call_command
before = time.perf_counter()
call_command("dialog_statistics", *sys.argv[1:], stdout=open(os.devnull, "w"))
report(before)
"""
)
_TABLE = (
    _START
    + """
import json
from collector.analysis.summary_table import Summarised, summary_table
videos = [Summarised(str(n), tuple(texts[:4]), texts[4]) for n, texts in enumerate(json.load(open(sys.argv[1])))]
before = time.perf_counter()
summary_table(videos, with_meteor=sys.argv[2] == "meteor")
report(before)
"""
)


def measure(runs: int) -> list[Row]:
    """Measure all in turn."""
    from_file, from_rows, growth, tables, memory, meteors = [], [], [], [], [], []
    with TemporaryDirectory(prefix="collector-bench-") as name, servers.installation(history=DIALOGS) as installation:
        folder = Path(name)
        _make_dialogs(folder / "few.json", FEW)
        _make_dialogs(folder / "all.json", DIALOGS)
        _make_summaries(folder / "summaries.json", VIDEOS)
        _make_summaries(folder / "few_summaries.json", METEOR_VIDEOS)
        for _ in range(runs):
            _, least = _run(installation, _STATISTICS, "--json", str(folder / "few.json"))
            seconds, most = _run(installation, _STATISTICS, "--json", str(folder / "all.json"))
            from_file.append(seconds)
            growth.append(most - least)
            from_rows.append(_run(installation, _STATISTICS, "--study", "benchmark")[0])
            seconds, peak = _run(installation, _TABLE, str(folder / "summaries.json"), "")
            tables.append(seconds)
            memory.append(peak)
            if not meteor.missing():
                meteors.append(_run(installation, _TABLE, str(folder / "few_summaries.json"), "meteor")[0])
            print(f"  {from_file[-1]:.1f} and {from_rows[-1]:.1f} s, {growth[-1]:.0f} MiB more; {tables[-1]:.0f} s")
    rows = [
        Row("statistics of 118,160 pairs in a file, one core", from_file, "s", ("<=", 10)),
        Row("statistics of a study of 118,160 pairs, one core", from_rows, "s", ("<=", 10)),
        Row("statistics: peak memory at 118,160 pairs over that at 11,816", growth, "MiB", ("<=", 50)),
        Row("Table 2 without METEOR: 10,000 videos, 4 choices, 1,000 resamples", tables, "s", ("<=", 300)),
        Row("Table 2 without METEOR: peak memory", memory, "MiB"),
    ]
    return rows + ([Row(f"Table 2 with METEOR: {METEOR_VIDEOS} videos", meteors, "s")] if meteors else [])


def _run(installation: servers.Installation, code: str, *arguments: str) -> tuple[float, float]:
    """Return seconds and the peak memory in MiB of a process with one core."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=BASE_DIR, env=installation.env, capture_output=True, text=True,
        preexec_fn=servers.on_core(servers.SERVER_CORE),
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr)
    seconds, peak = re.findall(r"[\d.]+", done.stdout)
    return float(seconds), float(peak)


class _Writer:
    """Makes up texts: the same ones in each run."""

    def __init__(self) -> None:
        self._random = random.Random(7)
        self._words = [
            "".join(self._random.choices(_SYLLABLES, k=self._random.choice((1, 2, 2, 3)))) for _ in range(WORDS)
        ]
        self._words[:12] = ["the", "a", "is", "he", "she", "it", "in", "what", "does", "hear", "music", "after"]
        self._weights = list(accumulate(1 / (n + 1) for n in range(WORDS)))

    def text(self, lengths: Sequence[int], end: str) -> str:
        chosen = self._random.choices(self._words, cum_weights=self._weights, k=self._random.choice(lengths))
        return f"{' '.join(chosen)}{end}"


def _make_dialogs(path: Path, number: int) -> None:
    writer = _Writer()
    dialogs = [
        {
            "image_id": f"V{n:05}", "caption": "", "summary": writer.text(range(12, 32), "."),
            "dialog": [
                {"question": writer.text(range(4, 12), "?"), "answer": writer.text(range(5, 15), ".")}
                for _ in range(10)
            ],
        }
        for n in range(number)
    ]  # fmt: skip
    path.write_text(json.dumps({"type": "scene_aware_dialog", "version": "0.1", "dialogs": dialogs}))


def _make_summaries(path: Path, number: int) -> None:
    writer = _Writer()
    path.write_text(json.dumps([[writer.text(range(12, 32), ".") for _ in range(5)] for _ in range(number)]))
