"""One worker, one video, one summary: what each step changes, in one transaction, under the participation's lock.

What comes before the work itself, and what ends it, is the same in a relevance study, which builds on it.
Every step can be asked for twice with the same result, so a page sends again what it has no answer to.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db import transaction

from chat import dialogs, rules
from chat.models import About, Report
from chat.protocol import Evidence, Limits
from chat.rules import Code, Refusal
from collector.lib import clock
from collector.lib.text import UnstorableText, clean
from collector.studies import outcomes, versions, videos
from collector.studies.models import Fault, Kind, Outcome, Participation, State, Study, Why
from collector.summaries.models import Summary, VideoReport, Viewing

PARTS = 2
"""Of the task, for pay: watching, and writing."""
_KEY = re.compile(r"[A-Za-z0-9_-]{8,40}")


@dataclass(frozen=True)
class Written:
    """A summary as its page sent it."""

    key: str
    text: str
    typed_at: datetime | None = None
    evidence: Evidence | None = None


def limits_of(content: dict[str, Any]) -> Limits:
    """Return what a summary must keep to, by a version's content."""
    return Limits(
        language=content["language"],
        least_summary=content["least_summary_words"],
        longest_summary=content["longest_summary"],
    )


def lock(participation_id: int) -> Participation:
    rows = Participation.objects.select_for_update(of=("self",))
    return rows.select_related("version", "study").get(pk=participation_id)


def opened(participation_id: int) -> tuple[Participation, Viewing]:
    """Return an open participation, locked, and its viewing. Raises Refusal ``over``."""
    locked = lock(participation_id)
    viewing = Viewing.objects.select_related("video").filter(participation=locked).first()
    if locked.ended_at is not None or viewing is None:
        raise Refusal(Code.OVER)
    return locked, viewing


def begin(participation_id: int) -> Viewing | None:
    """Give a participation its video, or the one it has; None when none is left and the participation ends so."""
    with transaction.atomic():
        locked = lock(participation_id)
        if found := Viewing.objects.filter(participation=locked).first():
            return found
        if locked.ended_at is not None or locked.is_learning:
            return None
        if why := _closed(locked.study, simulated=locked.is_simulated):
            outcomes.end(locked.pk, Outcome.STUDY_ENDED, why=why)
            return None
        video = videos.take_one(locked.study, locked.worker_id, simulated=locked.is_simulated)
        if video is None:
            is_any_left = videos.any_left(locked.study, simulated=locked.is_simulated)
            why = Why.ALL_SEEN if is_any_left else Why.NO_VIDEO_LEFT
            outcomes.end(locked.pk, Outcome.STUDY_ENDED, why=why)
            return None
        now = clock.now()
        Participation.objects.filter(pk=locked.pk).update(started_at=now)
        minutes = versions.content_of(locked.version)["dialog_minutes"]
        return Viewing.objects.create(
            participation=locked,
            video_id=video,
            is_counted=not locked.is_simulated,
            started_at=now,
            due_at=now + timedelta(minutes=minutes),
        )


def _closed(study: Study, *, simulated: bool) -> Why | None:
    if study.runs_for(simulated=simulated):
        return None
    return Why.STUDY_PAUSED if study.state == State.PAUSED else Why.STUDY_CLOSED


def watched(participation_id: int, ranges: list[tuple[float, float]]) -> None:
    """Store that the video was watched, and start the time for a summary. Raises Refusal ``watch_first``."""
    with transaction.atomic():
        locked, viewing = opened(participation_id)
        if viewing.watched_at is not None:
            return
        if not dialogs.covers(ranges, viewing.video.duration):
            raise Refusal(Code.WATCH_FIRST)
        viewing.watched_at, viewing.watched = clock.now(), [list(each) for each in ranges]
        if locked.study.kind == Kind.SUMMARY:
            minutes = versions.content_of(locked.version)["summary_minutes"]
            viewing.summary_due_at = viewing.watched_at + timedelta(minutes=minutes)
        viewing.save(update_fields=["watched_at", "watched", "summary_due_at"])
        Participation.objects.filter(pk=locked.pk).update(rounds_done=1)


