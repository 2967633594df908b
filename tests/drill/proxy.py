"""A network between a page and the server that can be cut, delayed, or made to swallow everything."""

import asyncio
import contextlib
import socket
import struct
from types import TracebackType

_CHUNK = 65536


class Network:
    """Listens on a free port and forwards to another, until told otherwise. Runs on the test's loop."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.is_cut = False
        """New connections are refused at once, as with no network at all."""
        self.delay = 0.0
        self.swallows = False
        """Bytes vanish in both directions; nobody is told."""
        self._flows = asyncio.Event()
        self._flows.set()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Network":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        """The origin on this side of the network."""
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Reset every connection, and all new ones until :meth:`mend`."""
        self.is_cut = True
        for writer in list(self._writers):
            _reset(writer)
        self._writers.clear()

    def mend(self) -> None:
        """Let everything through again; what was held comes now, what was swallowed never."""
        self.is_cut = self.swallows = False
        self._flows.set()

    def hold(self) -> None:
        """Keep bytes back until :meth:`mend`: a short loss of the network, which TCP repairs by itself."""
        self._flows.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            _reset(writer)
            return
        try:
            there, out = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            _reset(writer)
            return
        self._writers |= {writer, out}
        for source, sink in ((reader, out), (there, writer)):
            task = asyncio.create_task(self._pump(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while data := await source.read(_CHUNK):
                if self.delay:
                    await asyncio.sleep(self.delay)
                await self._flows.wait()
                if not self.swallows:
                    sink.write(data)
                    await sink.drain()
        if not self.swallows:  # a black hole passes no end on, either
            with contextlib.suppress(OSError):
                sink.close()
            self._writers.discard(sink)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close a connection with RST, as a lost network or a killed machine does."""
    with contextlib.suppress(OSError):
        found = writer.get_extra_info("socket")
        if found is not None:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
