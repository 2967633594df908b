"""Do partners on different web processes lose each other? 500 pairs, two processes, Redis between them."""

from tests.bench import servers
from tests.bench.client import Plan, percentile
from tests.bench.table import Row

PAIRS = 500
THINK = 1.0


def measure(runs: int) -> list[Row]:
    """Measure; a dialog that does not come to its end has stalled."""
    stalled = 0
    found: dict[int, list[float]] = {50: [], 95: [], 99: []}
    for _ in range(runs):
        with servers.installation(redis=True) as installation:
            tokens = installation.prepare("seated", 2 * PAIRS)
            with installation.web(2, pinned=False) as webs:
                result = servers.load(Plan([servers.seats(tokens, *webs)], think=THINK, arrive=5.0))
        stalled += len(result.failures)
        for percent, values in found.items():
            values.append(percentile(result.relay, percent))
        shown = ", ".join(f"p{percent} {values[-1]:.1f}" for percent, values in found.items())
        print(f"  {shown} ms, {result.dialogs} dialogs, failures {result.failures[:3]}", flush=True)
    rows = [Row(f"two processes, {PAIRS} pairs across: relay p{p}", values, "ms") for p, values in found.items()]
    return [*rows, Row(f"two processes, {PAIRS} pairs across: failures in all runs", [stalled], "", ("<=", 0))]
