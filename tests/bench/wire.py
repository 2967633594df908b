"""How does the load client talk on a socket at little cost? Just enough of RFC 6455, on asyncio's protocols.

Texts only, unfragmented, as our server sends them; pings are answered. What it does not understand ends the socket.
"""

import asyncio
import base64
import os
import struct
from collections.abc import Callable
from typing import cast

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

OP_TEXT, OP_CLOSE, OP_PING, OP_PONG = 1, 8, 9, 10


class Wire(asyncio.Protocol):
    """One client socket. ``on_text`` gets each text as bytes, ``on_close`` the close code once."""

    def __init__(self, path: str, on_open: Callable[[], None], on_text: Callable[[bytes], None],
                 on_close: Callable[[int], None]) -> None:  # fmt: skip
        self._path, self._on_open, self._on_text, self._on_close = path, on_open, on_text, on_close
        self._buffer = b""
        self._is_open = False
        self._code = 1006
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        self._transport = cast(asyncio.Transport, transport)
        key = base64.b64encode(os.urandom(16)).decode()
        self._transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Take the handshake's answer, then frames."""
        buffer = self._buffer + data if self._buffer else data
        if not self._is_open:
            head, found, buffer_after = buffer.partition(b"\r\n\r\n")
            if not found:
                self._buffer = buffer
                return
            if b" 101 " not in head.split(b"\r\n", 1)[0]:
                self.close()
                return
            self._is_open, buffer = True, buffer_after
            self._on_open()
        start, size = 0, len(buffer)
        while size - start >= 2:
            length, offset = buffer[start + 1], start + 2
            if length == 126:
                if size < start + 4:
                    break
                (length,), offset = struct.unpack_from("!H", buffer, start + 2), start + 4
            elif length == 127:
                if size < start + 10:
                    break
                (length,), offset = struct.unpack_from("!Q", buffer, start + 2), start + 10
            if size < offset + length:
                break
            opcode, payload = buffer[start] & 0x0F, buffer[offset : offset + length]
            start = offset + length
            if opcode == OP_TEXT:
                self._on_text(payload)
            elif opcode == OP_PING:
                self._write(OP_PONG, payload)
            elif opcode == OP_CLOSE:
                self._code = struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else 1005
                self._write(OP_CLOSE, payload[:2])
                self.close()
        self._buffer = buffer[start:]

    def connection_lost(self, error: Exception | None) -> None:
        """Tell the end."""
        self._on_close(self._code)

    def send(self, text: bytes) -> None:
        """Send a text."""
        self._write(OP_TEXT, text)

    def leave(self) -> None:
        """Close as a page that goes away does."""
        self._write(OP_CLOSE, struct.pack("!H", 1001))
        self.close()

    def close(self) -> None:
        """Close the connection."""
        if self._transport:
            self._transport.close()

    def _write(self, opcode: int, payload: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        mask, length = os.urandom(4), len(payload)
        first = 0x80 | opcode
        head = bytes((first, 0x80 | length)) if length < 126 else struct.pack("!BBH", first, 254, length)
        self._transport.write(head + mask + apply_mask(payload, mask))
