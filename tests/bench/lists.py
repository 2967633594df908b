"""How long do the researcher's pages and lists take with 100,000 dialogs, two million texts and a million events?"""

import subprocess
import sys
import time

import msgspec

from tests.bench import servers
from tests.bench.table import Row
from tests.product import BASE_DIR

DIALOGS = 100_000
GOAL = 300.0
"""Milliseconds, of a page as it is asked for the first time."""
_READS_TEXTS = {"review", "quality", "personal"}
"""They go through texts of a hundred dialogs: as long for any number of dialogs."""


def measure(runs: int) -> list[Row]:
    """Fill an installation, and look at every page three times; the best counts, as it is what the page needs."""
    with servers.installation() as installation:
        began = time.perf_counter()
        _run(installation, "-m", "tests.bench.crowding", str(DIALOGS))
        filled = time.perf_counter() - began
        found = msgspec.json.decode(
            _run(installation, "-m", "tests.bench.visiting"), type=list[tuple[str, float, int, str]]
        )
    rows = [Row(f"filling {DIALOGS:,} dialogs and all that comes with them", [filled], "s")]
    pages = [each for each in found if not each[0].startswith("list of")]
    rows += [Row(f"page with {DIALOGS:,} dialogs: {name}", [s * 1000], "ms", _goal(name)) for name, s, *_ in pages]
    lists: dict[str, list[float]] = {}
    for name, seconds, *_ in found[len(pages) :]:
        lists.setdefault(name.partition(",")[0], []).append(seconds * 1000)
    return rows + [
        Row(f"{name}, {len(took)} ways to look at it: the slowest", [max(took)], "ms", ("<=", GOAL))
        for name, took in lists.items()
    ]


def _goal(name: str) -> tuple[str, float] | None:
    return None if name in _READS_TEXTS else ("<=", GOAL)


def _run(installation: servers.Installation, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=BASE_DIR, env=installation.env, stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}; its error stands above")
    return done.stdout
