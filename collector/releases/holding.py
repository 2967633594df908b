"""Which work does a release hold? It is fixed before anything is written, so that all its files hold the same."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet

from chat import transcripts
from chat.models import Dialog
from chat.transcripts import Transcript
from collector.catalogue.models import Split, Video
from collector.exports import summaries
from collector.exports.selection import Selection
from collector.exports.summaries import WatcherSummary
from collector.releases.models import Release
from collector.studies.models import Kind, Study
from collector.summaries.models import Summary

_BATCH = 5000


class CannotRelease(Exception):
    """Why nothing was released, in a sentence for the researcher."""


def hold(release: Release, studies: Sequence[Study], *, simulated: bool) -> None:
    """Note in the release's row all that leaves of these studies. Raises CannotRelease when it is nothing."""
    release.studies.set(studies)
    dialogs = [pk for study in _of_kind(studies, Kind.DIALOG) for pk in _pks(_selected(study, simulated).dialogs())]
    viewings = [
        pk
        for study in _of_kind(studies, Kind.SUMMARY)
        for pk in summaries.chosen(study.slug, "", simulated=simulated).values_list("viewing", flat=True)
    ]
    if not dialogs and not viewings:
        names = " or ".join(study.slug for study in studies)
        raise CannotRelease(f"There is nothing complete to release in {names}. --simulated takes what programs made.")
    _add(release.dialogs.through, release, "dialog_id", dialogs)
    _add(release.viewings.through, release, "viewing_id", viewings)


def _of_kind(studies: Iterable[Study], kind: Kind) -> list[Study]:
    return [study for study in studies if study.kind == kind]


def _selected(study: Study, simulated: bool) -> Selection:
    return Selection(study.slug, simulated=simulated)


def _pks(rows: QuerySet[Dialog]) -> list[int]:
    return list(rows.order_by("pk").values_list("pk", flat=True))


def _add(through: Any, release: Release, name: str, numbers: Iterable[int]) -> None:
    rows = (through(release_id=release.pk, **{name: number}) for number in numbers)
    through.objects.bulk_create(rows, batch_size=_BATCH)


def dialogs_of(release: Release, split: str = "") -> QuerySet[Dialog]:
    """Return the dialogs that a release holds, of one split or all; videos without a split are in train."""
    rows = Dialog.objects.filter(releases=release)
    among = _among(split)
    return rows.filter(Q(origin__isnull=True, video__split__in=among) | Q(origin__split__in=among)) if split else rows


def _among(split: str) -> list[str]:
    return [split, ""] if split == Split.TRAIN else [split]


def transcripts_of(release: Release, split: str = "") -> Iterator[Transcript]:
    """Yield what was said, without the scripts of videos that may not be published."""
    rows = dialogs_of(release, split)
    kept_back = set(videos_of(release).filter(is_publishable=False).values_list("image_id", flat=True))
    for each in transcripts.read(rows):
        yield replace(each, script="") if each.image_id in kept_back else each


def summaries_of(release: Release, split: str) -> Iterator[WatcherSummary]:
    """Yield the summaries of watchers that a release holds of one split, by video."""
    return summaries.values(summary_rows(release, split))


def summary_rows(release: Release, split: str = "") -> QuerySet[Summary]:
    """Return the summaries of watchers that a release holds, of one split or all."""
    rows = Summary.objects.filter(viewing__releases=release)
    return rows.filter(viewing__video__split__in=_among(split)) if split else rows


def videos_of(release: Release) -> QuerySet[Video]:
    """Return the videos that the work of a release is about."""
    of_dialogs = Q(pk__in=Dialog.objects.filter(releases=release).values("video"))
    of_summaries = Q(pk__in=release.viewings.values("video"))
    return Video.objects.filter(of_dialogs | of_summaries)
