"""How many are flagged in a study, which dialogs, which workers? As plain values, for pages and CSV files alike."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from collector.exports.pseudonyms import worker_key
from collector.lib.spreadsheets import Cell
from collector.quality.flags import BY_KEY, FLAGS, Flag, Looked
from collector.quality.rules import Rules
from collector.studies.models import Study


@dataclass
class Worker:
    """What was seen of one worker, over all of their dialogs that were looked at."""

    dialogs: int = 0
    flagged: Counter[str] = field(default_factory=Counter)
    """Dialogs by flag."""

    def add(self, looked: Looked) -> None:
        """Count what they wrote in one dialog."""
        self.dialogs += 1
        self.flagged.update(each.flag.key for each in looked.set)

    def set(self, rules: Rules) -> list[tuple[Flag, int]]:
        """Return the flags that are set of the worker, each with the number of dialogs."""
        return [
            (flag, number)
            for flag in FLAGS
            if (number := self.flagged[flag.key]) and 100 * number >= rules.worker * self.dialogs
        ]


@dataclass
class Counted:
    """What was seen in many writings."""

    rules: Rules
    numbers: set[int] = field(default_factory=set)
    """The dialogs, or viewings, that were looked at."""
    flagged: defaultdict[str, dict[int, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    """By flag the dialogs, or viewings, each with what was measured in words."""
    workers: defaultdict[int, Worker] = field(default_factory=lambda: defaultdict(Worker))

    def add(self, looked: Looked) -> None:
        """Count one writing."""
        writing = looked.writing
        self.numbers.add(writing.number)
        for each in looked.set:
            self.flagged[each.flag.key].setdefault(writing.number, []).append(each.measured.said)
        if writing.worker is not None and writing.texts:
            self.workers[writing.worker].add(looked)

    @property
    def any(self) -> set[int]:
        """Return those with some flag."""
        return {number for numbers in self.flagged.values() for number in numbers}


def count(looked: Iterable[Looked], rules: Rules) -> Counted:
    """Count them all."""
    counted = Counted(rules)
    for each in looked:
        counted.add(each)
    return counted


FLAG_HEADER = ["number", "worker", "role", "flag", "value", "unit", "threshold", "flagged", "said", "evidence"]
"""``number`` is that of the dialog, or viewing; ``evidence`` is position:start-end in characters, as Python counts."""
WORKER_HEADER = ["worker", "dialogs", "flag", "dialogs flagged", "%", "threshold", "flagged"]


def flag_lines(study: Study, looked: Looked, rules: Rules) -> Iterator[list[Cell]]:
    """Yield a line for each figure of a writing, flagged or not; workers have names as in exports."""
    writing = looked.writing
    who = worker_key(study.collection_id, writing.worker) if writing.worker else ""
    for each in looked.findings:
        evidence = " ".join(f"{mark.position}:{mark.start}-{mark.end}" for mark in each.measured.marks)
        threshold = getattr(rules, each.flag.key)
        value, said = round(each.measured.value, 2), each.measured.said
        whose: list[Cell] = [writing.number, who, writing.role]
        yield [*whose, each.flag.key, value, each.flag.unit, threshold, _yes(each.is_set), said, evidence]


def worker_lines(study: Study, counted: Counted) -> Iterator[list[Cell]]:
    """Yield a line for each worker and flag that some dialog of theirs has, the most flagged workers first."""
    most_first = sorted(counted.workers.items(), key=lambda each: (-each[1].flagged.total() / each[1].dialogs, each[0]))
    for number, worker in most_first:
        name, are_set = worker_key(study.collection_id, number), {flag.key for flag, _ in worker.set(counted.rules)}
        for key in sorted(worker.flagged, key=list(BY_KEY).index):
            flagged = worker.flagged[key]
            share = round(100 * flagged / worker.dialogs, 2)
            yield [name, worker.dialogs, key, flagged, share, counted.rules.worker, _yes(key in are_set)]


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"
