"""What is there to judge in a submission? Its dialogs with both roles, the video, the script, how texts came about."""

from dataclasses import dataclass, field

from django.utils.safestring import SafeString

from chat import networks, transcripts
from chat.models import Dialog, DialogTakenOut, Role, Seat, Utterance
from collector.catalogue.models import Frame
from collector.desk import evidence, found, judgings
from collector.desk.found import Seen, Shown
from collector.desk.judgings import Judged
from collector.studies import versions
from collector.studies.leaving import TakenOut
from collector.studies.models import Kind, Study
from collector.summaries.models import Viewing, ViewingTakenOut
from hits.models import Assignment

Flags = dict[tuple[int, int | None], Seen]
"""What is seen in each writing, by number and worker."""


@dataclass(frozen=True)
class Line:
    """One text of a dialog; ``written`` tells how it was, of the worker's own texts only."""

    name: str
    html: SafeString
    """The text, escaped, with the evidence of flags marked."""
    flags: list[str]
    """The names of the flags for which it is evidence."""
    is_own: bool
    written: list[str]


@dataclass(frozen=True)
class Talk:
    """One dialog as one of its workers took part in it; ``note`` is for the reviewer, and decides nothing."""

    dialog: Dialog
    is_questioner: bool
    frames: list[Frame]
    lines: list[Line]
    note: str
    taken_out: TakenOut | None
    """By whom and why it is out of the data, if it is."""
    flags: list[Shown]
    """Of the worker's own texts."""

    @property
    def poster(self) -> Frame | None:
        """Return the frame to show before the video plays."""
        return self.frames[0] if self.frames else None


@dataclass(frozen=True)
class Submission:
    """One submission with all dialogs of its participation; judged by the worker's own texts only."""

    assignment: Assignment
    keeps_evidence: bool
    talks: list[Talk] = field(default_factory=list)
    viewing: Viewing | None = None
    """Of a study without partners."""
    summary: Line | None = None
    judged: Judged | None = None
    taken_out: TakenOut | None = None
    """By whom and why the summary, or what was judged, is out of the data, if it is."""
    flags: list[Shown] = field(default_factory=list)
    """Of the summary; those of dialogs stand with each."""

    @property
    def unit(self) -> str:
        """What was made of the viewing."""
        return "annotation" if self.judged else "summary"

    @property
    def own_lines(self) -> list[Line]:
        """Return what the worker wrote."""
        lines = [line for talk in self.talks for line in talk.lines if line.is_own]
        return [*lines, self.summary] if self.summary else lines


def read(study: Study, assignments: list[Assignment]) -> list[Submission]:
    """Return what there is to judge in each submission to a study, in a few queries however many they are."""
    parts = [each.participation_id for each in assignments]
    seats = Seat.objects.filter(participation__in=parts, dialog__isnull=False).order_by("number")
    seats = seats.select_related("dialog__video__script", "participation__version").prefetch_related(
        "dialog__video__frames"
    )
    said: dict[int, list[Utterance]] = {}
    for each in Utterance.objects.filter(dialog__in=seats.values("dialog")):
        said.setdefault(each.dialog_id, []).append(each)
    viewings = Viewing.objects.filter(participation__in=parts).select_related("video__script", "summary")
    watched = {each.participation_id: each for each in viewings}
    out = ViewingTakenOut.objects.filter(viewing__in=viewings, undone_at=None).select_related("who")
    summaries_out = {each.viewing_id: each for each in out}
    dialogs_out = {
        each.dialog_id: each
        for each in DialogTakenOut.objects.filter(dialog__in=said, undone_at=None).select_related("who")
    }
    dialogs = Dialog.objects.filter(pk__in=seats.values("dialog"))
    about = viewings.filter(summary__isnull=False) if study.kind == Kind.SUMMARY else dialogs
    flags = found.by_writing(study, about, {each.worker_id for each in assignments})
    judged = judgings.by_viewing(viewings)
    submissions = [
        _submission(each, watched.get(each.participation_id or 0), flags, judged, summaries_out) for each in assignments
    ]
    shared = networks.shared(seat.dialog_id for seat in seats if seat.dialog_id)
    by_participation = {each.assignment.participation_id: each for each in submissions}
    for seat in seats:
        submission = by_participation[seat.participation_id]
        if seat.dialog:
            note = networks.NOTE if seat.dialog.pk in shared else ""
            seen = flags.get((seat.dialog.pk, seat.worker_id), Seen())
            lines = _lines(seat, seat.dialog, said.get(seat.dialog.pk, []), seen, submission.keeps_evidence)
            shown = versions.slots_of(versions.content_of(seat.participation.version))
            frames = [frame for frame in seat.dialog.video.frames.all() if frame.slot in shown]
            out_of_data = dialogs_out.get(seat.dialog.pk)
            is_questioner = seat.role == Role.QUESTIONER
            submission.talks.append(Talk(seat.dialog, is_questioner, frames, lines, note, out_of_data, seen.shown))
    return submissions


def _submission(
    assignment: Assignment,
    viewing: Viewing | None,
    flags: Flags,
    judged: dict[int, Judged],
    out: dict[int, ViewingTakenOut],
) -> Submission:
    keeps_evidence, written = _keeps_evidence(assignment), getattr(viewing, "summary", None)
    if viewing is None:
        return Submission(assignment, keeps_evidence)
    taken_out = out.get(viewing.pk)
    if written is None:
        theirs = judged.get(viewing.pk)
        return Submission(assignment, keeps_evidence, viewing=viewing, judged=theirs, taken_out=taken_out)
    seen = flags.get((viewing.pk, assignment.worker_id), Seen())
    how = evidence.in_words(written.evidence) if keeps_evidence else []
    return Submission(
        assignment,
        keeps_evidence,
        viewing=viewing,
        summary=Line("Summary", seen.html(0, written.text), seen.names(0), is_own=True, written=how),
        taken_out=taken_out,
        flags=seen.shown,
    )


def _keeps_evidence(assignment: Assignment) -> bool:
    part = assignment.participation
    return part is not None and bool(versions.content_of(part.version)["keeps_evidence"])


def _lines(seat: Seat, dialog: Dialog, said: list[Utterance], seen: Seen, keeps_evidence: bool) -> list[Line]:
    is_questioner = seat.role == Role.QUESTIONER
    lines = []
    for each in said:
        is_own = (each.position % 2 == 0) == is_questioner
        written = evidence.in_words(each.evidence) if is_own and keeps_evidence else []
        html, flags = seen.html(each.position, each.text), seen.names(each.position)
        name = transcripts.name_of(each.position, dialog.rounds)
        lines.append(Line(name, html, flags, is_own, written))
    return lines
