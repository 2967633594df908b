"""How does a browser get a stored file, and how does it seek in it? Ranges, HEAD, and reads off the event loop.

Who may have which file is decided by the views that call :func:`serve`, for a file on this disk, or
:func:`serve_stored`, for a video or frame wherever these are kept. Nothing in an answer says what the file is
called or when it was made, so there is no ETag; a conditional range is therefore answered with the whole file.
"""

import asyncio
import logging
import os
import re
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponseNotFound,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase

PIECE = 256 * 1024
"""Bytes read at once from a file."""
PART = 1024 * 1024
"""Bytes asked for at once from a bucket: each part by a request of its own, since a player may stop for minutes."""
CONTENT_TYPES = {
    ".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/mp4", ".webm": "video/webm", ".ogv": "video/ogg",
    ".mkv": "video/webm", ".jpg": "image/jpeg",
}  # fmt: skip
_RANGE = re.compile(r"bytes\s*=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})")


log = logging.getLogger(__name__)


class Unsatisfiable(ValueError):
    """The range asked for lies outside the file."""


def content_type_of(path: str | Path) -> str:
    """Return the content type under which browsers take the stored file at ``path``."""
    return CONTENT_TYPES.get(Path(path).suffix.lower(), "application/octet-stream")


async def serve(request: HttpRequest, path: str | Path, content_type: str) -> HttpResponseBase:
    """Answer a GET or HEAD with the file at ``path``, or the one range of it that was asked for."""
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD"])
    if settings.MEDIA_PREFIX and (behind := _behind_the_proxy(path, content_type)):
        return behind
    try:
        file = await asyncio.to_thread(open, path, "rb", 0)
    except OSError:
        return _missing()
    try:
        response = _answer(request, os.fstat(file.fileno()).st_size, content_type, lambda *part: _pieces(file, *part))
    except BaseException:
        file.close()
        raise
    if not isinstance(response, StreamingHttpResponse):
        file.close()
    return response


async def serve_stored(request: HttpRequest, name: str) -> HttpResponseBase:
    """Answer with a video or frame by the name that its row holds, from the media folder or the bucket."""
    content_type = content_type_of(name)
    if settings.MEDIA_STORAGE == "disk":
        return await serve(request, default_storage.path(name), content_type)
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD"])
    from collector.catalogue.bucket import BucketAway, bucket

    try:
        if not settings.MEDIA_S3_PROXY:
            return _elsewhere(bucket().link(name, content_type, request.method, settings.MEDIA_S3_LINK_SECONDS))
        size = await asyncio.to_thread(bucket().size_of, name)
    except FileNotFoundError:
        return _missing()
    except BucketAway as away:
        log.error("A video or frame could not be served. %s", away)
        said = "The video cannot be loaded now. Load the page again in a minute."
        return HttpResponse(said, status=HTTPStatus.SERVICE_UNAVAILABLE, content_type="text/plain")
    return _answer(request, size, content_type, lambda *part: _parts(bucket().part, name, *part))


def _elsewhere(link: str) -> HttpResponse:
    response = HttpResponseRedirect(link)
    response["Cache-Control"] = "no-store"  # whether it may be had is asked each time
    return response


def _missing() -> HttpResponse:
    return HttpResponseNotFound("This file is not there.", content_type="text/plain")


def _behind_the_proxy(path: str | Path, content_type: str) -> HttpResponse | None:
    """Return the answer that has the proxy send the file, or None where it lies outside the media folder."""
    try:
        name = Path(path).resolve().relative_to(settings.MEDIA_ROOT.resolve())
    except ValueError:
        return None
    response = HttpResponse(content_type=content_type)
    response["X-Accel-Redirect"] = quote(f"{settings.MEDIA_PREFIX}/{name.as_posix()}")
    response["Cache-Control"] = "private"
    return response


def asked_range(header: str, size: int) -> tuple[int, int] | None:
    """Return the first and last byte that a Range header asks for, or None when the whole file answers it.

    Several ranges and headers that make no sense are answered with the whole file, as HTTP allows. Raises
    Unsatisfiable for a range that begins after the end.
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        start, end = max(0, size - int(last)), size - 1
    else:
        start, end = int(first), min(int(last), size - 1) if last else size - 1
        if last and int(last) < start:
            return None
    if start >= size:
        raise Unsatisfiable
    return start, end


def _answer(
    request: HttpRequest, size: int, content_type: str, read: Callable[[int, int], AsyncIterator[bytes]]
) -> HttpResponseBase:
    """Answer with what was asked for of ``size`` bytes; ``read`` gives so many from a place on."""
    header = "" if "If-Range" in request.headers else request.headers.get("Range", "")
    try:
        part = asked_range(header, size) if request.method == "GET" else None
    except Unsatisfiable:
        response: HttpResponseBase = HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
        response["Content-Range"] = f"bytes */{size}"
        return _as_media(response)
    start, end = part or (0, size - 1)
    if request.method == "HEAD":
        response = HttpResponse(content_type=content_type)
    else:
        response = StreamingHttpResponse(read(start, end + 1 - start), content_type=content_type)
    response["Content-Length"] = str(end + 1 - start)
    if part:
        response.status_code = HTTPStatus.PARTIAL_CONTENT
        response["Content-Range"] = f"bytes {start}-{end}/{size}"
    return _as_media(response)


def _as_media(response: HttpResponseBase) -> HttpResponseBase:
    response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = "private"
    return response


async def _pieces(file: BinaryIO, start: int, length: int) -> AsyncIterator[bytes]:
    """Yield ``length`` bytes from ``start``; the file is closed at the end, or when the browser goes away."""
    try:
        await asyncio.to_thread(file.seek, start)
        while length > 0 and (piece := await asyncio.to_thread(file.read, min(PIECE, length))):
            length -= len(piece)
            yield piece
    finally:
        file.close()


async def _parts(part: Callable[[str, int, int], bytes], name: str, start: int, length: int) -> AsyncIterator[bytes]:
    """Yield ``length`` bytes of an object from ``start``; where the bucket fails, the answer ends too early."""
    for first in range(start, start + length, PART):
        yield await asyncio.to_thread(part, name, first, min(first + PART, start + length) - 1)
