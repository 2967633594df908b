"""What must a reader know of a release? Counted from the rows; ``datasheet`` puts it into words."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Max, Min, QuerySet, Sum

from chat.models import Dialog, UtteranceRedaction
from collector.catalogue.models import Split
from collector.exports.candidates import Report
from collector.exports.visdial import Wish
from collector.releases import holding, study_facts
from collector.releases.media import LeftOut
from collector.releases.models import Release
from collector.studies.models import Kind
from collector.summaries.models import SummaryRedaction

Facts = dict[str, Any]


def of_release(release: Release, left_out: Iterable[LeftOut], *, simulated: bool, undecided: int) -> Facts:
    """Return the facts of a release, as JSON holds them; amounts and wages are text, in US dollars."""
    dialogs, viewings = holding.dialogs_of(release), release.viewings.all()
    summed, judged = (viewings.filter(participation__study__kind=kind) for kind in (Kind.SUMMARY, Kind.RELEVANCE))
    kept_back = list(left_out)
    held_here = dialogs.filter(origin__isnull=True)
    return {
        "title": release.name,
        "edition": release.edition,
        "released_at": iso(release.made_at),
        "software": {"name": "Collector", "version": settings.VERSION},
        "formats": release.formats,
        "videos": holding.videos_of(release).count(),
        "splits": [_split(release, split) for split in splits_of(release)],
        "dialogs": dialogs.count(),
        "rounds": _rounds(dialogs),
        "summaries": summed.count(),
        "annotations": judged.count(),
        "first_at": iso(
            _first(held_here.aggregate(at=Min("started_at"))["at"], viewings.aggregate(at=Min("started_at"))["at"])
        ),
        "last_at": iso(
            _last(held_here.aggregate(at=Max("ended_at"))["at"], viewings.aggregate(at=Max("ended_at"))["at"])
        ),
        "simulated_dialogs": dialogs.filter(is_simulated=True).count(),
        "simulated_summaries": summed.filter(participation__is_simulated=True).count(),
        "simulated_annotations": judged.filter(participation__is_simulated=True).count(),
        "scripts_left_out": sum(each.what == "script" for each in kept_back),
        "media_left_out": sum(each.what != "script" for each in kept_back),
        "converted_videos": _converted(release),
        "undecided_finds": undecided,
        "redactions": _redactions(release),
        "candidates": None,
        "studies": [
            study_facts.of_study(study, release, simulated=simulated) for study in release.studies.order_by("pk")
        ],
    }


def splits_of(release: Release) -> list[str]:
    """Return the splits of what a release holds, in their order; videos without one are in train."""
    dialogs = holding.dialogs_of(release)
    named = set(dialogs.filter(origin__isnull=True).values_list("video__split", flat=True))
    named |= set(dialogs.filter(origin__isnull=False).values_list("origin__split", flat=True))
    named |= set(release.viewings.values_list("video__split", flat=True))
    found = {split or Split.TRAIN.value for split in named}
    return [split for split in Split.values if split in found]


def of_candidates(report: Report, wish: Wish) -> Facts:
    """Return how the 100 answers of each round were chosen."""
    return {
        "pool": wish.pool,
        "seed": wish.seed,
        "vectors": report.vectors,
        "short_questions": report.short,
        "words_without_vector": report.unknown,
        "rounds_with_fewer_hard": report.few_hard,
    }


def _converted(release: Release) -> list[Facts]:
    """Return of which videos workers saw a copy that was made for browsers, and how it was made."""
    rows = holding.videos_of(release).exclude(original_checksum="").order_by("image_id")
    return [
        {"video": image_id, "original_sha256": original, "sha256": copy, "settings": how}
        for image_id, original, copy, how in rows.values_list(
            "image_id", "original_checksum", "checksum", "transcoding"
        ).iterator()
    ]


def _redactions(release: Release) -> int:
    """Return how many parts of texts are replaced in what a release holds."""
    standing = {"undone_at": None, "is_left": False}
    of_dialogs = UtteranceRedaction.objects.filter(utterance__dialog__releases=release, **standing)
    of_summaries = SummaryRedaction.objects.filter(summary__viewing__releases=release, **standing)
    return of_dialogs.count() + of_summaries.count()


def iso(at: datetime | None) -> str:
    """Return a time as text, to the second; empty for none."""
    return at.isoformat(timespec="seconds") if at else ""


def _split(release: Release, split: str) -> Facts:
    dialogs = holding.dialogs_of(release, split)
    return {
        "split": split,
        "videos": holding.videos_of(release, split).count(),
        "dialogs": dialogs.count(),
        "rounds": _rounds(dialogs),
        "summaries": holding.summary_rows(release, split).count(),
    }


def _rounds(dialogs: "QuerySet[Dialog]") -> int:
    return int(dialogs.aggregate(sum=Sum("rounds"))["sum"] or 0)


def _first(*times: datetime | None) -> datetime | None:
    return min((at for at in times if at), default=None)


def _last(*times: datetime | None) -> datetime | None:
    return max((at for at in times if at), default=None)
