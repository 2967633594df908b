"""What may one role see of a dialog? All of it, at one version, and nothing else.

The Questioner's snapshot is built without touching the video's row or its script. Many snapshots take as many queries
as one.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.urls import reverse

from chat import dialogs, endings, presence, rules, waiting_room
from chat.models import Dialog, Role, Seat, SeatState, Utterance
from chat.protocol import End, LeftAlone, Limits, Line, Lost, Media, Phase, Snapshot, Wait
from collector.catalogue.models import Video
from collector.lib import clock, languages
from collector.studies import outcomes, promises, versions
from collector.studies.admission import no_partner_ends_of, token_of
from collector.studies.models import Study, StudyVersion, Why


@dataclass(frozen=True)
class Seen:
    """A seat's snapshot, and what its page's connection needs to know beside it."""

    snapshot: Snapshot
    dialog_id: int | None
    partner_processes: list[str]
    language: str
    """The tag of the study's."""


@dataclass
class _Rows:
    """What the snapshots of some seats are made of: by version, seat, dialog and video."""

    contents: dict[int, dict[str, Any]] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    seats: defaultdict[int, list[Seat]] = field(default_factory=lambda: defaultdict(list))
    lines: defaultdict[int, list[tuple[int, int, str, str]]] = field(default_factory=lambda: defaultdict(list))
    living: Collection[str] = ()
    videos: dict[int, tuple[float, str]] = field(default_factory=dict)


def of(seat_id: int) -> Snapshot:
    """Return the snapshot of a seat."""
    (seen,) = of_all([seat_id])
    return seen.snapshot


def of_all(seat_ids: list[int]) -> list[Seen]:
    """Return what the pages of some seats may see, in order."""
    found = Seat.objects.select_related("participation", "dialog").in_bulk(seat_ids)
    rows = _rows(list(found.values()))
    return [_seen(found[pk], rows) for pk in seat_ids]


def _rows(seats: list[Seat]) -> _Rows:
    rows = _Rows()
    agreed = StudyVersion.objects.filter(pk__in={seat.participation.version_id for seat in seats})
    rows.contents = {version.pk: versions.content_of(version) for version in agreed}
    if waiting := [seat for seat in seats if seat.dialog is None and seat.state != SeatState.CLOSED]:
        studies = Study.objects.filter(pk__in={seat.study_id for seat in waiting})
        collections = dict(studies.values_list("pk", "collection"))
        ends = no_partner_ends_of({seat.worker_id for seat in waiting})
        rows.ends = {seat.pk: ends.get((collections[seat.study_id], seat.worker_id), 0) for seat in waiting}
    ids = {seat.dialog_id for seat in seats if seat.dialog_id is not None}
    if not ids:
        return rows
    for seat in Seat.objects.filter(dialog__in=ids):
        if seat.dialog_id is not None:
            rows.seats[seat.dialog_id].append(seat)
    stored = Utterance.objects.filter(dialog__in=ids).order_by("dialog", "position")
    for dialog, version, position, text, key in stored.values_list("dialog", "version", "position", "text", "key"):
        rows.lines[dialog].append((version, position, text, key))
    rows.living = presence.living()
    shown = {seat.dialog.video_id for seat in seats if seat.dialog and _sees_video(seat)}
    for pk, duration, script in Video.objects.filter(pk__in=shown).values_list("pk", "duration", "script__text"):
        rows.videos[pk] = (duration, script or "")
    return rows


def _sees_video(seat: Seat) -> bool:
    return seat.role == Role.ANSWERER and seat.state == SeatState.PAIRED


def _seen(seat: Seat, rows: _Rows) -> Seen:
    token = token_of(seat.participation)
    language = rows.contents[seat.participation.version_id]["language"]
    if seat.dialog is None:
        return Seen(_without_dialog(seat, token, rows), None, [], language)
    partner = next((each for each in rows.seats[seat.dialog.pk] if each.pk != seat.pk), None)
    processes = [partner.process] if partner is not None and partner.process else []
    return Seen(_with_dialog(seat, seat.dialog, partner, token, rows), seat.dialog.pk, processes, language)


def _end(seat: Seat, token: str, content: dict[str, Any]) -> End | None:
    """Return how it ended. A closed seat whose participation goes on has another seat, which the page is to take."""
    ended = seat.participation
    if seat.state != SeatState.CLOSED or not ended.outcome:
        return None
    with languages.speaking(content["language"]):
        heading, sentence = outcomes.words_of(ended.outcome, ended.why, content)
    return End(ended.outcome, heading, sentence, reverse("finish", args=[token]))


def _left(until: datetime | None) -> float | None:
    return None if until is None else round((until - clock.now()).total_seconds(), 1)


