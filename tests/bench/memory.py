"""What does an idle connection cost? Resident memory of the web process after and before a thousand hellos."""

import time

from tests.bench import servers
from tests.bench.client import Plan
from tests.bench.table import Row

SOCKETS = 1000
WARM_UP = 50
"""Sockets that come and go first, so that what the process loads once is not counted."""


def measure(runs: int) -> list[Row]:
    """Measure."""
    found = []
    for _ in range(runs):
        with servers.installation() as installation:
            tokens = installation.prepare("workers", WARM_UP + SOCKETS)
            with installation.web() as (web,):
                _hold(web, tokens[:WARM_UP])
                before = web.memory
                found.append((_hold(web, tokens[WARM_UP:]) - before) / SOCKETS / 1024)
        print(f"  {found[-1]:.0f} KiB", flush=True)
    return [Row("memory of an idle connection", found, "KiB", ("<=", 64))]


def _hold(web: servers.Web, tokens: list[str]) -> int:
    """Let the tokens' pages say hello, and return the memory while they are connected."""
    with servers.client(Plan([servers.seats(tokens, web)], idle=True)) as client:
        assert client.stdin
        assert client.stdout
        if client.stdout.readline().strip() != "ready":
            raise RuntimeError("not all pages were answered")
        time.sleep(3)
        memory = web.memory
        client.stdin.write("\n")
        client.stdin.flush()
        client.wait()
        time.sleep(2)
        return memory
