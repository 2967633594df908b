"""Which formats are there, and how is each written? One table for the command; the formats know nothing of files' ends.

Each writer makes a file or a folder whole or not at all, and raises CannotWrite, CannotChoose or CannotRead with a
sentence.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chat.transcripts import Transcript
from collector.exports import avsd, rows, tables, visdial, writing
from collector.exports.avsd import Tally
from collector.exports.candidates import Report
from collector.exports.cutting import Cut

Pieces = Callable[[Iterable[Transcript], Tally], Iterable[str]]


@dataclass(frozen=True)
class Order:
    """What is to be written where, beyond the dialogs."""

    out: Path
    cut: Cut
    wish: visdial.Wish
    licences: Iterable[str]


@dataclass(frozen=True)
class Format:
    """A format: ``write`` makes it and returns the report on candidates, if it has any."""

    about: str
    write: Callable[[Order, Iterable[Transcript], Tally], Report | None]
    takes: frozenset[str] = frozenset()
    """The options of the command that only some formats take, and this one does."""
    all_dialogs: bool = False
    """It holds all dialogs of a video, not only the first."""
    is_folder: bool = False
    suffix: str = ".json"
    """How the name of its file ends."""


def _cut(
    pieces: Callable[[Iterable[Transcript], Tally, Cut], Iterable[str]],
    order: Order,
    dialogs: Iterable[Transcript],
    tally: Tally,
) -> None:
    writing.write(order.out, pieces(dialogs, tally, order.cut))


def _whole(pieces: Pieces, order: Order, dialogs: Iterable[Transcript], tally: Tally) -> None:
    writing.write(order.out, pieces(dialogs, tally))


def _parquet(order: Order, dialogs: Iterable[Transcript], tally: Tally) -> None:
    with writing.replacing(order.out) as path:
        tables.parquet(path, dialogs, tally)


def _huggingface(order: Order, dialogs: Iterable[Transcript], tally: Tally) -> None:
    with writing.making(order.out) as folder:
        tables.huggingface(folder, dialogs, tally, order.licences)


def _visdial(order: Order, dialogs: Iterable[Transcript], tally: Tally) -> Report:
    with writing.making(order.out) as folder:
        return visdial.visdial(folder, dialogs, tally, order.wish)


FORMATS = {
    "dstc7": Format(
        "normalised text, one dialog a video (default)",
        partial(_cut, avsd.dstc7),
        frozenset({"undisclosed_last", "truncate", "seed"}),
    ),
    "dstc10": Format(
        "the same, with several references for the last answer where there are some",
        partial(_cut, avsd.dstc10),
        frozenset({"truncate", "seed"}),
    ),
    "raw": Format("text as typed, all dialogs", partial(_whole, avsd.raw), all_dialogs=True),
    "visdial": Format(
        "a folder of files with 100 answers to rank a round, one dialog a video",
        _visdial,
        frozenset({"test", "seed", "pool", "vectors"}),
        is_folder=True,
    ),
    "jsonl": Format(
        "a line a round with all that is known", partial(_whole, rows.jsonl), all_dialogs=True, suffix=".jsonl"
    ),
    "parquet": Format("the same as a Parquet table", _parquet, all_dialogs=True, suffix=".parquet"),
    "huggingface": Format("a folder that datasets.load_dataset loads", _huggingface, all_dialogs=True, is_folder=True),
}
