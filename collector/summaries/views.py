"""The watcher's pages: the example, then the room with the video and the summary. A token says whose they are."""

from datetime import datetime
from typing import Literal

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from msgspec import to_builtins

from chat.protocol import BadFrame, Leave, Refused, ReportVideo, Summarise, Watched
from chat.rules import SENTENCES, Code, Refusal
from chat.writing import typed_at
from collector.catalogue import media
from collector.lib import clock
from collector.lib.rates import Allowances
from collector.lib.tokens import BadToken
from collector.studies import kinds, versions
from collector.studies.admission import access_participation
from collector.studies.models import Kind, Participation
from collector.studies.pages import texts, worker_page
from collector.summaries import watching
from collector.summaries.models import Viewing
from collector.summaries.protocol import Draft, FromWatcher, Opening, Over, Seen, ToWatcher, decode, encode
from collector.summaries.watching import Written

POSTS = Allowances(burst=20, rate=2.0)
"""How often one token may post."""


def _access(token: str) -> Participation:
    """Return the participation of a watcher's token. Raises BadToken, also for a token of another kind of study."""
    participation = access_participation(token)
    if participation.study.kind != Kind.SUMMARY:
        raise BadToken
    return participation


@worker_page
@require_safe
def room(request: HttpRequest, token: str) -> HttpResponse:
    """Show the example, or the video once it is given. Makes nothing."""
    participation = access_participation(token)
    if (page := kinds.of(participation.study.kind).page) != "watching":
        return redirect(page, token)
    if participation.ended_at is not None:
        return redirect("finish", token)
    viewing = Viewing.objects.select_related("video").filter(participation=participation).first()
    context = {
        "token": token,
        "version": texts(participation.version),
        "slug": participation.study.slug,
        "participant": participation.entry.get("participant", ""),
        "personal_url": request.build_absolute_uri(),
    }
    if viewing is None:
        example = participation.study.example
        script = getattr(example, "script", None)
        more = {"example": example, "script": script.text if script else ""}
        return render(request, "summaries/example.html", context | more)
    content = versions.content_of(participation.version)
    opening = Opening(
        _seen(viewing), watching.limits_of(content), content["keeps_evidence"], viewing.video.duration, viewing.draft
    )
    return render(request, "summaries/room.html", context | {"opening": to_builtins(opening)})


@worker_page
@require_POST
def begin(request: HttpRequest, token: str) -> HttpResponse:
    """Give the worker a video; the page that follows shows it, or how it ended."""
    watching.begin(_access(token).pk)
    return redirect("watching", token)


@worker_page
@require_POST
def leave(request: HttpRequest, token: str) -> HttpResponse:
    """End at the wish of a worker who has seen the example; the video's page says it by a frame."""
    watching.leave(_access(token).pk)
    return redirect("finish", token)


@worker_page
@require_POST
def post(request: HttpRequest, token: str) -> HttpResponse:
    """Take one frame of a watcher's page and answer how things stand; stored before it is answered."""
    key = ""
    try:
        participation = _access(token)
        if not POSTS.take(token):
            raise Refusal(Code.TOO_FAST)
        frame = decode(request.body)
        key = frame.key if isinstance(frame, Summarise) else ""
        _do(participation.pk, frame)
        answer: ToWatcher = _standing(participation.pk, token)
    except BadToken:
        answer = _refused(Code.BAD_LINK)
    except BadFrame as bad:
        answer = _refused(Code(bad.code))
    except Refusal as refusal:
        is_over = refusal.code == Code.OVER
        answer = _standing(participation.pk, token) if is_over else Refused(refusal.code, refusal.sentence, key)
    return HttpResponse(encode(answer), content_type="application/json")


def _do(participation_id: int, frame: FromWatcher) -> None:
    if isinstance(frame, Watched):
        watching.watched(participation_id, frame.ranges)
    elif isinstance(frame, Draft):
        watching.keep_draft(participation_id, frame.text)
    elif isinstance(frame, Summarise):
        written = Written(frame.key, frame.text, typed_at(frame.typed_at), frame.evidence)
        watching.summarise(participation_id, written)
    elif isinstance(frame, Leave):
        watching.leave(participation_id, frame.reason)
    elif isinstance(frame, ReportVideo):
        watching.report_video(participation_id, frame.reason)


def _standing(participation_id: int, token: str) -> Seen | Over | Refused:
    viewing = Viewing.objects.filter(participation=participation_id, ended_at__isnull=True).first()
    if viewing is not None:
        return _seen(viewing)
    if Participation.objects.filter(pk=participation_id, ended_at__isnull=True).exists():
        return _refused(Code.TOO_EARLY)  # the example is still open
    return Over(reverse("finish", args=[token]))


def _refused(code: Code) -> Refused:
    return Refused(code, SENTENCES[code])


def _seen(viewing: Viewing) -> Seen:
    move: Literal["watch", "summarise"] = "summarise" if viewing.watched_at else "watch"
    return Seen(move, _left(viewing.due_at) or 0.0, _left(viewing.summary_due_at))


def _left(due: datetime | None) -> float | None:
    """Return the seconds until then, None where nothing runs out."""
    return max(0.0, (due - clock.now()).total_seconds()) if due else None


def _path(token: str, *, is_example: bool) -> str | None:
    """Return the file of a watcher's video, or of the example, while the task is open; else None."""
    try:
        participation = _access(token)
    except BadToken:
        return None
    if participation.ended_at is not None:
        return None
    if is_example:
        return str(participation.study.example.file.path) if participation.study.example else None
    viewing = Viewing.objects.select_related("video").filter(participation=participation).first()
    return str(viewing.video.file.path) if viewing else None


@worker_page
@require_safe
async def video(request: HttpRequest, token: str) -> HttpResponseBase:
    """Serve the worker's video, in ranges, so that a player can seek."""
    return await _serve(request, token, is_example=False)


@worker_page
@require_safe
async def example(request: HttpRequest, token: str) -> HttpResponseBase:
    """Serve the example's video."""
    return await _serve(request, token, is_example=True)


async def _serve(request: HttpRequest, token: str, *, is_example: bool) -> HttpResponseBase:
    path = await sync_to_async(_path)(token, is_example=is_example)
    if path is None:
        return HttpResponseForbidden("This link is not for you, or not valid.", content_type="text/plain")
    return await media.serve(request, path, media.content_type_of(path))
