"""How long does a collection of AVSD's size take to leave and to come back, and how much memory at its peak?

The collection is made up: 11,816 dialogs of ten rounds, 118,160 questions, in three splits of AVSD's proportions. Each
command has a process of its own and PostgreSQL; ``visdial`` makes its word vectors and chooses 100 answers for each
round among those of its split; an import ends by comparing an export with the file.
"""

import re
import subprocess
import sys

from tests.bench import servers
from tests.bench.table import Row
from tests.product import BASE_DIR

FORMATS = ("dstc7", "dstc10", "raw", "jsonl", "parquet", "huggingface", "visdial")
DIALOGS = 11_816
IMPORTED = ("dstc7", "raw", "jsonl")
RELEASE = "release"
"""A bundle of the default formats, every importable file imported and exported again."""
_CODE = """
import sys, time
import django
django.setup()
from django.core.management import call_command
before = time.perf_counter()
call_command(*sys.argv[1:], stdout=sys.stderr)
seconds = time.perf_counter() - before
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, int(peak) / 1024)
"""


def measure(runs: int) -> list[Row]:
    """Measure every format on one collection, in turn."""
    names = [*FORMATS, *(f"{name}, import" for name in IMPORTED), RELEASE]
    seconds: dict[str, list[float]] = {name: [] for name in names}
    peaks: dict[str, list[float]] = {name: [] for name in names}
    with servers.installation() as installation:
        installation.prepare("collection", DIALOGS)
        for run in range(runs):
            for name in names:
                taken, peak = _run(_command(name, run, installation), installation)
                seconds[name].append(taken)
                peaks[name].append(peak)
                print(f"  {name}: {taken:.1f} s, {peak:,.0f} MiB at its peak", flush=True)
    what = f"{DIALOGS:,} dialogs of ten rounds"
    return [
        row
        for name in names
        for row in (
            Row(f"dataset, {name}: {what}", seconds[name], "s"),
            Row(f"dataset, {name}: peak memory at {what}", peaks[name], "MiB"),
        )
    ]


def _command(name: str, run: int, installation: servers.Installation) -> list[str]:
    form, _, is_import = name.partition(", ")
    file = str(installation.folder / f"{form}-{run}")
    if name == RELEASE:
        return ["release", "--study", "benchmark", "--out", file, "--author", "Nobody"]
    if is_import:
        return ["import_dialogs", file, "--study", f"{form}-{run}"]
    return ["export_avsd", "--study", "benchmark", "--format", form, "--out", file]


def _run(command: list[str], installation: servers.Installation) -> tuple[float, float]:
    command = [sys.executable, "-c", _CODE, *command]
    done = subprocess.run(command, cwd=BASE_DIR, env=installation.env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    taken, peak = re.findall(r"[\d.]+", done.stdout)
    return float(taken), float(peak)