def _without_dialog(seat: Seat, token: str, rows: _Rows) -> Snapshot:
    ended = seat.state == SeatState.CLOSED
    content = rows.contents[seat.participation.version_id]
    return Snapshot(
        seat=seat.number,
        version=0,
        phase="ended" if ended else "waiting",
        move="none" if ended else "wait",
        rounds=content["rounds"],
        wait=None if ended else _wait(seat, content, rows.ends[seat.pk]),
        pays=promises.pays(content),
        end=_end(seat, token, content),
    )


def _wait(seat: Seat, content: dict[str, Any], ends: int) -> Wait:
    return Wait(
        so_far=max(0.0, round((clock.now() - seat.entered_at).total_seconds(), 1)),
        until_choice=_left(seat.due_at) or 0.0,
        longest=waiting_room.longest_of(content).total_seconds(),
        typical=waiting_room.typical_wait(seat.study_id),
        ends_left=max(0, content["no_partner_a_day"] - ends),
        is_first_in_line=seat.is_first_in_line,
        pays=promises.pays_waiting(content),
    )


def _with_dialog(seat: Seat, dialog: Dialog, partner: Seat | None, token: str, rows: _Rows) -> Snapshot:
    role = rules_role(seat)
    content = rows.contents[seat.participation.version_id]
    answerer = seat if seat.role == Role.ANSWERER else partner
    watched = answerer is not None and answerer.watched_at is not None
    # What was stored since the dialog's row was read belongs to a later version.
    stored = [line[1:] for line in rows.lines[dialog.pk] if line[0] <= dialog.version]
    state = endings.position(dialog, len(stored), watched)
    phase = _PHASES[SeatState(seat.state)]
    own = 0 if role == "questioner" else 1
    lines = [
        Line(position, rules.kind_at(position, dialog.rounds), text, key if position % 2 == own else "")
        for position, text, key in stored
        # The Answerer never reads the summary: it is the Questioner's own, and comes after the Answerer's end.
        if role == "questioner" or position < 2 * dialog.rounds
    ]
    return Snapshot(
        seat=seat.number,
        version=dialog.version,
        phase=phase,
        move=rules.move(state, role) if phase == "dialog" else "none",
        role=role,
        round=rules.round_of(state),
        rounds=dialog.rounds,
        lines=lines,
        limits=Limits(**dialog.limits),
        times=endings.times_of(dialog),
        media=_media(seat, dialog, token, rows) if phase == "dialog" else None,
        partner_here=partner is not None and presence.is_here(partner, rows.living),
        partner_watched=watched,
        partner_lost=_lost(dialog, partner) if phase == "dialog" and partner else None,
        turn_left=_left(dialog.turn_due_at),
        dialog_left=_left(dialog.due_at) if phase == "dialog" and len(stored) < 2 * dialog.rounds else None,
        choice_left=_left(seat.due_at) if phase == "choice" else None,
        left_alone=_LEFT_ALONE.get(seat.left_alone_why, "") if phase == "choice" else "",
        may_wait=phase == "choice" and waiting_room.no_hope(seat) is None,
        evidence=content["keeps_evidence"],
        pays=promises.pays(content),
        end=_end(seat, token, content),
    )


_PHASES: dict[SeatState, Phase] = {
    SeatState.PAIRED: "dialog",
    SeatState.CHOOSING: "choice",
    SeatState.CLOSED: "ended",
}
_LEFT_ALONE: dict[str, LeftAlone] = {
    Why.PARTNER_LEFT: "partner_left",
    Why.PARTNER_LOST: "partner_lost",
    Why.PARTNER_IDLE: "partner_idle",
}


def _lost(dialog: Dialog, partner: Seat) -> Lost | None:
    if partner.state != SeatState.PAIRED or partner.due_at is None:
        return None
    return Lost(_left(partner.due_at) or 0.0, round(dialogs.may_end_in(dialog, partner), 1))


def rules_role(seat: Seat) -> rules.Role:
    """Return the seat's role as chat.rules names it."""
    return "questioner" if seat.role == Role.QUESTIONER else "answerer"


def _media(seat: Seat, dialog: Dialog, token: str, rows: _Rows) -> Media:
    content = rows.contents[seat.participation.version_id]
    if seat.role == Role.QUESTIONER:
        first = reverse("frame", args=[token, seat.number, 1])  # a quarter of a snapshot's time, if asked thrice
        return Media(frames=[f"{first.removesuffix('1')}{slot}" for slot in versions.slots_of(content)])
    duration, script = rows.videos[dialog.video_id]
    sees_script = content["answerer_sees_script"]
    return Media(
        video=reverse("video", args=[token, seat.number]), script=script if sees_script else "", duration=duration
    )
