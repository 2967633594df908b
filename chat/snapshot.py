"""What may one role see of a dialog? All of it, at one version, and nothing else.

The Questioner's snapshot is built without touching the video's row or its script.
"""

from django.urls import reverse

from chat import endings, presence, rules
from chat.models import Dialog, Role, Seat, SeatState
from chat.protocol import Limits, Line, Media, Snapshot
from collector.catalogue.models import Script
from collector.lib import clock
from collector.studies.admission import token_of


def of(seat_id: int) -> Snapshot:
    """Return the snapshot of a seat."""
    seat = Seat.objects.select_related("participation__version", "dialog").get(pk=seat_id)
    token = token_of(seat.participation)
    if seat.dialog is None:
        return _without_dialog(seat, token)
    return _with_dialog(seat, seat.dialog, token)


def _finish(token: str) -> str:
    return reverse("finish", args=[token])


def _without_dialog(seat: Seat, token: str) -> Snapshot:
    ended = seat.state == SeatState.CLOSED
    return Snapshot(
        seat=seat.number,
        version=0,
        phase="ended" if ended else "waiting",
        move="none" if ended else "wait",
        rounds=seat.participation.version.content["rounds"],
        waiting_since=max(0.0, (clock.now() - seat.entered_at).total_seconds()),
        outcome=seat.participation.outcome,
        finish=_finish(token) if ended else "",
    )


def _with_dialog(seat: Seat, dialog: Dialog, token: str) -> Snapshot:
    role = rules_role(seat)
    partner = dialog.seats.exclude(pk=seat.pk).first()
    answerer = seat if seat.role == Role.ANSWERER else partner
    watched = answerer is not None and answerer.watched_at is not None
    utterances = list(dialog.utterances.order_by("position"))
    state = endings.position(dialog, len(utterances), watched)
    ended = seat.state == SeatState.CLOSED
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
        phase="ended" if ended else "dialog",
        move="none" if ended else rules.move(state, role),
        role=role,
        round=rules.round_of(state),
        rounds=dialog.rounds,
        lines=lines,
        limits=Limits(**dialog.limits),
        media=None if ended else _media(seat, dialog, token),
        partner_here=partner is not None and presence.present(Seat.objects.filter(pk=partner.pk)).exists(),
        partner_watched=watched,
        outcome=seat.participation.outcome,
        finish=_finish(token) if ended else "",
    )


def rules_role(seat: Seat) -> rules.Role:
    """Return the seat's role as chat.rules names it."""
    return "questioner" if seat.role == Role.QUESTIONER else "answerer"


def _media(seat: Seat, dialog: Dialog, token: str) -> Media:
    if seat.role == Role.QUESTIONER:
        return Media(frames=[reverse("frame", args=[token, seat.number, slot]) for slot in (1, 2, 3)])
    content = seat.participation.version.content
    script = Script.objects.filter(video=dialog.video_id).first() if content["answerer_sees_script"] else None
    return Media(
        video=reverse("video", args=[token, seat.number]),
        script=script.text if script else "",
        duration=dialog.video.duration,
    )


