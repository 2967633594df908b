"""Whose line is this? From a pseudonym or a video's id in an exported file back to what is stored.

Pseudonyms are keyed hashes and nothing is stored to undo them: each is computed again for every row that may be meant,
in one query and under two seconds for 100,000 dialogs.
"""

import re
from dataclasses import dataclass, field

from django.db.models import Q, QuerySet

from chat.models import Dialog
from collector.exports.pseudonyms import LENGTH, found_again
from collector.studies.models import Participation
from collector.summaries.models import Viewing

MOST = 50
"""So many dialogs, and so many viewings, are listed."""
_KEY = re.compile(f"[0-9a-f]{{{LENGTH}}}")
_CHUNK = 10_000


@dataclass(frozen=True)
class Found:
    """What a line may be about; ``what`` says what its key is: pair, worker, video, or nothing known."""

    what: str = ""
    worker: int | None = None
    dialogs: list[Dialog] = field(default_factory=list)
    viewings: list[Viewing] = field(default_factory=list)


def round_in(text: str) -> int | None:
    """Return the number of a round in an address; None where there is none."""
    return int(text) if re.fullmatch("[0-9]{1,3}", text) else None


def find(key: str) -> Found:
    """Return what has this key: the dialog of a pair, all of a worker in one collection, or all about a video."""
    if not key:
        return Found()
    is_ours = _KEY.fullmatch(key)
    # An imported dialog keeps the pseudonyms of its file.
    if pair := _dialogs(Dialog.objects.filter(Q(pk=_pair(key) if is_ours else None) | Q(origin__pair=key))):
        return Found("pair", dialogs=pair)
    if is_ours and (whose := _worker(key)):
        return _of_worker(*whose)
    if imported := _dialogs(Dialog.objects.filter(Q(origin__questioner=key) | Q(origin__answerer=key))):
        return Found("worker", dialogs=imported)
    dialogs = _dialogs(Dialog.objects.filter(video__image_id=key))
    viewings = _viewings(Viewing.objects.filter(video__image_id=key))
    return Found("video" if dialogs or viewings else "", dialogs=dialogs, viewings=viewings)


def _pair(key: str) -> int | None:
    rows = Dialog.objects.order_by().values_list("study__collection", "pk").iterator(_CHUNK)
    found = found_again("pair", rows, key)
    return found[1] if found else None


def _worker(key: str) -> tuple[int, int] | None:
    """Return the collection and the worker."""
    rows = Participation.objects.order_by().values_list("study__collection", "worker").distinct().iterator(_CHUNK)
    return found_again("worker", rows, key)


def _of_worker(collection: int, worker: int) -> Found:
    dialogs = Dialog.objects.filter(study__collection=collection, seats__worker=worker)
    viewings = Viewing.objects.filter(participation__study__collection=collection, participation__worker=worker)
    return Found("worker", worker, _dialogs(dialogs), _viewings(viewings))


def _dialogs(rows: QuerySet[Dialog]) -> list[Dialog]:
    """Return them in the order in which exports take them: complete ones first, then by start."""
    return list(rows.select_related("study", "video").order_by("-is_complete", "started_at", "pk")[:MOST])


def _viewings(rows: QuerySet[Viewing]) -> list[Viewing]:
    return list(rows.select_related("participation__study", "video").order_by("started_at", "pk")[:MOST])
