"""How does Table 2 become a report? Kept whole in one file, which a page sorts and shows, and as tables (CSV)."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from collector.analysis.bootstrap import Estimate
from collector.analysis.captions import METRICS
from collector.analysis.summary_table import SummaryTable, VideoScores
from collector.analysis.tables import Table
from collector.exports import writing
from collector.lib.spreadsheets import Cell

KEPT = "report.json"
TABLES = ("table_2.csv", "videos.csv")


class Options(msgspec.Struct, frozen=True):
    """With what a report was computed."""

    dialogs: str = ""
    """The short name of the study whose Questioners' summaries were taken; empty: see ``watchers``."""
    watchers: int = 4
    seed: int = 0
    simulated: bool = False


class Said(msgspec.Struct, frozen=True):
    """A summary with its scores, in the order of METRICS."""

    text: str
    scores: list[float]


class Video(msgspec.Struct, frozen=True):
    """A video's summaries: each watcher's against the others', the Questioner's as the mean over these choices."""

    video: str
    dialog: int | None
    watchers: list[Said]
    questioner: Said

    def mean(self, metric: int) -> float:
        """Return the mean of the watchers' scores."""
        return sum(each.scores[metric] for each in self.watchers) / len(self.watchers)


class Report(msgspec.Struct, frozen=True):
    """Table 2 with the videos behind it (the paper's Figure 12)."""

    options: Options
    rows: dict[str, dict[str, Estimate]]
    meteor_missing: str
    left_out: int
    videos: list[Video]


def report(table: SummaryTable, options: Options) -> Report:
    """Return what is kept of a table."""
    videos = [_video(each) for each in table.videos]
    return Report(options, table.rows, table.meteor_missing, table.left_out, videos)


def _video(scores: VideoScores) -> Video:
    watchers = [Said(text, own.tolist()) for text, own in scores.watchers]
    text, own = scores.questioner
    return Video(scores.video, scores.dialog, watchers, Said(text, own.tolist()))


def write(folder: Path, made: Report) -> None:
    """Write a report and its tables into a folder that is there. Raises CannotWrite."""
    for name, table in zip(TABLES, (as_table(made.rows), _videos(made.videos)), strict=True):
        writing.write(folder / name, table.as_csv())
    writing.write(folder / KEPT, [msgspec.json.encode(made).decode()])


def read(folder: Path) -> Report | None:
    """Return the report of a folder; None where there is none that this version can read."""
    try:
        return msgspec.json.decode((folder / KEPT).read_bytes(), type=Report)
    except (OSError, msgspec.DecodeError):
        return None


def as_table(rows: dict[str, dict[str, Estimate]]) -> Table:
    """Return the figures as a table of plain values, one line a row and metric."""
    lines: list[list[Cell]] = [
        [row, metric, estimate.value, *(estimate.interval or (None, None))]
        for row, cells in rows.items()
        for metric, estimate in cells.items()
    ]
    return Table("summary_study", ["row", "metric", "value", "95 % from", "to"], lines)


def _videos(videos: list[Video]) -> Table:
    return Table("videos", ["image_id", "dialog", "whose", "summary", *METRICS], list(_lines(videos)))


def _lines(videos: list[Video]) -> Iterator[list[Cell]]:
    for each in videos:
        for number, said in enumerate(each.watchers, start=1):
            yield [each.video, each.dialog, f"video-watcher {number}", said.text, *said.scores]
        yield [each.video, each.dialog, "Questioner", each.questioner.text, *each.questioner.scores]
