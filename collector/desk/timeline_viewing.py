"""The time line of who watched a video alone and wrote its summary, or judged answers."""

from collector.desk import timeline
from collector.desk.timeline import Column, Line, Moment, Span, Timeline, Track, cut, ordered, since
from collector.lib import clock
from collector.studies import versions
from collector.studies.models import Kind
from collector.summaries.models import VideoReport, Viewing

WHO = "Watcher"
SUMMARY = "Summary"


def of_viewing(viewing: Viewing) -> Timeline:
    """Return a viewing's time line, in one query; ``viewing`` has its video's script, summary, version and study."""
    part, summary = viewing.participation, getattr(viewing, "summary", None)
    start = viewing.started_at
    end = max(1.0, since(start, viewing.ended_at or clock.now()))
    watched = None if viewing.watched_at is None else since(start, viewing.watched_at)
    is_summary = part.study.kind == Kind.SUMMARY
    keeps = versions.content_of(part.version)["keeps_evidence"]
    moments = [Moment(0, WHO, "Was given the video")]
    if watched is not None:
        moments.append(Moment(watched, WHO, "The video had played to its end", [timeline.played(viewing.watched)]))
    wrote, lines = [], []
    if summary is not None:
        sent, how = since(start, summary.stored_at), summary.evidence if keeps else {}
        if span := timeline.typing(how, SUMMARY, watched or 0.0, sent):
            wrote.append(span)
            moments.append(Moment(span.start, WHO, "First key of the summary", ["by what their page counted"]))
        lines.append(Line(SUMMARY, summary.text, sent, is_own=True))
        details = timeline.written(how, summary.typed_at, summary.stored_at)
        moments.append(Moment(sent, WHO, SUMMARY, details, summary.text))
    moments += _reports(viewing)
    if part.ended_at:
        why = [part.get_why_display()] if part.why else []
        what = f"Their part has ended: {part.get_outcome_display().lower()}"
        moments.append(Moment(since(start, part.ended_at), WHO, what, why))
    tracks = [
        Track("Task", _task(watched, end, "To write the summary." if is_summary else "To mark the answers.")),
        timeline.video_track(viewing.video.duration, watched, end),
    ]
    if wrote:
        tracks.insert(1, Track("Writing", wrote))
    script = getattr(viewing.video, "script", None)
    shown = script.text if script and not is_summary else ""  # who judges answers reads it, who sums up does not
    column = Column(WHO.lower(), part.worker_id, tracks, lines, end, has_video=True, watched=watched, script=shown)
    return Timeline(start, end, [column], ordered(moments))


def _task(watched: float | None, end: float, then: str) -> list[Span]:
    first = end if watched is None else watched
    spans = [Span(0, first, "watching", "To watch the video first."), Span(first, end, "turn", then)]
    return cut(spans, 0, end)


def _reports(viewing: Viewing) -> list[Moment]:
    reports = VideoReport.objects.filter(viewing=viewing).order_by("pk")
    return [Moment(since(viewing.started_at, each.at), WHO, f"Report. Video: {each}") for each in reports]
