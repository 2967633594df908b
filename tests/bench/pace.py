"""Does one web process keep up with many pairs at a human pace? Think time uniform within 50 % of a second."""

from tests.bench import servers
from tests.bench.client import Plan, percentile
from tests.bench.table import Row

PAIRS = (500, 1000)
GOALS = {50: 5.0, 95: 25.0, 99: 100.0}
THINK = 1.0
NEXT = "Next: end dialogs outside the batch that stores texts: their participations, seats and videos hold it up."
ARRIVE = {500: 5.0, 1000: 10.0}


def measure(runs: int) -> list[Row]:
    """Measure both numbers of pairs, in turn."""
    found: dict[tuple[int, int], list[float]] = {}
    failures: dict[int, int] = dict.fromkeys(PAIRS, 0)
    per_dialog: dict[int, list[float]] = {pairs: [] for pairs in PAIRS}
    for _ in range(runs):
        for pairs in PAIRS:
            with servers.installation() as installation:
                tokens = installation.prepare("workers", 2 * pairs)
                with installation.web() as (web,):
                    before = servers.cpu_of(web.pid) + servers.cpu_of_database()
                    result = servers.load(Plan([servers.seats(tokens, web)], think=THINK, arrive=ARRIVE[pairs]))
                    spent = servers.cpu_of(web.pid) + servers.cpu_of_database() - before
            failures[pairs] += len(result.failures)
            per_dialog[pairs].append(spent / pairs * 1000)
            for percent in GOALS:
                found.setdefault((pairs, percent), []).append(percentile(result.relay, percent))
            shown = ", ".join(f"p{p} {found[pairs, p][-1]:.1f}" for p in GOALS)
            print(f"  {pairs} pairs: {shown} ms, {result.rate:,.0f}/s, failures {result.failures[:3]}", flush=True)
    rows = []
    for pairs in PAIRS:
        name = f"{pairs:,} pairs, 1 s to think"
        rows += [Row(f"{name}: relay p{p}", found[pairs, p], "ms", ("<=", goal), NEXT) for p, goal in GOALS.items()]
        rows.append(Row(f"{name}: server and database a dialog", per_dialog[pairs], "ms CPU"))
        rows.append(Row(f"{name}: failures in all runs", [failures[pairs]], "", ("<=", 0)))
    return rows
