"""How are quality flags shown? By name, what was measured, and definition, and marked in the texts themselves."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from collector.quality.counting import Worker
from collector.quality.flags import Flag, Looked, look
from collector.quality.models import rules_of
from collector.quality.rules import Rules
from collector.quality.writings import Rows, of_workers, rows_of
from collector.studies import kinds
from collector.studies.models import Study
from collector.studies.models import Worker as Person

NEWEST = 50
"""So many dialogs of a worker in a study are looked at."""


@dataclass(frozen=True)
class Shown:
    """A flag that is set, in words."""

    name: str
    said: str
    definition: str


@dataclass(frozen=True)
class Span:
    """A piece of a text, characters ``start`` to before ``end``, and the flag whose evidence it is."""

    start: int
    end: int
    name: str


@dataclass(frozen=True)
class Seen:
    """The flags of what one worker, or both, wrote in a dialog, and what to mark in the texts by position."""

    shown: list[Shown] = field(default_factory=list)
    spans: dict[int, list[Span]] = field(default_factory=dict)

    def html(self, position: int, text: str) -> SafeString:
        """Return a text, escaped, with its evidence marked."""
        return marked(text, self.spans.get(position, []))

    def names(self, position: int) -> list[str]:
        """Return the names of the flags for which a text is evidence."""
        return list(dict.fromkeys(each.name for each in self.spans.get(position, [])))


def seen(looked: Iterable[Looked], rules: Rules) -> Seen:
    """Return what is to be shown of some writings of one dialog."""
    shown, spans = [], defaultdict(list)
    for writing in looked:
        for each in writing.set:
            shown.append(Shown(each.flag.name, each.measured.said, each.flag.definition(rules)))
            for mark in each.measured.marks:
                spans[mark.position].append(Span(mark.start, mark.end, each.flag.name))
    return Seen(shown, dict(spans))


def by_writing(study: Study, rows: Rows, workers: Iterable[int]) -> dict[tuple[int, int | None], Seen]:
    """Return what is to be shown of each writing, by number and worker; repeats are sought in all of the workers'."""
    rules, theirs = rules_of(study), of_workers(rows_of(study, simulated=True), workers)
    return {(each.writing.number, each.writing.worker): seen([each], rules) for each in look(rows, rules, theirs)}


def marked(text: str, spans: Sequence[Span]) -> SafeString:
    """Return ``text`` as HTML, every span of it in a mark whose title names its flags; spans may overlap.

    What is evidence only because the whole text is has a class of its own, so that words stand out from it.
    """
    edges = sorted({0, len(text), *(each.start for each in spans), *(each.end for each in spans)})
    return mark_safe("".join(_piece(text, start, end, spans) for start, end in pairwise(edges)))  # noqa: S308


def _piece(text: str, start: int, end: int, spans: Sequence[Span]) -> str:
    over = [each for each in spans if each.start <= start and end <= each.end]
    if not over:
        return escape(text[start:end])
    names = ", ".join(dict.fromkeys(each.name for each in over))
    is_whole = all(each.start == 0 and each.end == len(text) for each in over)
    kind = mark_safe(' class="whole"') if is_whole else ""
    return format_html('<mark{} title="{}">{}</mark>', kind, names, text[start:end])


@dataclass(frozen=True)
class OfStudy:
    """The flags of one worker in one study."""

    study: Study
    unit: str
    dialogs: int
    flags: list[tuple[Flag, list[int], bool]]
    """Each with the numbers of the dialogs, and whether it is set of the worker; without those of no dialog."""


def of_worker(person: Person, studies: Iterable[Study]) -> list[OfStudy]:
    """Return the flags of a worker in each study in which they wrote something."""
    found = []
    for study in studies:
        rules, about = rules_of(study), kinds.of(study.kind)
        rows = of_workers(rows_of(study, simulated=person.is_simulated), [person.pk])[:NEWEST]
        worker, numbers = Worker(), defaultdict(list)
        for looked in look(rows, rules):
            if looked.writing.worker == person.pk and looked.writing.texts:
                worker.add(looked)
                for each in looked.set:
                    numbers[each.flag].append(looked.writing.number)
        if worker.dialogs:
            are_set = dict(worker.set(rules))
            flags = [(flag, dialogs, flag in are_set) for flag, dialogs in numbers.items()]
            found.append(OfStudy(study, about.unit if worker.dialogs == 1 else about.units, worker.dialogs, flags))
    return found
