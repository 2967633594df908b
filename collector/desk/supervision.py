"""Which processes make up the product, and how do they all stop together?

Starting and relaying output is honcho's; here is what it leaves out: a terminal that closes, a signal that
comes before the processes are up, and a parent that vanished.
"""

import contextlib
import os
import shlex
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urlsplit

from honcho import manager
from honcho.printer import Printer

STOPPING_SECONDS = 15
"""After which a process that does not stop is killed: the writer drains, sockets are closed."""

manager.KILL_WAIT = STOPPING_SECONDS


def web_command(host: str, port: int) -> list[str]:
    """Return the command line of a web process."""
    return [sys.executable, "-m", "collector.web", "--host", host, "--port", str(port)]


def worker_command() -> list[str]:
    """Return the command line of the process that runs what is done in the background, and starts it when it is time.

    One process is both, which is right for one machine; where there are several workers, one of them beats.
    """
    options = "--beat --pool solo --loglevel WARNING --without-gossip --without-mingle --without-heartbeat"
    # Quiet: its banner would push the addresses that a newcomer looks for out of sight.
    return [sys.executable, "-m", "celery", "--quiet", "--app", "collector.celery", "worker", *options.split()]


def market_command(url: str, folder: Path) -> list[str]:
    """Return the command line of the local marketplace, at the port that its address names, with its own folder."""
    port = str(urlsplit(url).port or 80)
    command = [sys.executable, "-m", "hits.localmarket", "--host", "127.0.0.1", "--port", port]
    return ["env", f"LOCALMARKET_VAR_DIR={folder}", *command]


class _Terminal:
    """Standard output that may go away: writing to a closed terminal must not keep us from stopping."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def isatty(self) -> bool:
        """Tell whether colours make sense."""
        return self._stream.isatty()

    def write(self, text: str) -> int:
        """Write, or drop what nobody can read any more."""
        try:
            return self._stream.write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        """Flush what can be flushed."""
        with contextlib.suppress(OSError):
            self._stream.flush()


class Supervisor(manager.Manager):  # type: ignore[misc]
    """Honcho's manager that also stops when the terminal closes."""

    def __init__(self) -> None:
        super().__init__(Printer(_Terminal(sys.stdout)))
        self._owner = os.getpid()

    def add(self, name: str, command: list[str]) -> None:
        """Add a process; ``exec`` spares the shell between it and us."""
        self.add_process(name, f"exec {shlex.join(command)}")

    def run(self) -> int:
        """Run all processes until one ends or a signal comes; return the exit code, 0 after Ctrl-C: it is no error."""
        signal.signal(signal.SIGHUP, self._hang_up)
        self.loop()
        return 0 if self.returncode == 128 + signal.SIGINT else int(self.returncode or 0)

    def terminate(self) -> None:
        """Stop all processes; asked too early, as soon as their ids are known."""
        if os.getpid() != self._owner:
            return  # a fork of us that has not yet set its own handlers
        if self._all_started():
            super().terminate()
        else:
            later = threading.Timer(0.1, self.terminate)
            later.daemon = True
            later.start()

    def _hang_up(self, number: int, frame: Any) -> None:
        os.kill(os.getpid(), signal.SIGTERM)  # which the loop handles, and honcho's forks ignore


def stop_with(parent: int) -> None:
    """Stop this process when ``parent`` is no longer its parent (make was killed, say)."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()
