"""How many questions and answers a second go through one web process when nobody thinks? Ours against the reference.

Ours: every rule, token and lock, stored durably in PostgreSQL before anything is shown. The reference:
``tests/bench/reference.py``, which stores nothing. Dialogs come in waves of new sockets; pairing and watching are over
before a wave's clock starts, the summaries that follow a last answer are within it and not counted as messages.
"""

from tests.bench import servers
from tests.bench.client import Plan, Result, Seat
from tests.bench.table import Row

GOALS = {50: 1.0, 500: 2.0}
NEXT = "Next: check a batch while the one before is being committed, which needs a second connection of the writer."
WAVES = {50: 10, 500: 1}


def ours(pairs: int, waves: int) -> tuple[Result, float, float]:
    """Return what the client saw, and the CPU seconds of server and database while it ran."""
    with servers.installation() as installation:
        tokens = installation.prepare("workers", 2 * pairs * waves)
        with installation.web() as (web,):
            size = 2 * pairs
            plan = Plan([servers.seats(tokens[i * size : (i + 1) * size], web) for i in range(waves)])
            server, database = servers.cpu_of(web.pid), servers.cpu_of_database()
            result = servers.load(plan)
            return result, servers.cpu_of(web.pid) - server, servers.cpu_of_database() - database


def theirs(pairs: int, waves: int) -> Result:
    """Return what the client saw of the reference."""
    with servers.reference() as web:
        numbers = range(pairs * waves)
        seats = [Seat(web.port, str(number)) for number in numbers for _ in range(2)]
        size = 2 * pairs
        return servers.load(Plan([seats[i * size : (i + 1) * size] for i in range(waves)], is_reference=True))


def measure(runs: int) -> list[Row]:
    """Measure both at both numbers of pairs, in turn."""
    rates: dict[tuple[int, str], list[float]] = {}
    failures = 0
    for _ in range(runs):
        for pairs in GOALS:
            reference = theirs(pairs, WAVES[pairs])
            result, server, database = ours(pairs, WAVES[pairs])
            failures += len(result.failures) + len(reference.failures)
            for who, value in (("reference", reference.rate), ("ours", result.rate)):
                rates.setdefault((pairs, who), []).append(value)
            rates.setdefault((pairs, "ratio"), []).append(result.rate / reference.rate)
            print(
                f"  {pairs} pairs: reference {reference.rate:,.0f}/s, ours {result.rate:,.0f}/s, "
                f"cpu {server:.1f}+{database:.1f} s, failures {result.failures[:3]}", flush=True,
            )  # fmt: skip
    rows = []
    for pairs, goal in GOALS.items():
        rows += [
            Row(f"relay, {pairs} pairs saturated: reference without a database", rates[pairs, "reference"], "msg/s"),
            Row(f"relay, {pairs} pairs saturated: ours, stored", rates[pairs, "ours"], "msg/s"),
            Row(f"relay, {pairs} pairs saturated: ours to reference", rates[pairs, "ratio"], "x", (">=", goal), NEXT),
        ]
    return [*rows, Row("relay saturated: failures in all runs", [failures], "", ("<=", 0))]
