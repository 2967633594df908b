"""The socket of one worker's page: parse, call, send."""

import asyncio
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

from chat import dialogs, presence, publishing
from chat.page import BAD_LINK, FLOOD, Page, key_of
from chat.protocol import BadFrame, FromServer, decode, encode
from chat.rules import Code, Refusal
from chat.threads import Together
from collector.lib import meters
from collector.lib.rates import Allowance

HELLO_SECONDS = 10
BURST, RATE = 30, 5.0
"""How many frames a page may send at once, and a second in the long run."""
PATIENCE = 200
"""After so many frames in a row that were too many, the socket is closed."""

_arrivals: Together[tuple[str, str], dialogs.Arrival] = Together(dialogs.arrive_all)
_departures: Together[tuple[int, str], bool] = Together(presence.drop_all)


class DialogConsumer(Page, AsyncWebsocketConsumer):  # type: ignore[misc]
    """One socket."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        AsyncWebsocketConsumer.__init__(self, *args, **kwargs)
        Page.__init__(self, presence.new_connection())
        self._allowance = Allowance(BURST, RATE)
        self._refused_in_a_row = 0
        self._is_closed = False
        self._is_telling = self._is_behind = False
        self._hello_timer: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Take the socket's messages one after the other, until it is gone.

        The base class would keep a channel a socket, and hop to a thread with each message to look after database
        connections; ours are on threads of their own, and doorbells ring a process, not a socket.
        """
        self.scope, self.base_send = scope, send
        while True:
            message = await receive()
            kind = message["type"]
            if kind == "websocket.receive":
                await self.receive(message.get("text"), message.get("bytes"))
            elif kind == "websocket.connect":
                await self.connect()
            elif kind == "websocket.disconnect":
                await self.disconnect(message.get("code", 1005))
                return

    async def connect(self) -> None:
        """Accept anybody; nothing is told before a valid hello."""
        await self.accept()
        meters.sockets.inc()
        self._hello_timer = asyncio.get_running_loop().call_later(HELLO_SECONDS, self._no_hello)

    def _no_hello(self) -> None:
        # A hello that waits for its seat, as in a crowd, has come: its page must not be told that its link is bad.
        if not self.token and not self._is_closed:
            self._background = asyncio.get_running_loop().create_task(self.shut(BAD_LINK))

    async def disconnect(self, code: int) -> None:
        """Let the seat go, unless a newer page has it. The partner learns of it when it lasts."""
        meters.sockets.dec()
        self._is_closed = True
        if self._hello_timer:
            self._hello_timer.cancel()
        if self.seat_id:
            publishing.remove(self)
            await _departures((self.seat_id, self.connection_name))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Take one frame. What is wrong with it is said; the socket stays."""
        if not self._allowance.take():
            self._refused_in_a_row += 1
            if self._refused_in_a_row > PATIENCE:
                await self.shut(FLOOD)
            else:
                await self.refuse(Refusal(Code.TOO_FAST), key_of(text_data))
            return
        self._refused_in_a_row = 0
        try:
            frame = decode(text_data if text_data is not None else bytes_data or b"")
        except BadFrame as bad:
            await self.refuse(Refusal(Code(bad.code)))
            return
        await self.take(frame)

    async def arrive(self, token: str) -> dialogs.Arrival:
        """Take the token's seat for this socket."""
        if self.seat_id:
            publishing.remove(self)
        return await _arrivals((token, self.connection_name))

    def seated(self) -> None:
        """Be found by seat."""
        publishing.add(self)

    def placed(self) -> None:
        """Be found by dialog."""
        publishing.placed(self)

    async def moved(self) -> None:
        """Tell an older page that the seat was opened elsewhere, and stop."""
        publishing.remove(self)
        await super().moved()

    async def tell(self, message: dict[str, Any]) -> None:
        """Pass a change on. While one is under way only that there are more is kept: a slow page holds no queue."""
        if self._is_telling:
            self._is_behind = True
            return
        self._is_telling = True
        try:
            await publishing.pass_on(self, message)
            while self._is_behind:
                self._is_behind = False
                await self.refresh()
        finally:
            self._is_telling = False

    async def push(self, frame: FromServer) -> None:
        """Send a frame, unless the socket is gone."""
        if self._is_closed:
            return
        try:
            await self.send(text_data=encode(frame))
        except OSError:  # the page went in between; its disconnect comes next
            self._is_closed = True

    async def shut(self, code: int) -> None:
        """Close once."""
        if not self._is_closed:
            self._is_closed = True
            await self.close(code)
