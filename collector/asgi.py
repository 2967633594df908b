"""How requests, sockets and the process's own life reach the code.

Pages: Django gives each request its own thread and database connection; under many requests at once that is more
connections than a database has. Here all requests share ``PAGE_THREADS`` threads, each with one lasting connection.
"""

import os
from typing import Any

from asgiref.sync import SyncToAsync, ThreadSensitiveContext
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import OriginValidator
from django.core.handlers.asgi import ASGIHandler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402

from chat.urls import websocket_urlpatterns  # noqa: E402
from collector import celery  # noqa: E402, F401 - tasks that pages hand over go to its broker
from collector.operations import probes, tallies  # noqa: E402


class PageHandler(ASGIHandler):
    """Django's handler on a fixed number of threads; each request goes to the least busy one."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self._contexts = [ThreadSensitiveContext() for _ in range(threads)]
        self._busy = [0] * threads

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request with its synchronous parts on one of our threads."""
        if await probes.answer(scope, send):
            return
        index = self._busy.index(min(self._busy))
        self._busy[index] += 1
        token = SyncToAsync.thread_sensitive_context.set(self._contexts[index])
        try:
            await self.handle(scope, receive, send)
        finally:
            SyncToAsync.thread_sensitive_context.reset(token)
            self._busy[index] -= 1


class OurOrigin(OriginValidator):  # type: ignore[misc]
    """Refuse sockets that pages of other sites open.

    What opens a seat is the token, which no other site has, and no cookie helps it: this is the second bar. Programs
    name no origin, and a frame without its own (sandboxed by a marketplace) names ``null``.
    """

    def valid_origin(self, parsed_origin: Any) -> bool:
        """Tell whether a page with this origin may open a socket."""
        return parsed_origin is None or parsed_origin.geturl() == "null" or super().valid_origin(parsed_origin)


application = ProtocolTypeRouter(
    {
        "http": PageHandler(settings.PAGE_THREADS),
        "websocket": OurOrigin(URLRouter(websocket_urlpatterns), settings.ALLOWED_HOSTS),
        "lifespan": tallies.Counting(),
    }
)
