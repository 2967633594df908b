"""What is to be exported, and what came of it? The one way to a dataset, for the commands and the researcher's page.

Sentences name options as the commands do; the page shows those names beside its fields.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from chat import transcripts
from collector.exports import summaries, vectors, visdial, writing
from collector.exports.avsd import Tally
from collector.exports.candidates import Report
from collector.exports.cutting import DRAWN, Cut
from collector.exports.formats import FORMATS, Order
from collector.exports.selection import NoStudy, Selection, study_named
from collector.exports.summaries import WatcherSummary
from collector.lib.text import many
from collector.studies.models import Kind

NAMED = 50
"""How many odd ids a warning names before it counts the rest."""
SOME_FORMATS = ("undisclosed_last", "truncate", "test", "seed", "pool", "vectors")
"""The options that only some formats take."""
Started = Callable[[int], Callable[[int], None]]
"""Called with the number of steps; what it returns is called with how many more are done."""


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a researcher asks for, by the names of the command's options; None and False are not given."""

    format: str
    """One of FORMATS, or of ``summaries.FORMATS``: then what watchers wrote."""
    study: str = ""
    split: str = ""
    without_summary: bool = False
    simulated: bool = False
    undisclosed_last: bool = False
    truncate: int | None = None
    test: str | None = None
    seed: int | None = None
    pool: str | None = None
    vectors: str | None = None
    """The path of a file."""


def as_command(asked: Asked, out: str) -> str:
    """Return the command that does the same, writing to ``out``."""
    parts = ["manage.py", "export_avsd" if asked.format in FORMATS else "export_summaries"]
    for name, value in msgspec.to_builtins(asked).items():
        option = f"--{name.replace('_', '-')}"
        is_flag = value is True or (name == "truncate" and value == DRAWN)
        parts += [option] if is_flag else [option, str(value)]
    return shlex.join([*parts, "--out", out])


@dataclass
class Told:
    """What a researcher reads of an export, in sentences."""

    said: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class CannotExport(Exception):
    """Nothing was written; the message is a sentence. ``offer`` holds options with which it would go."""

    def __init__(self, sentence: str, offer: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.offer = offer or {}


def _count_nothing(steps: int) -> Callable[[int], None]:
    return lambda done: None


def check(asked: Asked) -> None:
    """Refuse what the format does not take, and a study that is not there. Raises CannotExport."""
    takes = FORMATS[asked.format].takes if asked.format in FORMATS else frozenset()
    for name in SOME_FORMATS:
        value = getattr(asked, name)
        if value is not None and value is not False and name not in takes:  # a seed of 0 is given
            takers = ", ".join(other for other in FORMATS if name in FORMATS[other].takes)
            raise CannotExport(f"--{name.replace('_', '-')} goes with --format {takers}, not {asked.format}.")
    if (asked.truncate or 0) < 0:
        raise CannotExport("--truncate takes a number of rounds from 1, or none to draw one for each dialog.")
    try:
        if asked.study:
            study_named(asked.study, "" if asked.format in FORMATS else Kind.SUMMARY)
    except NoStudy as error:
        raise CannotExport(str(error)) from error


def export(asked: Asked, out: Path, started: Started = _count_nothing) -> Told:
    """Write the dataset, whole or not at all, and tell what is in it and what was left out. Raises CannotExport."""
    check(asked)
    try:
        return _dialogs(asked, out, started) if asked.format in FORMATS else _summaries(asked, out)
    except visdial.TooFewInSplit as error:
        raise CannotExport(str(error), {"pool": visdial.ALL}) from error
    except (writing.CannotWrite, visdial.CannotChoose, vectors.CannotRead) as error:
        raise CannotExport(str(error)) from error


def _dialogs(asked: Asked, out: Path, started: Started) -> Told:
    form, tally = FORMATS[asked.format], Tally()
    selection = Selection(asked.study, asked.split, asked.without_summary, asked.simulated)
    order = Order(out, _cut(asked), _wish(asked, started), selection.licences())
    (writing.check_folder if form.is_folder else writing.check)(out)
    report = form.write(order, transcripts.read(selection.dialogs()), tally)
    said = [*_counted(out, tally, selection.left_out()), *(_candidates(report) if report else [])]
    return Told(said, list(_warnings(tally)))


def _cut(asked: Asked) -> Cut:
    return Cut(asked.truncate, asked.undisclosed_last, asked.seed or 0)


def _wish(asked: Asked, started: Started) -> visdial.Wish:
    return visdial.Wish(
        test=asked.test or "",
        seed=asked.seed or 0,
        pool=asked.pool or visdial.SPLIT,
        vectors=Path(asked.vectors) if asked.vectors else None,
        started=started,
    )


def _counted(out: Path, tally: Tally, left_out: dict[str, int]) -> Iterator[str]:
    rows = f", {many(tally.rows, 'round')}," if tally.rows else ""
    what = f"{many(tally.dialogs, 'dialog')}{rows} about {many(tally.videos, 'video')}"
    yield f"Wrote {what} to {out}."
    reasons = left_out | {"second dialog of a video (--format raw takes them)": tally.further_dialogs}
    total = sum(reasons.values())
    yield f"Left out: {many(total, 'dialog')}{':' if total else '.'}"
    yield from (f"  {number:>7}  {reason}" for reason, number in reasons.items() if number)
    if tally.further_summaries:
        yield f"The format holds one summary a video: {tally.further_summaries} of further dialogs left out."
    if tally.references:
        yield f"Further dialogs gave {many(tally.references, 'further reference')}."


def _candidates(report: Report) -> Iterator[str]:
    yield (
        f"Zeros stand in the vectors of {many(report.short, 'question')} of three words or fewer, and for "
        f"{many(report.unknown, 'word')} without a vector."
    )
    if report.few_hard:
        yield f"{many(report.few_hard, 'round')} had fewer than 50 answers from other videos; more were drawn."


def _warnings(tally: Tally) -> Iterator[str]:
    if not tally.dialogs:
        yield "Warning: there was no dialog to write; the file is empty but well formed."
    if tally.odd_ids:
        more = len(tally.odd_ids) - NAMED
        names = ", ".join(tally.odd_ids[:NAMED]) + (f" and {more} more" if more > 0 else "")
        yield f"Warning: some readers take only ids of five characters 0-9 and A-Z, unlike: {names}"


def _summaries(asked: Asked, out: Path) -> Told:
    videos: list[str] = []
    found = summaries.read(asked.study, asked.split, simulated=asked.simulated)
    writing.write(out, summaries.FORMATS[asked.format](_noted(found, videos)))
    return Told([f"Wrote {len(videos)} summaries of {len(set(videos))} videos to {out}."])


def _noted(found: Iterable[WatcherSummary], videos: list[str]) -> Iterator[WatcherSummary]:
    for each in found:
        videos.append(each.image_id)
        yield each
