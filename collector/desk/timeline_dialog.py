"""The time line of a dialog: both workers' columns, and everything that happened, from what is stored and no more."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef

from chat import transcripts
from chat.models import Dialog, DialogEvent, Report, Role, Seat, Utterance
from collector.desk import timeline
from collector.desk.timeline import Column, Line, Moment, Span, Timeline, Track, cut, ordered, since
from collector.lib import clock
from collector.studies import versions
from collector.studies.models import Outcome

EVENTS = {
    "lost": "Connection lost for longer than 3 s; the grace begins",
    "returned": "Back",
    "left": "Left the dialog",
    "given_up": "Not back within the grace: the dialog ends",
    "ended_alone": "Ended the dialog, the partner not being back",
    "turn_over": "Wrote nothing within the time of a turn: the dialog ends",
    "summary_over": "Wrote no summary in time: the dialog ends",
    "dialog_over": "The time of the whole dialog is over",
    "reported": "Reported the partner: the dialog ends for both",
    "video_reported": "Reported the video: the dialog ends for both",
}
CONNECTED = "Connected. Gaps of under 3 s are not kept."
LOST = "Connection lost; the partner is told."


@dataclass(frozen=True)
class _Rows:
    """What is stored of one dialog; ``end`` in seconds from its start."""

    dialog: Dialog
    said: list[Utterance]
    seats: dict[str, Seat]
    events: list[DialogEvent]
    end: float
    went_on: frozenset[int]
    """The seats after which the same worker had another."""

    def at(self, moment: datetime) -> float:
        """Return a moment in seconds from the start."""
        return since(self.dialog.started_at, moment)

    def name(self, said: Utterance) -> str:
        """Return what a text is, such as: Answer 3."""
        return transcripts.name_of(said.position, self.dialog.rounds)


def of_dialog(dialog: Dialog) -> Timeline:
    """Return a dialog's time line, in four queries; until now, if it goes on. ``dialog`` has its video's script."""
    said = list(Utterance.objects.filter(dialog=dialog).order_by("position"))
    later = Seat.objects.filter(participation=OuterRef("participation"), number__gt=OuterRef("number"))
    found = Seat.objects.filter(dialog=dialog).select_related("participation__version").annotate(went_on=Exists(later))
    seats: dict[str, Seat] = {seat.role: seat for seat in found}
    went_on = frozenset(seat.pk for seat in found if seat.went_on)
    events = list(DialogEvent.objects.filter(dialog=dialog).order_by("version"))
    closed = [seat.closed_at for seat in seats.values() if seat.closed_at]
    last = [dialog.ended_at or clock.now(), *closed, *(each.stored_at for each in said)]
    rows = _Rows(dialog, said, seats, events, max(1.0, since(dialog.started_at, max(last))), went_on)
    columns = [_column(rows, role) for role in (Role.QUESTIONER, Role.ANSWERER)]
    moments = [*_texts(rows), *_lives(rows), *_events(rows), *_reports(rows)]
    return Timeline(dialog.started_at, rows.end, columns, ordered(moments))


def _column(rows: _Rows, role: Role) -> Column:
    seat, is_answerer = rows.seats.get(role), role == Role.ANSWERER
    lines = [
        Line(rows.name(each), each.text, rows.at(each.stored_at), _is_by(each, role))
        for each in rows.said
        if not is_answerer or each.position < 2 * rows.dialog.rounds  # who answers never reads the summary
    ]
    if seat is None:
        return Column(role, None, [], lines, 0)
    until = _sees_until(rows, seat)
    tracks = [
        Track("Turn", _turns(rows, seat, until)),
        Track("Writing", [span for each in rows.said if _is_by(each, role) and (span := _typing(rows, seat, each))]),
        Track("Connection", _connection(rows, seat, until)),
    ]
    content, script = versions.content_of(seat.participation.version), getattr(rows.dialog.video, "script", None)
    if not is_answerer:
        return Column(role, seat.worker_id, tracks, lines, until, slots=versions.slots_of(content))
    watched = None if seat.watched_at is None else rows.at(seat.watched_at)
    tracks.append(timeline.video_track(rows.dialog.video.duration, watched, until))
    shown = script.text if script and content["answerer_sees_script"] else ""
    return Column(role, seat.worker_id, tracks, lines, until, has_video=True, watched=watched, script=shown)


def _is_by(said: Utterance, role: str) -> bool:
    return (said.position % 2 == 1) == (role == Role.ANSWERER)


def _sees_until(rows: _Rows, seat: Seat) -> float:
    """Return when the page took frames, video and script away: with the part's end, or the dialog's."""
    ends = [rows.at(moment) for moment in (seat.closed_at, rows.dialog.ended_at) if moment]
    return min([rows.end, *ends])


def _turns(rows: _Rows, seat: Seat, until: float) -> list[Span]:
    """Return what a worker was to do: to write, to wait for the partner, to watch first, to choose when left alone."""
    spans, begun = [], 0.0
    stored = {each.position: each for each in rows.said}
    for position in range(len(rows.said) + 1):
        text = stored.get(position)
        end = rows.at(text.stored_at) if text else rows.end
        is_own = (position % 2 == 1) == (seat.role == Role.ANSWERER)
        # Nobody waits for the summary: who answers is done before it.
        if position < 2 * rows.dialog.rounds + is_own:
            name = transcripts.name_of(position, rows.dialog.rounds)
            said = f"To write: {name}." if is_own else f"Waits for: {name}."
            spans.append(Span(begun, end, "turn" if is_own else "waiting", said))
        begun = max(begun, end)
    watched = 0.0
    if seat.role == Role.ANSWERER:
        watched = until if seat.watched_at is None else min(until, rows.at(seat.watched_at))
    first = cut([Span(0, watched, "watching", "To watch the video first.")], 0, until)
    return [*first, *cut(spans, watched, until), *_afterwards(rows, seat, until)]


def _afterwards(rows: _Rows, seat: Seat, until: float) -> list[Span]:
    closed = rows.end if seat.closed_at is None else rows.at(seat.closed_at)
    alone = "Alone: chooses another partner or the end." if seat.left_alone_why else "Is over."
    spans = [Span(until, closed, "waiting", alone), Span(closed, rows.end, "over", "Is over.")]
    return cut(spans, until, rows.end)


def _typing(rows: _Rows, seat: Seat, said: Utterance) -> Span | None:
    before = [rows.at(each.stored_at) for each in rows.said if each.position < said.position]
    watched = rows.at(seat.watched_at) if seat.watched_at else 0.0
    turn_from = max(0.0, watched, *before)
    return timeline.typing(_evidence(rows, said), rows.name(said), turn_from, rows.at(said.stored_at))


def _evidence(rows: _Rows, said: Utterance) -> dict[str, object]:
    """Return how a text was written, where its writer had agreed that it is kept."""
    seat = rows.seats.get(Role.ANSWERER if said.position % 2 else Role.QUESTIONER)
    keeps = seat is not None and versions.content_of(seat.participation.version)["keeps_evidence"]
    return said.evidence if keeps else {}


def _connection(rows: _Rows, seat: Seat, until: float) -> list[Span]:
    spans, begun, kind = [], 0.0, "here"
    for each in rows.events:
        if each.seat_id == seat.pk and each.kind in ("lost", "returned"):
            spans.append(Span(begun, rows.at(each.at), kind, LOST if kind == "lost" else CONNECTED))
            begun, kind = rows.at(each.at), "lost" if each.kind == "lost" else "here"
    spans.append(Span(begun, until, kind, LOST if kind == "lost" else CONNECTED))
    return cut(spans, 0, until)


def _who(seat: Seat | None) -> str:
    return Role(seat.role).label if seat and seat.role else "Both"


def _texts(rows: _Rows) -> list[Moment]:
    moments = []
    for each in rows.said:
        role = Role.ANSWERER if each.position % 2 else Role.QUESTIONER
        name, seat = rows.name(each), rows.seats.get(role)
        span = _typing(rows, seat, each) if seat else None
        if span:
            moments.append(Moment(span.start, role.label, f"First key of {name}", ["by what their page counted"]))
        details = timeline.written(_evidence(rows, each), each.typed_at, each.stored_at)
        anchor = f"round-{each.position // 2 + 1}" if name.startswith("Question") else ""
        moments.append(Moment(rows.at(each.stored_at), role.label, name, details, each.text, anchor))
    return moments


def _lives(rows: _Rows) -> list[Moment]:
    """Return how each came, watched, and ended, and how the dialog did."""
    came = "Came to the waiting room"
    moments = [Moment(rows.at(seat.entered_at), _who(seat), came, _before(seat)) for seat in rows.seats.values()]
    if rows.seats:
        moments.append(Moment(0, "Both", "Paired"))
    for seat in rows.seats.values():
        if seat.watched_at:
            which = [timeline.played(seat.watched)]
            moments.append(Moment(rows.at(seat.watched_at), _who(seat), "The video had played to its end", which))
        if seat.closed_at:
            moments.append(Moment(rows.at(seat.closed_at), _who(seat), *_end_of(rows, seat)))
    if rows.dialog.ended_at:
        how = "complete" if rows.dialog.is_complete else Outcome(rows.dialog.ended_why).label.lower()
        moments.append(Moment(rows.at(rows.dialog.ended_at), "Both", f"The dialog has ended: {how}"))
    return moments


def _before(seat: Seat) -> list[str]:
    return ["after an earlier partner"] if seat.number > 1 else []


def _end_of(rows: _Rows, seat: Seat) -> tuple[str, list[str]]:
    part = seat.participation
    if seat.pk in rows.went_on:
        return "Went on to wait for another partner", []
    if not part.outcome:
        return "Their place was closed", []
    why = [part.get_why_display()] if part.why else []
    return f"Their part has ended: {part.get_outcome_display().lower()}", why


def _events(rows: _Rows) -> list[Moment]:
    by_id = {seat.pk: seat for seat in rows.seats.values()}
    return [
        Moment(rows.at(each.at), _who(by_id.get(each.seat_id or 0)), EVENTS.get(each.kind, each.kind.replace("_", " ")))
        for each in rows.events
        if each.kind != "watched"  # told from the seat, with the parts that were played
    ]


def _reports(rows: _Rows) -> list[Moment]:
    by_id = {seat.pk: seat for seat in rows.seats.values()}
    moments = []
    for each in Report.objects.filter(dialog=rows.dialog).order_by("pk"):
        looked = f"looked at {each.looked_at:%Y-%m-%d %H:%M}" if each.looked_at else "not looked at yet"
        details = [looked, *([each.note] if each.note else [])]
        moments.append(Moment(rows.at(each.at), _who(by_id.get(each.seat_id)), f"Report. {each}", details))
    return moments
