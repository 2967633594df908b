"""Measure the product against references and goals: ``make bench``, or ``python -m tests.bench [names] [--runs N]``.

Everything runs on this machine in one go; variants take turns, so that a busy minute hits all of them, and the median
of the runs counts. ``--write`` puts the table into ``docs/benchmarks.md``.
"""

import argparse
import importlib
import time

from tests.bench import machine, servers, table
from tests.product import BASE_DIR

BENCHES = (
    "relay",
    "pace",
    "pairing",
    "memory",
    "growth",
    "processes",
    "embedded",
    "importing",
    "exporting",
    "reconciling",
    "describing",
    "datasets",
    "lists",
)


ONCE = {"reconciling", "describing", "datasets", "lists"}
"""They take minutes each and compare no variants."""


def main() -> None:
    """Run what was asked for and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("benches", nargs="*", metavar="bench", help=f"of {', '.join(BENCHES)}; all without any")
    parser.add_argument("--runs", type=int, default=5, help="of each variant that is compared (default 5)")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md, too")
    options = parser.parse_args()
    if unknown := set(options.benches) - set(BENCHES):
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    servers.start_services()
    rows: list[table.Row] = []
    started = time.monotonic()
    try:
        for name in options.benches or BENCHES:
            module = importlib.import_module(f"tests.bench.{name}")
            print(f"{name}: {(module.__doc__ or '').splitlines()[0]}", flush=True)
            rows += module.measure(1 if name in ONCE else options.runs)
    finally:
        servers.close()
    where = "\n".join(f"{name}: {value}" for name, value in machine.describe())
    minutes = (time.monotonic() - started) / 60
    print(f"\n{where}\n\n{table.as_text(rows)}\n\n{minutes:.0f} minutes.")
    if options.write:
        table.write(BASE_DIR / "docs" / "benchmarks.md", machine.describe(), rows, options.runs)


if __name__ == "__main__":
    main()
