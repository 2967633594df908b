"""The watcher's pages: the example, then the room with the video and the summary. A token says whose they are."""

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from msgspec import to_builtins

from chat.protocol import Summarise
from chat.writing import typed_at
from collector.catalogue import media
from collector.lib.tokens import BadToken
from collector.studies import kinds, versions
from collector.studies.admission import access_participation
from collector.studies.models import Kind
from collector.studies.pages import worker_page
from collector.summaries import pages, watching
from collector.summaries.models import Viewing
from collector.summaries.protocol import Draft, FromWatcher, Opening, decode
from collector.summaries.watching import Written

ALONE = (Kind.SUMMARY, Kind.RELEVANCE)
"""Whoever has a video for themselves may leave and play it by the same addresses."""


@worker_page
@require_safe
def room(request: HttpRequest, token: str) -> HttpResponse:
    """Show the example, or the video once it is given. Makes nothing."""
    participation = access_participation(token)
    if (page := kinds.page_of(participation)) != "watching":
        return redirect(page, token)
    if participation.ended_at is not None:
        return redirect("finish", token)
    viewing = Viewing.objects.select_related("video").filter(participation=participation).first()
    context = pages.context_of(request, token, participation, "begin-watching")
    if viewing is None:
        example = participation.study.example
        script = getattr(example, "script", None)
        more: dict[str, Any] = {"example": example, "script": script.text if script else ""}
        return render(request, "summaries/example.html", context | more)
    content = versions.content_of(participation.version)
    opening = Opening(
        pages.seen(viewing),
        watching.limits_of(content),
        content["keeps_evidence"],
        viewing.video.duration,
        viewing.draft,
    )
    return render(request, "summaries/room.html", context | {"opening": to_builtins(opening)})


@worker_page
@require_POST
def begin(request: HttpRequest, token: str) -> HttpResponse:
    """Give the worker a video; the page that follows shows it, or how it ended."""
    watching.begin(pages.access(token, Kind.SUMMARY).pk)
    return redirect("watching", token)


@worker_page
@require_POST
def leave(request: HttpRequest, token: str) -> HttpResponse:
    """End at the wish of a worker who has seen the example; the video's page says it by a frame."""
    watching.leave(pages.access(token, *ALONE).pk)
    return redirect("finish", token)


@worker_page
@require_POST
def post(request: HttpRequest, token: str) -> HttpResponse:
    """Take one frame of a watcher's page and answer how things stand."""
    return pages.answer(request, token, Kind.SUMMARY, decode, _do)


def _do(participation_id: int, frame: FromWatcher) -> None:
    if isinstance(frame, Draft):
        watching.keep_draft(participation_id, frame.text)
    elif isinstance(frame, Summarise):
        written = Written(frame.key, frame.text, typed_at(frame.typed_at), frame.evidence)
        watching.summarise(participation_id, written)


def _name(token: str, *, is_example: bool) -> str | None:
    """Return the name of the file of a watcher's video, or of the example, while the task is open; else None."""
    try:
        participation = pages.access(token, *ALONE)
    except BadToken:
        return None
    if participation.ended_at is not None:
        return None
    if is_example:
        return str(participation.study.example.file.name) if participation.study.example else None
    viewing = Viewing.objects.select_related("video").filter(participation=participation).first()
    return str(viewing.video.file.name) if viewing else None


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
    name = await sync_to_async(_name)(token, is_example=is_example)
    if name is None:
        return HttpResponseForbidden("This link is not for you, or not valid.", content_type="text/plain")
    return await media.serve_stored(request, name)