def keep_draft(participation_id: int, text: str) -> None:
    """Keep what is typed and not sent, cut at twice the longest summary. Raises Refusal ``unstorable``."""
    try:
        clean(text)
    except UnstorableText:
        raise Refusal(Code.UNSTORABLE) from None
    with transaction.atomic():
        locked, viewing = opened(participation_id)
        longest = versions.content_of(locked.version)["longest_summary"]
        viewing.draft = text[: 2 * longest]
        viewing.save(update_fields=["draft"])


def summarise(participation_id: int, written: Written) -> None:
    """Store the summary and end the participation as complete. The same key and text again change nothing."""
    if not _KEY.fullmatch(written.key):
        raise Refusal(Code.BAD_KEY)
    with transaction.atomic():
        version = lock(participation_id).version
        content = versions.content_of(version)
        text = rules.check_text("summarise", written.text, limits_of(content))
        stored = Summary.objects.filter(viewing__participation=participation_id).first()
        if stored is not None and stored.key == written.key:
            if stored.text != text:
                raise Refusal(Code.KEY_REUSED)
            return
        locked, viewing = opened(participation_id)
        if viewing.watched_at is None:
            raise Refusal(Code.WATCH_FIRST)
        evidence = written.evidence if content["keeps_evidence"] else None
        Summary.objects.create(
            viewing=viewing,
            key=written.key,
            text=text,
            typed_at=written.typed_at,
            stored_at=clock.now(),
            evidence=msgspec.to_builtins(evidence) if evidence else {},
        )
        Participation.objects.filter(pk=locked.pk).update(rounds_done=PARTS, wrote_summary=True)
        close(viewing)
        outcomes.end(locked.pk, Outcome.COMPLETE)


def leave(participation_id: int, reason: str = "") -> None:
    """End at the worker's wish, also before there is a video; nothing when it is over."""
    give_up(participation_id, Outcome.LEFT, Fault.WORKER, reason=reason)


def report_video(participation_id: int, reason: str) -> None:
    """Store what the worker reports, end the participation paid in full, and hold the video for the researcher."""
    with transaction.atomic():
        locked, viewing = opened(participation_id)
        VideoReport.objects.create(viewing=viewing, reason=reason, at=clock.now())
        videos.hold(locked.study_id, viewing.video_id, _reporters(viewing.video_id))
        give_up(participation_id, Outcome.TECHNICAL_FAILURE, Fault.US, why=Why.VIDEO_REPORTED)


def _reporters(video_id: int) -> int:
    """Return how many workers have reported a video and nobody has looked yet, in dialogs or here."""
    here = VideoReport.objects.filter(viewing__video=video_id, looked_at__isnull=True)
    there = Report.objects.filter(about=About.VIDEO, dialog__video=video_id, looked_at__isnull=True)
    workers = set(here.values_list("viewing__participation__worker", flat=True))
    return len(workers | set(there.values_list("seat__worker", flat=True)))


def give_up(participation_id: int, outcome: Outcome, fault: Fault, *, why: Why | str = "", reason: str = "") -> bool:
    """End a participation that is not complete and give its video to somebody else; False when it was over."""
    with transaction.atomic():
        locked = lock(participation_id)
        if locked.ended_at is not None:
            return False
        viewing = Viewing.objects.filter(participation=locked).first()
        if viewing is not None:
            close(viewing)
            Viewing.objects.filter(pk=viewing.pk).recount()
        return outcomes.end(locked.pk, outcome, fault, why=why, reason=reason)


def close(viewing: Viewing) -> None:
    viewing.ended_at, viewing.draft, viewing.due_at, viewing.summary_due_at = clock.now(), "", None, None
    viewing.save(update_fields=["ended_at", "draft", "due_at", "summary_due_at"])


def on_withdrawal(sender: Any, participation_id: int, **_: Any) -> None:
    """Give back, or count again, the video of who has withdrawn, or has not after all."""
    Viewing.objects.filter(participation=participation_id).recount()
