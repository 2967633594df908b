"""The worker's room and its media. A token says whose page it is; the seat's role says what it may load."""

import logging

from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from msgspec import to_builtins

from chat import polling, snapshot
from chat.models import Role, Seat, SeatState
from chat.protocol import BadFrame, Snapshot, decode_poll, encode_all
from chat.rules import Code, Refusal
from chat.wording import refused
from collector.catalogue import media
from collector.catalogue.models import Frame, Video
from collector.lib import logs
from collector.lib.tokens import BadToken
from collector.studies import kinds, promises, versions, videos
from collector.studies.admission import access_participation
from collector.studies.pages import texts, worker_page

log = logging.getLogger(__name__)


@worker_page
@require_safe
def room(request: HttpRequest, token: str) -> HttpResponse:
    """Show the one document for waiting, dialog, summary and end. Makes nothing: the seat comes with the socket."""
    participation = access_participation(token)
    if (page := kinds.page_of(participation)) != "room":
        return redirect(page, token)
    seat = Seat.objects.filter(participation=participation).order_by("-number").first()
    _log_about(seat)
    if participation.ended_at is not None and (seat is None or seat.state == SeatState.CLOSED):
        return redirect("finish", token)
    content = versions.content_of(participation.version)
    seen = (
        snapshot.of(seat.pk)
        if seat
        else Snapshot(0, 0, "waiting", "wait", rounds=content["rounds"], pays=promises.pays(content))
    )
    context = {
        "token": token,
        "version": texts(participation.version),
        "snapshot": to_builtins(seen),
        "personal_url": request.build_absolute_uri(request.path),
        "slug": participation.study.slug,
        "participant": participation.worker.participant,
        "spoken": len(seen.lines) > (0 if seen.role == "questioner" else 1),
        "has_met": videos.has_met(participation.study, participation.worker_id),
    }
    return render(request, "chat/room.html", context)


@worker_page
@require_POST
async def frames(request: HttpRequest, token: str) -> HttpResponse:
    """Take the frames of a page that has no socket, and answer with what is new."""
    try:
        answer = await polling.answer(token, decode_poll(request.body))
    except BadFrame as bad:
        answer = [refused(Refusal(Code(bad.code)))]
    except Refusal as refusal:
        answer = [refused(refusal)]
    except (OperationalError, InterfaceError):
        log.warning("A page that polls could not be served: the database does not answer.", exc_info=True)
        answer = [refused(Refusal(Code.BUSY))]
    return HttpResponse(encode_all(answer), content_type="application/json")


def _seat(token: str, number: int, role: Role) -> Seat | None:
    """Return the token's seat when it has the role, else None: another role's media are not theirs."""
    try:
        participation = access_participation(token)
    except BadToken:
        return None
    seat = Seat.objects.filter(participation=participation, number=number, role=role, dialog__isnull=False).first()
    _log_about(seat)
    return seat


def _log_about(seat: Seat | None) -> None:
    if seat:
        logs.about(dialog=seat.dialog_id, seat=seat.pk)


def _frame_name(token: str, number: int, slot: int) -> str | None:
    seat = _seat(token, number, Role.QUESTIONER)
    if seat is None:
        return None
    shown = versions.slots_of(versions.content_of(seat.participation.version))
    found = Frame.objects.filter(video__dialogs=seat.dialog_id, slot=slot).first() if slot in shown else None
    if found is None:
        raise Http404("There is no such frame.")
    return str(found.file.name)


def _video_name(token: str, number: int) -> str | None:
    seat = _seat(token, number, Role.ANSWERER)
    return str(Video.objects.get(dialogs=seat.dialog_id).file.name) if seat else None


@worker_page
@require_safe
async def frame(request: HttpRequest, token: str, number: int, slot: int) -> HttpResponseBase:
    """Serve one of the frames that the study shows to the Questioner."""
    name = await sync_to_async(_frame_name)(token, number, slot)
    return await media.serve_stored(request, name) if name else _not_yours()


@worker_page
@require_safe
async def video(request: HttpRequest, token: str, number: int) -> HttpResponseBase:
    """Serve the video to the Answerer, in ranges, so that a player can seek."""
    name = await sync_to_async(_video_name)(token, number)
    return await media.serve_stored(request, name) if name else _not_yours()


def _not_yours() -> HttpResponse:
    return HttpResponseForbidden("This link is not for your role, or not valid.", content_type="text/plain")
