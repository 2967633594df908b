"""How does a collection become a report? Read once, counted, and written as tables, a page and pictures."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from collector.analysis import charts, published
from collector.analysis.conversations import Conversation, dialogs_of_workers, from_dialogs
from collector.analysis.measures import Described
from collector.analysis.tables import tables
from collector.analysis.tally import Tally
from collector.exports import writing
from collector.exports.selection import Selection
from collector.lib.words import WordLists, word_lists
from collector.studies.models import Study

PAGE = "statistics.html"


class NothingToCount(Exception):
    """The collection has no dialog; the message is a sentence."""


def of_study(selection: Selection, lists: WordLists, advance: Callable[[], None] = lambda: None) -> Tally:
    """Count the dialogs that an export of the selection would take, all of a video. Raises NothingToCount.

    ``advance`` is called after each dialog.
    """
    dialogs = selection.dialogs()
    if not dialogs.exists():
        raise NothingToCount(_nothing_in(selection.study or "all studies") + selection.hint())
    name = (selection.study or "all studies") + (" with simulated ones" if selection.simulated else "")
    tally = Tally(name, lists, dialogs_of_workers(dialogs))
    return _filled(tally, from_dialogs(dialogs), advance)


def of_files(paths: Sequence[Path], lists: WordLists) -> Tally:
    """Count the dialogs of published files as one collection. Raises BadFile and NothingToCount."""
    tally = Tally(", ".join(path.name for path in paths), lists)
    return _filled(tally, (each for path in paths for each in published.read(path)))


def _filled(tally: Tally, conversations: Iterable[Conversation], advance: Callable[[], None] = lambda: None) -> Tally:
    for each in conversations:
        tally.add(each)
        advance()
    if not tally.videos:
        raise NothingToCount(_nothing_in(tally.name))
    return tally


def _nothing_in(name: str) -> str:
    return f"There is no complete dialog in {name}, so there is nothing to count."


def lists_of(study: Study) -> WordLists:
    """Return a study's word lists, the paper's where it has none of its own. Raises BadWords."""
    return word_lists(study.word_lists, f"Study {study.slug}: ")


def write(folder: Path, tallies: Sequence[Tally], described: Sequence[Described]) -> str:
    """Write tables, page and pictures into a folder that is there; return what was written, and what was not and why.

    All tallies have counted with the same word lists.

    Raises CannotWrite. Each file is whole or as it was before.
    """
    made = tables(tallies, described)
    for table in made:
        writing.write(folder / f"{table.name}.csv", table.as_csv())
    drawn = charts.charts(tallies)
    writing.write(folder / PAGE, [charts.page(drawn, described, tallies[0].lists)])
    said = f"Wrote {PAGE} and {len(made)} tables (CSV) to {folder}."
    try:
        charts.write_images(folder, drawn)
    except charts.NoImages as error:
        return f"{said} {error}"
    return f"{said} Wrote {len(drawn)} charts as {', '.join(form.upper() for form in charts.IMAGES)}."
