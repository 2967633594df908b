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
from collector.relevance import agreement
from collector.relevance.agreement import Judged
from collector.studies import kinds
from collector.studies.models import Kind, Outcome, Study
from collector.summaries.models import Summary, Viewing

_BATCH = 5000


class CannotRelease(Exception):
    """Why nothing was released, in a sentence for the researcher."""


def hold(release: Release, studies: Sequence[Study], *, simulated: bool) -> None:
    """Note in the release's row all that leaves of these studies. Raises CannotRelease when it is nothing."""
    release.studies.set(studies)
    talks = [Selection(study.slug, simulated=simulated) for study in studies if study.kind == Kind.DIALOG]
    dialogs = [pk for selection in talks for pk in _pks(selection.dialogs())]
    viewings = [pk for study in studies if kinds.of(study.kind).is_alone for pk in _pks(_viewings(study, simulated))]
    if not dialogs and not viewings:
        names = " or ".join(study.slug for study in studies)
        raise CannotRelease(f"There is nothing complete to release in {names}. --simulated takes what programs made.")
    _add(release.dialogs.through, release, "dialog_id", dialogs)
    _add(release.viewings.through, release, "viewing_id", viewings)


def _viewings(study: Study, simulated: bool) -> QuerySet[Viewing]:
    done = Viewing.objects.in_data().filter(participation__study=study, participation__outcome=Outcome.COMPLETE)
    return done if simulated else done.filter(participation__is_simulated=False)


def _pks(rows: QuerySet[Any]) -> list[int]:
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
    return Summary.objects.filter(viewing__in=viewings_of(release, split))


def judged_in(release: Release, study: Study) -> list[Judged]:
    """Return the items of a relevance study that as many people judged as were wanted, as the release holds it."""
    least = study.dialogs_per_video or 1
    return [each for each in agreement.judged_in(study.pk, release.viewings.all()) if each.people >= least]


def viewings_of(release: Release, split: str = "") -> QuerySet[Viewing]:
    """Return the viewings whose work a release holds, about videos of one split or all."""
    rows = Viewing.objects.filter(releases=release)
    return rows.filter(video__split__in=_among(split)) if split else rows


def videos_of(release: Release, split: str = "") -> QuerySet[Video]:
    """Return the videos that the work of a release is about, of one split or all."""
    of_dialogs = Q(pk__in=dialogs_of(release, split).values("video"))
    of_viewings = Q(pk__in=viewings_of(release, split).values("video"))
    return Video.objects.filter(of_dialogs | of_viewings)
