"""What ran out? Swept together with the deadlines of dialogs, by whichever web process sweeps those."""

import logging
from datetime import timedelta
from typing import Any

from django.db import DatabaseError
from django.db.models import F, Q

from collector.lib import clock
from collector.studies import versions, videos
from collector.studies.models import Fault, Kind, Outcome, Participation, State, Study, Why
from collector.summaries import watching
from collector.summaries.models import Viewing

log = logging.getLogger(__name__)

MOST = 500
"""How many one sweep looks at; the next one goes on."""


def on_sweep(sender: object, **kwargs: Any) -> None:
    """End what ran out."""
    sweep()


def on_downtime(sender: object, gap: timedelta, **kwargs: Any) -> None:
    """Move all open deadlines: we were away, which is nobody's fault."""
    running = Viewing.objects.filter(ended_at__isnull=True)
    running.filter(due_at__isnull=False).update(due_at=F("due_at") + gap)
    running.filter(summary_due_at__isnull=False).update(summary_due_at=F("summary_due_at") + gap)


def sweep() -> int:
    """End, one by one, what ran out; return how many."""
    now = clock.now()
    over = Viewing.objects.filter(Q(due_at__lte=now) | Q(summary_due_at__lte=now), ended_at__isnull=True)
    ended = 0
    for pk, kind in list(over.order_by("pk").values_list("participation", "participation__study__kind")[:MOST]):
        why = Why.SUMMARY_OVER if kind == Kind.SUMMARY else Why.DIALOG_OVER
        ended += _end(pk, Outcome.TIMED_OUT, Fault.WORKER, why)
    for pk in _never_began():
        ended += _end(pk, Outcome.LEFT, Fault.NOBODY, Why.NEVER_CAME)
    return ended


def _never_began() -> list[int]:
    """Return who agreed and did not begin within the time that the whole task may take."""
    rows = Participation.objects.filter(ended_at__isnull=True, viewing__isnull=True, is_learning=False)
    rows = rows.exclude(study__kind=Kind.DIALOG)
    now = clock.now()
    return [
        each.pk
        for each in rows.select_related("version").order_by("pk")[:MOST]
        if each.confirmed_at + timedelta(minutes=versions.content_of(each.version)["dialog_minutes"]) <= now
    ]


def _end(participation_id: int, outcome: Outcome, fault: Fault, why: Why) -> bool:
    try:
        return watching.give_up(participation_id, outcome, fault, why=why)
    except DatabaseError:
        log.warning("Participation %d waits for the next sweep.", participation_id, exc_info=True)
        return False


def take_in_new_videos() -> None:
    """Add the videos of dialogs that have become complete to the studies that summarise them.

    Where rounds are judged, want nothing more of dialogs that have left the data.
    """
    following = Q(kind=Kind.SUMMARY, videos_of__isnull=False) | Q(kind=Kind.RELEVANCE)
    for study in Study.objects.filter(following, state=State.OPEN):
        videos.refresh(study)
