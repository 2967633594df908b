"""What do we compare with? Channels as its tutorial has it: a group a pair, the stock in-memory layer, no database.

It knows no worker, no rule and keeps nothing. Run by the same server with the same options as the product's:
``python -m tests.bench.reference --host 127.0.0.1 --port 8000``.
"""

import argparse
from typing import Any

import uvicorn
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.urls import path

from collector import web

if not settings.configured:
    settings.configure(CHANNEL_LAYERS={"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}})


class PairConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """Relays what one of a pair says to both."""

    async def connect(self) -> None:
        """Join the pair's group."""
        self.group = f"pair-{self.scope['url_route']['kwargs']['pair']}"
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()

    async def disconnect(self, code: int) -> None:
        """Leave the group."""
        await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive_json(self, content: Any, **kwargs: Any) -> None:
        """Send it to the group."""
        await self.channel_layer.group_send(self.group, {"type": "said", "content": content})

    async def said(self, event: dict[str, Any]) -> None:
        """Pass it on to the page."""
        await self.send_json(event["content"])


async def lifespan(scope: Any, receive: Any, send: Any) -> None:
    """Start and end with the server."""
    while True:
        kind = (await receive())["type"]
        await send({"type": f"{kind}.complete"})
        if kind == "lifespan.shutdown":
            return


application = ProtocolTypeRouter(
    {"websocket": URLRouter([path("pair/<int:pair>/", PairConsumer.as_asgi())]), "lifespan": lifespan}
)


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    config = web.config(options.host, options.port)
    config.app = application
    uvicorn.Server(config).run()


if __name__ == "__main__":
    main()
