"""Does a dialog cost more when many are stored? CPU of server and database, with 0, 2,000 and 20,000 before."""

from tests.bench import servers
from tests.bench.client import Plan
from tests.bench.table import Row

HISTORIES = (0, 2_000, 20_000)
PAIRS = 100
THINK = 0.5


def measure(runs: int) -> list[Row]:
    """Measure the three in turn."""
    spent: dict[int, list[float]] = {history: [] for history in HISTORIES}
    server: dict[int, list[float]] = {history: [] for history in HISTORIES}
    failures = 0
    for _ in range(runs):
        for history in HISTORIES:
            with servers.installation(history=history) as installation:
                tokens = installation.prepare("workers", 2 * PAIRS)
                with installation.web() as (web,):
                    before = servers.cpu_of(web.pid), servers.cpu_of_database()
                    result = servers.load(Plan([servers.seats(tokens, web)], think=THINK, arrive=2.0))
                    web_ms = (servers.cpu_of(web.pid) - before[0]) / PAIRS * 1000
                    database_ms = (servers.cpu_of_database() - before[1]) / PAIRS * 1000
            failures += len(result.failures)
            spent[history].append(web_ms + database_ms)
            server[history].append(web_ms)
            print(f"  {history:,} stored: {web_ms:.1f} + {database_ms:.1f} ms, {result.failures[:3]}", flush=True)
    rows = [Row("CPU of the web process a dialog, nothing stored before", server[0], "ms")]
    rows += [Row(f"CPU of server and database a dialog, {h:,} stored before", spent[h], "ms") for h in HISTORIES]
    for history in HISTORIES[1:]:
        ratios = [now / then for now, then in zip(spent[history], spent[0], strict=True)]
        rows.append(Row(f"CPU a dialog with {history:,} stored, to that with none", ratios, "x", ("<=", 1.1)))
    return [*rows, Row("CPU a dialog: failures in all runs", [failures], "", ("<=", 0))]
