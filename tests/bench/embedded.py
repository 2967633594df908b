"""Is SQLite enough for a first study? What ``make run`` runs, with 50 pairs at a human pace."""

from tests.bench import servers
from tests.bench.client import Plan, percentile
from tests.bench.table import Row

PAIRS = 50
ROUNDS = 4
THINK = 4.0
LATE = 1000.0  # milliseconds


def measure(runs: int) -> list[Row]:
    """Measure."""
    late = failures = 0
    found: dict[int, list[float]] = {50: [], 99: [], 100: []}
    for _ in range(runs):
        with servers.installation(vendor="sqlite", rounds=ROUNDS) as installation:
            tokens = installation.prepare("workers", 2 * PAIRS)
            with installation.web() as (web,):
                plan = Plan([servers.seats(tokens, web)], think=THINK, arrive=5.0, rounds=ROUNDS)
                result = servers.load(plan)
        failures += len(result.failures)
        late += sum(1 for each in result.relay if each > LATE)
        for percent, values in found.items():
            values.append(percentile(result.relay, percent))
        shown = ", ".join(f"p{percent} {values[-1]:.1f}" for percent, values in found.items())
        print(f"  {shown} ms, {len(result.relay)} texts, failures {result.failures[:3]}", flush=True)
    name = f"SQLite, {PAIRS} pairs, {THINK:.0f} s to think"
    return [
        *(Row(f"{name}: relay p{p}" if p < 100 else f"{name}: slowest", v, "ms") for p, v in found.items()),
        Row(f"{name}: texts over a second late, in all runs", [late], "", ("<=", 0)),
        Row(f"{name}: failures in all runs", [failures], "", ("<=", 0)),
    ]
