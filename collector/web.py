"""Run one web process: uvicorn with what the chat needs, and sockets that notice a dead network.

The server pings every 5 seconds; a socket without a sign of life for 8 seconds after that is dropped. Browsers answer
pings by themselves, also in hidden tabs, whose own timers sleep.
"""

import argparse
import asyncio
import resource
import sys
import urllib.request

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

PING_SECONDS = 5.0
PATIENCE_SECONDS = 8.0
MOST_FILES = 65536
"""Open files, and so sockets, that a process asks for; a system lets it have 1,024 unless it asks."""


class Socket(WebSocketsSansIOProtocol):
    """A websocket for which anything that arrives counts as life, not only the answer to the ping."""

    def data_received(self, data: bytes) -> None:
        """Take bytes; put the next ping off."""
        super().data_received(data)
        if self.pong_timer is not None:
            self.pong_timer.cancel()
            self.pong_timer = None
            self.pending_ping_payload = None
            self.schedule_ping()

    def keepalive_timeout(self) -> None:
        """Drop a dead socket at once: a close would wait until what it still holds is written, which it never is."""
        super().keepalive_timeout()
        if isinstance(self.transport, asyncio.Transport):
            self.transport.abort()


def config(host: str, port: int) -> uvicorn.Config:
    """Return uvicorn's configuration of a web process."""
    return uvicorn.Config(
        "collector.asgi:application",
        host=host,
        port=port,
        loop="uvloop",
        http="httptools",
        ws=Socket,
        ws_per_message_deflate=False,  # it costs 90 KiB a connection
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PATIENCE_SECONDS,
        ws_max_size=1_000_000,  # far above a frame of ours, which is then refused with a sentence
        lifespan="on",
        # Longer than proxies and browsers keep an idle connection, so that none is closed just as it is used again.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=5,
        access_log=False,
        log_level="warning",  # it would write a line with the address of each worker who connects
    )


def ask_for_files() -> None:
    """Let this process hold as many sockets as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def is_alive(port: int) -> bool:
    """Tell whether a web process of this machine answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=4) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--ask", type=int, metavar="PORT", help="only ask whether the process at this port is alive")
    options = parser.parse_args()
    if options.ask:
        sys.exit(0 if is_alive(options.ask) else 1)
    ask_for_files()
    uvicorn.Server(config(options.host, options.port)).run()


if __name__ == "__main__":
    main()
