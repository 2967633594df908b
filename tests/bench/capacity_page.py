"""What was measured of the capacity, as tables of ``docs/capacity.md``."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench import machine
from tests.bench.client import percentile
from tests.bench.ramp import Step
from tests.bench.usage import Usage
from tests.product import BASE_DIR

PAGE = BASE_DIR / "docs" / "capacity.md"
LIMIT = 300.0
"""Milliseconds that 95 of 100 texts may take to the partner."""


@dataclass
class Measured:
    """A step, with what the processes took while it was measured. ``before``: the MiB they held before anybody came."""

    webs: int
    step: Step
    usage: Usage
    before: dict[str, float]
    seconds: float
    """For which it was measured."""

    @property
    def sockets(self) -> int:
        """How many are open, or were in the beginning."""
        return 2 * self.step.pairs

    def kib(self, kind: str) -> float:
        """Return the KiB that a kind of process has taken for each socket."""
        return (self.usage.memory[kind] - self.before[kind]) * 1024 / self.sockets


def failures(each: Measured) -> int:
    """Return how many texts and workers went wrong."""
    return sum(each.step.failures.values()) + each.step.unpaired


def objection(each: Measured) -> str:
    """Return why a step was not carried; nothing where its texts came in time and nothing went wrong."""
    if wrong := failures(each):
        return f"{wrong:,} texts or workers went wrong"
    slow = percentile(each.step.relay, 95)
    return f"95 of 100 texts were with the partner within {slow:,.0f} ms" if slow > LIMIT else ""


def times(values: list[float], *percents: int) -> str:
    """Return percentiles of milliseconds."""
    return " / ".join(f"{percentile(values, percent):,.0f}" for percent in percents) if values else "-"


def line(each: Measured) -> str:
    """Return a step in one line, for who waits."""
    step, cores = each.step, ", ".join(f"{kind} {share:.2f}" for kind, share in each.usage.cores.items())
    return (
        f"  {each.webs} web, {step.pairs} pairs: relay {times(step.relay, 50, 95, 99)} ms, ack "
        f"{times(step.acks, 50, 95, 99)} ms, paired after {times(step.pairing, 50, 99)} ms; {step.unpaired} unpaired, "
        f"failures {step.failures}, complete {step.complete}; cores: {cores}"
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(each)} |" for each in [head, ["---"] * len(head), *rows])


def _where() -> str:
    return "\n".join(f"- {name}: {value}" for name, value in machine.describe())


def of_pairs(halves: list[Measured]) -> str:
    """Return the report of a crowd, given while it talked and when all had finished, which tells of both."""
    talking, ended = halves
    step = ended.step
    rows = [
        ["pairs at once, sockets", f"{step.pairs:,}, {talking.sockets:,}"],
        ["dialogs complete", f"{step.complete:,}"],
        ["texts, from when all were there", f"{len(step.acks):,}"],
        ["paired after, p50 / p95 / p99", f"{times(talking.step.pairing, 50, 95, 99)} ms"],
        ["acknowledged after, p50 / p95 / p99", f"{times(step.acks, 50, 95, 99)} ms"],
        ["with the partner after, p50 / p95 / p99", f"{times(step.relay, 50, 95, 99)} ms"],
        ["refused, lost, doubled, cut off, not paired", str(failures(ended))],
    ]
    rows += [["of these", f"{name}: {number}"] for name, number in step.failures.items()]
    return f"{_where()}\n\n{_table(['measure', 'value'], rows)}\n\n{_processes(talking)}"


def _processes(each: Measured) -> str:
    rows = []
    for kind, share in each.usage.cores.items():
        name = f"web, {each.webs} together" if kind == "web" else kind
        by_socket = f"{each.kib(kind):,.0f} KiB" if kind in ("web", "proxy", "simulated workers") else ""
        rows.append([name, f"{share:.2f}", f"{each.usage.memory[kind]:,.0f} MiB", by_socket])
    return _table(["processes", "cores", "memory", "of it for each socket"], rows)


HEAD = [
    "web processes", "pairs", "texts a second", "paired p50 / p99, ms", "acknowledged p50 / p95, ms",
    "with the partner p50 / p95 / p99, ms", "wrong", "cores: web", "proxy", "PostgreSQL", "Redis", "simulated workers",
    "MiB a web process", "KiB a socket there",
]  # fmt: skip


def of_steps(found: list[Measured]) -> str:
    """Return the tables of the climbs: how far each went, and all of its steps."""
    summary = []
    for webs in dict.fromkeys(each.webs for each in found):
        mine = [each for each in found if each.webs == webs]
        carried = max((each.step.pairs for each in mine if not objection(each)), default=0)
        why = f"at {mine[-1].step.pairs:,} pairs {said}" if (said := objection(mine[-1])) else "the climb ended there"
        summary.append([str(webs), f"{carried:,}", why])
    tables = _table(["web processes", "dialogs at once", "and then"], summary), _table(HEAD, list(map(_row, found)))
    return "\n\n".join([_where(), *tables])


def _row(each: Measured) -> list[str]:
    step, cores = each.step, each.usage.cores
    shares = [f"{cores[kind]:.2f}" for kind in ("web", "proxy", "PostgreSQL", "Redis", "simulated workers")]
    return [
        str(each.webs), f"{step.pairs:,}", f"{len(step.relay) / each.seconds:,.0f}", times(step.pairing, 50, 99),
        times(step.acks, 50, 95), times(step.relay, 50, 95, 99), str(failures(each)), *shares,
        f"{each.usage.memory['web'] / each.webs:,.0f}", f"{each.kib('web'):,.0f}",
    ]  # fmt: skip


def write(name: str, text: str) -> None:
    """Put a table into the page, between its two marks."""
    begin, end = f"<!-- measured: {name} -->", f"<!-- end of {name} -->"
    before, found, rest = PAGE.read_text().partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        raise ValueError(f"{PAGE} has no place for {name}: {begin} and {end}.")
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")
