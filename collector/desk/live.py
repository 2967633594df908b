"""What goes on in a study's dialogs now? How far each is, how fast, who is there; and one of them as it is said."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from chat import presence, transcripts
from chat.models import Dialog, Role, Seat, Utterance
from collector.lib import clock
from collector.quality import flags
from collector.quality.models import rules_of
from collector.studies.models import Outcome, Study
from collector.summaries.models import Viewing

SHOWN = 50
"""Dialogs in the list, the oldest first: it is these that may have got stuck."""


@dataclass(frozen=True)
class Who:
    """One of the two: the role, the worker's number, and since when the page is away; None while it is there."""

    role: str
    worker: int
    away_since: datetime | None
    is_here: bool


@dataclass(frozen=True)
class Live:
    """A dialog under way. ``texts`` are stored; ``pace`` is seconds a text so far, None before there are two."""

    dialog: Dialog
    texts: int
    pace: float | None
    people: list[Who]
    flags: list[str]

    @property
    def step(self) -> str:
        """Say where it is, such as: question 3 of 10."""
        if self.texts >= 2 * self.dialog.rounds:
            return "the summary"
        return f"{'answer' if self.texts % 2 else 'question'} {self.texts // 2 + 1} of {self.dialog.rounds}"

    @property
    def ended_why(self) -> str:
        """Say how it ended."""
        return Outcome(self.dialog.ended_why).label.lower()

    @property
    def turn_left(self) -> str:
        """Return how much time the turn has left, in minutes and seconds; empty where none is running."""
        due = self.dialog.turn_due_at
        minutes, seconds = divmod(max(0, int((due - clock.now()).total_seconds())) if due else 0, 60)
        return f"{minutes}:{seconds:02}" if due else ""


@dataclass(frozen=True)
class Line:
    """One text as it was stored."""

    name: str
    text: str
    at: datetime
    is_answer: bool


def dialogs(study: Study) -> list[Live]:
    """Return the study's dialogs under way, the oldest first; a handful of queries however many there are."""
    return _live(
        list(
            Dialog.objects.filter(study=study, ended_at=None)
            .select_related("study")
            .order_by("started_at", "pk")[:SHOWN]
        )
    )


def one(dialog: Dialog) -> Live:
    """Return one dialog, also when it has ended."""
    return _live([dialog])[0]


def lines(dialog: Dialog) -> list[Line]:
    """Return what was said so far, with what a person has redacted replaced."""
    said = transcripts.texts_of(dialog)
    return [
        Line(transcripts.name_of(place, dialog.rounds), text, at, place % 2 == 1)
        for place, (text, at) in sorted(said.items())
    ]


def viewings(study: Study) -> list[Viewing]:
    """Return who is at a video alone, in a study where nobody has a partner; the oldest first."""
    return list(Viewing.objects.filter(participation__study=study, ended_at=None).order_by("started_at")[:SHOWN])


def _live(rows: Sequence[Dialog]) -> list[Live]:
    ids, living = [row.pk for row in rows], presence.living()
    said = Utterance.objects.filter(dialog__in=ids).order_by().values_list("dialog")
    texts = {dialog: (number, last) for dialog, number, last in said.annotate(Count("pk"), Max("stored_at"))}
    people: defaultdict[int | None, list[Who]] = defaultdict(list)
    for seat in Seat.objects.filter(dialog__in=ids).order_by("-role"):
        here = presence.is_here(seat, living)
        people[seat.dialog_id].append(Who(Role(seat.role).label, seat.worker_id, seat.away_since, here))
    seen = _flags(rows)
    return [Live(row, *_pace(row, texts.get(row.pk)), people[row.pk], seen[row.pk]) for row in rows]


def _pace(dialog: Dialog, said: tuple[int, datetime] | None) -> tuple[int, float | None]:
    number, last = said or (0, dialog.started_at)
    return number, (last - dialog.started_at).total_seconds() / number if number >= 2 else None


def _flags(rows: Sequence[Dialog]) -> defaultdict[int, list[str]]:
    """Return the names of the quality flags that apply to what each dialog holds so far."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    if rows:
        mine = Dialog.objects.filter(pk__in=[row.pk for row in rows])
        for looked in flags.look(mine, rules_of(rows[0].study)):
            names = found[looked.writing.number]
            names += [each.flag.name for each in looked.set if each.flag.name not in names]
    return found
