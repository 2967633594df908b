"""What do the processes of an installation take? Processor time and memory of each kind, by Linux's own account."""

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench import servers
from tests.drill.deployed import Deployment

MIB = 1024


def pids_of(deployment: Deployment, client: int) -> dict[str, list[int]]:
    """Return the processes by what they are, those that a process has started with it."""
    assert deployment.proxy
    found: dict[str, list[int]] = {}
    for each in deployment.processes:
        assert each.process
        kind = "web" if each.service == "web" else "worker, long, beat"
        found.setdefault(kind, []).append(each.process.pid)
    for name, server in (("proxy", deployment.proxy), ("PostgreSQL", deployment.postgres), ("Redis", deployment.redis)):
        assert server.process
        found[name] = [server.process.pid]
    return {**found, "simulated workers": [client]}


def memory(pid: int) -> float:
    """Return the MiB that a process and its children hold; what several share is divided among them."""
    total = 0
    for each in servers.with_children(pid):
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
            total += int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return total / MIB


def memories(pids: dict[str, list[int]]) -> dict[str, float]:
    """Return the MiB that each kind of process holds, all of a kind together."""
    return {kind: sum(map(memory, found)) for kind, found in pids.items()}


@dataclass
class Usage:
    """Of each kind of process: the share of one core (1.0 is all of it) and the MiB, all of a kind together."""

    cores: dict[str, float]
    memory: dict[str, float]


class Meter:
    """Measures from its making to :meth:`read`."""

    def __init__(self, pids: dict[str, list[int]]) -> None:
        self._pids = pids
        self._began = time.monotonic()
        self._before = self._cpu()

    def _cpu(self) -> dict[str, float]:
        return {kind: sum(map(servers.cpu_of_all, pids)) for kind, pids in self._pids.items()}

    def read(self) -> Usage:
        """Return what was taken since, and the memory now."""
        seconds, after = time.monotonic() - self._began, self._cpu()
        cores = {kind: (after[kind] - self._before[kind]) / seconds for kind in self._pids}
        return Usage(cores, memories(self._pids))
