"""What did the watchers of summary studies write? As plain values, and as a JSON or CSV file.

Only complete ones that are in the data, with what a person has redacted replaced. No id of a worker: names as in all
exports.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import groupby

from django.db.models import QuerySet

from collector.exports.pseudonyms import worker_key
from collector.lib.spreadsheets import csv_line
from collector.studies.redacting import parts_by_text, redacted
from collector.summaries.models import Summary, SummaryRedaction, Viewing


@dataclass(frozen=True)
class WatcherSummary:
    """One summary by one who has watched the video."""

    image_id: str
    split: str
    study: str
    """The short name of the study."""
    language: str
    worker: str
    """The same in all files of a collection; see pseudonyms."""
    summary: str
    watched_at: str
    """When the video had played to its end, ISO 8601."""
    stored_at: str


def read(study: str = "", split: str = "", *, simulated: bool = False) -> Iterator[WatcherSummary]:
    """Yield the summaries of one study or all, ordered by video, then by when they were stored."""
    yield from values(_chosen(study, split, simulated=simulated))


def values(summaries: QuerySet[Summary]) -> Iterator[WatcherSummary]:
    """Yield these as plain values, ordered by video, then by when they were stored."""
    rows = summaries.select_related(
        "viewing__video", "viewing__participation__study", "viewing__participation__version"
    )
    parts = parts_by_text(SummaryRedaction.objects.all(), "summary")
    found = sorted(rows.iterator(), key=lambda each: (each.viewing.video.image_id, each.stored_at, each.pk))
    for each in found:
        viewing = each.viewing
        part = viewing.participation
        yield WatcherSummary(
            viewing.video.image_id,
            viewing.video.split,
            part.study.slug,
            part.version.content["language"],
            worker_key(part.study.collection_id, part.worker_id),
            redacted(each.text, parts.get(each.pk, ())),
            viewing.watched_at.isoformat() if viewing.watched_at else "",
            each.stored_at.isoformat(),
        )


def _chosen(study: str, split: str, *, simulated: bool) -> QuerySet[Summary]:
    rows = Summary.objects.filter(viewing__in=Viewing.objects.in_data())
    if study:
        rows = rows.filter(viewing__participation__study__slug=study)
    if split:
        rows = rows.filter(viewing__video__split=split)
    return rows if simulated else rows.filter(viewing__participation__is_simulated=False)


def as_json(summaries: Iterable[WatcherSummary]) -> Iterator[str]:
    """Yield a JSON file, one line a video with all its summaries, in ASCII."""
    yield '{"type": "video_summaries", "version": "0.1", "videos": ['
    between = "\n"
    for image_id, group in groupby(summaries, key=lambda each: each.image_id):
        members = [asdict(each) for each in group]
        own = [{name: each[name] for name in each if name not in ("image_id", "split")} for each in members]
        yield between + json.dumps({"image_id": image_id, "split": members[0]["split"], "summaries": own})
        between = ",\n"
    yield "\n]}\n"


def as_csv(summaries: Iterable[WatcherSummary]) -> Iterator[str]:
    """Yield the lines of a CSV file (RFC 4180), one summary each."""
    yield csv_line(list(WatcherSummary.__dataclass_fields__))
    for each in summaries:
        yield csv_line(list(asdict(each).values()))


FORMATS = {"json": as_json, "csv": as_csv}
