"""``/healthz``, ``/readyz`` and ``/metrics``: three pages for machines, outside of Django's.

They stand before Django, so that a process whose page threads all wait for a database that is away still says that it
is alive: who kills it then ends the sockets it holds. They are asked by any host name, since a balancer or Prometheus
knows a process by another name than workers do.
"""

import hmac
import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, generate_latest

from collector.operations import health, metrics

Send = Callable[[dict[str, Any]], Awaitable[None]]
_asking = threading.Lock()
"""One question at a time: whoever asks in a hurry waits, and costs one connection."""


async def answer(scope: dict[str, Any], send: Send) -> bool:
    """Answer one of the three paths; tell whether it was one."""
    page = _PAGES.get(scope["path"])
    if page is None or scope["method"] not in ("GET", "HEAD"):
        return False
    status, kind, body = await page(scope)
    headers = {"content-type": kind, "cache-control": "no-store", "x-content-type-options": "nosniff"}
    headers["content-length"] = str(len(body))
    await send({"type": "http.response.start", "status": status, "headers": _bytes(headers)})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
    return True


def _bytes(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


async def _alive(scope: dict[str, Any]) -> tuple[int, str, bytes]:
    return 200, "text/plain; charset=utf-8", b"alive\n"


async def _ready(scope: dict[str, Any]) -> tuple[int, str, bytes]:
    checks = await sync_to_async(_asked, thread_sensitive=False)(health.all_checks)
    told = {each.name: {"good": each.is_good} | ({"sentence": each.sentence} if _may(scope) else {}) for each in checks}
    is_good = all(each.is_good for each in checks)
    body = {"ready": is_good, "version": settings.VERSION, "checks": told}
    return 200 if is_good else 503, "application/json", json.dumps(body, indent=2).encode() + b"\n"


async def _metrics(scope: dict[str, Any]) -> tuple[int, str, bytes]:
    if not settings.METRICS_TOKEN:
        return 404, "text/plain; charset=utf-8", b"Metrics are off: METRICS_TOKEN is not set.\n"
    if not _may(scope):
        return 401, "text/plain; charset=utf-8", b"Give the token in METRICS_TOKEN: Authorization: Bearer ...\n"
    return 200, CONTENT_TYPE_LATEST, await sync_to_async(_asked, thread_sensitive=False)(_exposition)


_PAGES = {"/healthz": _alive, "/readyz": _ready, "/metrics": _metrics}


def _exposition() -> bytes:
    return generate_latest(REGISTRY) + generate_latest(metrics.shared)


def _asked(question: Callable[[], Any]) -> Any:
    with _asking:
        try:
            return question()
        finally:
            connections.close_all()  # the thread may never be used again


def _may(scope: dict[str, Any]) -> bool:
    """Tell whether the request carries the token."""
    given = dict(scope["headers"]).get(b"authorization", b"")
    wanted = f"Bearer {settings.METRICS_TOKEN}".encode()
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(given, wanted)
