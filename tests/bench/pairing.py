"""How long does a crowd wait for its partners? A thousand workers within two seconds, from connecting to the dialog."""

from tests.bench import servers
from tests.bench.client import Plan, percentile
from tests.bench.table import Row

WORKERS = 1000
SECONDS = 2.0
NEXT = "Next: take seats and their first snapshots in one query a batch; both are read one after the other now."


def measure(runs: int) -> list[Row]:
    """Measure."""
    found: dict[int, list[float]] = {50: [], 99: []}
    left = 0
    for _ in range(runs):
        with servers.installation() as installation:
            tokens = installation.prepare("workers", WORKERS)
            with installation.web() as (web,):
                before = servers.cpu_of(web.pid), servers.cpu_of_database()
                result = servers.load(Plan([servers.seats(tokens, web)], arrive=SECONDS, pairing_only=True))
                after = servers.cpu_of(web.pid), servers.cpu_of_database()
        left += WORKERS - len(result.pairing)
        for percent, values in found.items():
            values.append(percentile(result.pairing, percent) / 1000)
        print(
            f"  p50 {found[50][-1]:.2f}, p99 {found[99][-1]:.2f} s, {len(result.pairing)} paired, "
            f"cpu {after[0] - before[0]:.1f}+{after[1] - before[1]:.1f} s {result.failures[:3]}", flush=True,
        )  # fmt: skip
    return [
        Row(f"{WORKERS:,} arrivals in {SECONDS:.0f} s: paired after, p50", found[50], "s"),
        Row(f"{WORKERS:,} arrivals in {SECONDS:.0f} s: paired after, p99", found[99], "s", ("<=", 2.0), NEXT),
        Row(f"{WORKERS:,} arrivals in {SECONDS:.0f} s: not paired, in all runs", [left], "", ("<=", 0)),
    ]
