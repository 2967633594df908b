"""How long does comparing the books take at night? 3,000 HITs and 2,000 marked workers, at a local marketplace."""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import servers
from tests.bench.table import Row
from tests.hits.books import fill_market
from tests.localmarket.market import LocalMarket
from tests.product import BASE_DIR

HITS, MARKED = 3000, 2000
CALLS = 2 * HITS + HITS // 100 + MARKED // 100 + 2
"""Submissions and bonuses of each HIT, and a page for each hundred listed or marked, and an empty one after each."""


def measure(runs: int) -> list[Row]:
    """Measure."""
    with TemporaryDirectory(prefix="collector-bench-") as name, servers.installation() as installation:
        market = LocalMarket(Path(name))
        market.start()
        try:
            installation.env["LOCALMARKET_URL"] = market.url
            fill_market(market.var_dir, HITS, MARKED)
            _run(installation, "-m", "tests.hits.books", str(HITS), str(MARKED))
            took = [_compare(installation) for _ in range(runs)]
        finally:
            market.stop()
    return [
        Row(f"comparing the books of {HITS:,} HITs and {MARKED:,} marked workers", took, "s"),
        Row("comparing the books: calls of the marketplace", [CALLS / each for each in took], "a second"),
    ]


def _compare(installation: servers.Installation) -> float:
    started = time.perf_counter()
    said = _run(installation, "manage.py", "reconcile_hits")
    took = time.perf_counter() - started
    if "The books agree." not in said:
        raise RuntimeError(f"the books do not agree: {said}")
    print(f"  {took:.1f} s", flush=True)
    return took


def _run(installation: servers.Installation, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=BASE_DIR, env=installation.env, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return done.stdout
