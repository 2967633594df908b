"""How many dialogs a second does an export write, and does it take more memory for 20,000 dialogs than for 2,000?"""

import re
import subprocess
import sys

from tests.bench import servers
from tests.bench.table import Row
from tests.product import BASE_DIR

FORMATS = ("dstc7", "raw")
HISTORIES = (2_000, 20_000)
_CODE = """
import sys, time
import django
django.setup()
from pathlib import Path
from chat import transcripts
from chat.models import Dialog
from collector.exports import avsd, writing
before = time.perf_counter()
writing.write(Path(sys.argv[2]), getattr(avsd, sys.argv[1])(transcripts.read(Dialog.objects.all()), avsd.Tally()))
seconds = time.perf_counter() - before
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, int(peak) / 1024)
"""


def measure(runs: int) -> list[Row]:
    """Measure every format at both sizes, in turn."""
    rates: dict[str, list[float]] = {name: [] for name in FORMATS}
    growth: dict[str, list[float]] = {name: [] for name in FORMATS}
    for _ in range(runs):
        for name in FORMATS:
            peaks = []
            for history in HISTORIES:
                with servers.installation(history=history) as installation:
                    seconds, peak = _export(name, installation)
                peaks.append(peak)
            rates[name].append(history / seconds)
            growth[name].append(peaks[1] - peaks[0])
            print(f"  {name}: {rates[name][-1]:,.0f} dialogs/s, peak {peaks[0]:.0f} and {peaks[1]:.0f} MiB", flush=True)
    rows = [Row(f"export, {name}: dialogs of ten rounds", values, "a second") for name, values in rates.items()]
    return rows + [
        Row(f"export, {name}: peak memory at 20,000 dialogs over that at 2,000", values, "MiB", ("<=", 10))
        for name, values in growth.items()
    ]


def _export(name: str, installation: servers.Installation) -> tuple[float, float]:
    command = [sys.executable, "-c", _CODE, name, str(installation.folder / f"{name}.json")]
    done = subprocess.run(command, cwd=BASE_DIR, env=installation.env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    seconds, peak = re.findall(r"[\d.]+", done.stdout)
    return float(seconds), float(peak)
