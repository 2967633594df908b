"""How long does a collection of AVSD's size take to leave in each format, and how much memory at its peak?

The collection is made up: 11,816 dialogs of ten rounds, 118,160 questions, in three splits of AVSD's proportions. Each
export is the command in a process of its own, reading from PostgreSQL; ``visdial`` makes its word vectors and chooses
100 answers for each round among those of its split.
"""

import re
import subprocess
import sys

from tests.bench import servers
from tests.bench.table import Row
from tests.product import BASE_DIR

FORMATS = ("dstc7", "dstc10", "raw", "jsonl", "parquet", "huggingface", "visdial")
DIALOGS = 11_816
_CODE = """
import sys, time
import django
django.setup()
from django.core.management import call_command
before = time.perf_counter()
call_command("export_avsd", "--format", sys.argv[1], "--out", sys.argv[2], stdout=sys.stderr)
seconds = time.perf_counter() - before
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, int(peak) / 1024)
"""


def measure(runs: int) -> list[Row]:
    """Measure every format on one collection, in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in FORMATS}
    peaks: dict[str, list[float]] = {name: [] for name in FORMATS}
    with servers.installation() as installation:
        installation.prepare("collection", DIALOGS)
        for run in range(runs):
            for name in FORMATS:
                taken, peak = _export(name, run, installation)
                seconds[name].append(taken)
                peaks[name].append(peak)
                print(f"  {name}: {taken:.1f} s, {peak:,.0f} MiB at its peak", flush=True)
    what = f"{DIALOGS:,} dialogs of ten rounds"
    return [
        row
        for name in FORMATS
        for row in (
            Row(f"dataset, {name}: {what}", seconds[name], "s"),
            Row(f"dataset, {name}: peak memory at {what}", peaks[name], "MiB"),
        )
    ]


def _export(name: str, run: int, installation: servers.Installation) -> tuple[float, float]:
    command = [sys.executable, "-c", _CODE, name, str(installation.folder / f"{name}-{run}")]
    done = subprocess.run(command, cwd=BASE_DIR, env=installation.env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    taken, peak = re.findall(r"[\d.]+", done.stdout)
    return float(taken), float(peak)
