"""What may one role see of a dialog? All of it, at one version, and nothing else.

The Questioner's snapshot is built without touching the video's row or its script.
"""

from datetime import datetime

from django.urls import reverse

from chat import dialogs, endings, presence, rules, waiting_room
from chat.models import Dialog, Role, Seat, SeatState
from chat.protocol import End, Limits, Line, Lost, Media, Phase, Snapshot, Wait
from collector.catalogue.models import Script
from collector.lib import clock
from collector.studies import outcomes, versions
from collector.studies.admission import no_partner_ends, token_of


def of(seat_id: int) -> Snapshot:
    """Return the snapshot of a seat."""
    seat = Seat.objects.select_related("participation__version", "dialog").get(pk=seat_id)
    token = token_of(seat.participation)
    if seat.dialog is None:
        return _without_dialog(seat, token)
    return _with_dialog(seat, seat.dialog, token)


def _end(seat: Seat, token: str) -> End | None:
    """Return how it ended. A closed seat whose participation goes on has another seat, which the page is to take."""
    ended = seat.participation
    if seat.state != SeatState.CLOSED or not ended.outcome:
        return None
    heading, sentence = outcomes.words_of(ended.outcome, ended.why)
    return End(ended.outcome, heading, sentence, reverse("finish", args=[token]))


def _left(until: datetime | None) -> float | None:
    return None if until is None else round((until - clock.now()).total_seconds(), 1)


def _without_dialog(seat: Seat, token: str) -> Snapshot:
    ended = seat.state == SeatState.CLOSED
    content = versions.content_of(seat.participation.version)
    return Snapshot(
        seat=seat.number,
        version=0,
        phase="ended" if ended else "waiting",
        move="none" if ended else "wait",
        rounds=content["rounds"],
        wait=None if ended else _wait(seat, content["no_partner_a_day"]),
        end=_end(seat, token),
    )


def _wait(seat: Seat, a_day: int) -> Wait:
    return Wait(
        so_far=max(0.0, round((clock.now() - seat.entered_at).total_seconds(), 1)),
        until_choice=_left(seat.due_at) or 0.0,
        longest=waiting_room.longest_wait(seat.participation).total_seconds(),
        typical=waiting_room.typical_wait(seat.study_id),
        ends_left=max(0, a_day - no_partner_ends(seat.study, seat.worker_id)),
        is_first_in_line=seat.is_first_in_line,
    )


def _with_dialog(seat: Seat, dialog: Dialog, token: str) -> Snapshot:
    role = rules_role(seat)
    content = versions.content_of(seat.participation.version)
    partner = dialog.seats.exclude(pk=seat.pk).first()
    answerer = seat if seat.role == Role.ANSWERER else partner
    watched = answerer is not None and answerer.watched_at is not None
    utterances = list(dialog.utterances.order_by("position"))
    state = endings.position(dialog, len(utterances), watched)
    phase = _PHASES[SeatState(seat.state)]
    own = 0 if role == "questioner" else 1
    lines = [
        Line(u.position, rules.kind_at(u.position, dialog.rounds), u.text, u.key if u.position % 2 == own else "")
        for u in utterances
        # The Answerer never reads the summary: it is the Questioner's own, and comes after the Answerer's end.
        if role == "questioner" or u.position < 2 * dialog.rounds
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
        media=_media(seat, dialog, token, sees_script=content["answerer_sees_script"]) if phase == "dialog" else None,
        partner_here=partner is not None and presence.present(Seat.objects.filter(pk=partner.pk)).exists(),
        partner_watched=watched,
        partner_lost=_lost(dialog, partner) if phase == "dialog" and partner else None,
        turn_left=_left(dialog.turn_due_at),
        dialog_left=_left(dialog.due_at) if phase == "dialog" and len(utterances) < 2 * dialog.rounds else None,
        choice_left=_left(seat.due_at) if phase == "choice" else None,
        may_wait=phase == "choice" and waiting_room.no_hope(seat) is None,
        evidence=content["keeps_evidence"],
        end=_end(seat, token),
    )


_PHASES: dict[SeatState, Phase] = {
    SeatState.PAIRED: "dialog",
    SeatState.CHOOSING: "choice",
    SeatState.CLOSED: "ended",
}


def _lost(dialog: Dialog, partner: Seat) -> Lost | None:
    if partner.state != SeatState.PAIRED or partner.due_at is None:
        return None
    return Lost(_left(partner.due_at) or 0.0, round(dialogs.may_end_in(dialog, partner), 1))


def rules_role(seat: Seat) -> rules.Role:
    """Return the seat's role as chat.rules names it."""
    return "questioner" if seat.role == Role.QUESTIONER else "answerer"


def _media(seat: Seat, dialog: Dialog, token: str, *, sees_script: bool) -> Media:
    if seat.role == Role.QUESTIONER:
        return Media(frames=[reverse("frame", args=[token, seat.number, slot]) for slot in (1, 2, 3)])
    script = Script.objects.filter(video=dialog.video_id).first() if sees_script else None
    return Media(
        video=reverse("video", args=[token, seat.number]),
        script=script.text if script else "",
        duration=dialog.video.duration,
    )
