"""How are results written? As a table for the terminal and as Markdown for ``docs/benchmarks.md``."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PAGE = """\
# Benchmarks

`make bench` measures the product on one machine, in one run, against references that are part of it, and prints this
table. `make bench BENCH=--write` writes it here, `make bench BENCH="relay --runs 1"` measures a part. No test asserts
on time. What each measure is stands at the top of its module in `tests/bench/`.

- **Ours** is what `make run` starts, with PostgreSQL as durable as it comes (`fsync` and `synchronous_commit` on):
  every token, rule and lock, and a text is stored before anybody is shown it.
- **The reference** is Channels as its tutorial has it: a group a pair and the stock in-memory layer, no database, no
  rules, no workers; on the same server with the same options, driven by the same client.
- One web process has one core, the client another; the database is wherever the system puts it. A message is one
  question or answer, sent and delivered to the partner.
- Saturated dialogs come in waves of new sockets. Pairing and watching are over before a wave's clock starts; the ends
  of the dialogs, summaries included, are within it.
- The researcher's pages and the admin's lists are asked for one after the other, each three times, what is remembered
  for a minute forgotten before; the least time counts. Each list is looked at by every choice of every filter, by every
  column, by a search and far down. Pages without a goal go through texts, of as many dialogs whatever there are.
- Dialogs stored before are complete ones of ten rounds; those who talk in the run have ten of them each behind them.

Measured on:
"""


@dataclass(frozen=True)
class Row:
    """One measure: its values over the runs (median shown, least and most beside it), and the goal it is held to.

    ``goal`` is (relation, number) with the relation ``>=`` or ``<=``; None when the value is there to be known.
    ``next_step``: what would be tried next, said where the goal is missed.
    """

    measure: str
    values: Sequence[float]
    unit: str = ""
    goal: tuple[str, float] | None = None
    next_step: str = ""

    @property
    def median(self) -> float:
        """The median of the runs."""
        return statistics.median(self.values)

    @property
    def is_reached(self) -> bool | None:
        """Whether the median reaches the goal; None without one."""
        if self.goal is None:
            return None
        relation, number = self.goal
        return self.median >= number if relation == ">=" else self.median <= number

    def cells(self) -> list[str]:
        """Return what stands in the row: measure, median, least to most, runs, goal, whether it is reached."""
        unit = f" {self.unit}" if self.unit else ""
        span = f"{_number(min(self.values))} to {_number(max(self.values))}" if len(self.values) > 1 else ""
        goal = f"{self.goal[0]} {_number(self.goal[1])}{unit}" if self.goal else ""
        reached = {None: "", True: "yes", False: "NO"}[self.is_reached]
        return [self.measure, f"{_number(self.median)}{unit}", span, str(len(self.values)), goal, reached]


HEADER = ["measure", "median", "least to most", "runs", "goal", "reached"]


def _number(value: float) -> str:
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def as_text(rows: Sequence[Row]) -> str:
    """Return the rows in columns."""
    cells = [HEADER, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADER))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def as_markdown(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = [HEADER, ["---"] * len(HEADER), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def missed(rows: Sequence[Row]) -> list[str]:
    """Return a line for each goal that is missed: by how much, and what would be tried next."""
    lines = []
    for row in rows:
        if row.is_reached is False:
            _, median, _, _, goal, _ = row.cells()
            lines.append(f"- {row.measure}: {median}, and {goal} is wanted. {row.next_step}".rstrip())
    return lines


def write(path: Path, machine: Sequence[tuple[str, str]], rows: Sequence[Row], runs: int) -> None:
    """Write the page of the documentation."""
    where = "\n".join(f"- {name}: {value}" for name, value in machine)
    text = f"{_PAGE}\n{where}\n\nMedians of {runs} runs, variants in turn.\n\n{as_markdown(rows)}\n"
    if lines := missed(rows):
        text += "\n## Missed\n\n" + "\n".join(lines) + "\n"
    path.write_text(text)
