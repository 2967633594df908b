"""How do requests reach the code, and how is an answer lost on purpose? Also the process's own life."""

import asyncio
import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hits.localmarket.settings")

from django.core.asgi import get_asgi_application

pages = get_asgi_application()

from hits.localmarket.api import LOST_HEADER  # noqa: E402
from hits.localmarket.delivering import Background  # noqa: E402

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


async def application(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Serve a request, or the start and end of the process."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
    elif scope["type"] == "http":
        await pages(scope, receive, _losing(send))  # type: ignore[arg-type]


async def _live(receive: Receive, send: Send) -> None:
    background = Background()
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            background.start()
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await asyncio.to_thread(background.stop)
            await send({"type": "lifespan.shutdown.complete"})
            return


def _losing(send: Send) -> Send:
    """Return a ``send`` that closes the connection instead of sending an answer marked as lost."""
    lost = False
    header = LOST_HEADER.lower().encode()

    async def send_or_lose(message: Message) -> None:
        nonlocal lost
        if message["type"] == "http.response.start":
            lost = any(name.lower() == header for name, _ in message["headers"])
            if lost:
                # ASGI has no word for this; the server's request cycle, whose method ``send`` is, holds the socket.
                send.__self__.transport.abort()  # type: ignore[attr-defined]
                await asyncio.sleep(0)
        if not lost:
            await send(message)

    return send_or_lose
