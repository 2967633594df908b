"""Which PostgreSQL and Redis do the tests use? Their own, on free ports in a temporary folder, unless some are named.

Servers are children of the process that calls :func:`start` and end with it. As root, PostgreSQL runs as another
user, because it refuses root. What is not installed is remembered with the reason.
"""

import atexit
import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import psycopg2.extras

from tests import machine

REDIS_NAME = "COLLECTOR_TEST_REDIS"
"""Names our Redis. It is not REDIS_URL, because tests in this process use the in-memory layer: pub/sub connections
belong to an event loop, and each asynchronous test has its own."""

_running: "list[Server]" = []
_folder: Path | None = None
reasons: dict[str, str] = {}
"""Why a service is not there, by the name of the mark of the tests that need it."""


def is_worker() -> bool:
    """Tell whether this is a worker of pytest-xdist, which has the environment of the process that started it."""
    return "PYTEST_XDIST_WORKER" in os.environ


def start() -> None:
    """Start what the environment does not name, and name it there for this process and its children.

    Workers of pytest-xdist share PostgreSQL, with databases of their own. Each has a Redis of its own: what is
    published there is heard by all.
    """
    if not os.environ.get("DATABASE_URL"):
        _start_one("postgres", _start_postgres)
    elif not os.environ["DATABASE_URL"].startswith("postgres"):
        reasons["postgres"] = "DATABASE_URL names no PostgreSQL"
    if url := os.environ.pop("REDIS_URL", ""):
        os.environ[REDIS_NAME] = url
    elif is_worker() or not os.environ.get(REDIS_NAME):
        _start_one("redis", _start_redis)


def redis_url() -> str:
    """Return the URL of the Redis for tests, or an empty string."""
    return os.environ.get(REDIS_NAME, "")


def _start_one(name: str, starter: Callable[[], None]) -> None:
    try:
        starter()
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        reasons[name] = str(error)


@atexit.register
def stop() -> None:
    """End the servers this process started, and remove their folder."""
    global _folder
    while _running:
        _running.pop().stop()
    if _folder:
        shutil.rmtree(_folder, ignore_errors=True)
        _folder = None


def free_port() -> int:
    """Return a TCP port that is free on loopback now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def takes_connections(port: int) -> bool:
    """Tell whether something listens on a port of loopback."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def temporary_folder() -> Path:
    """Return the folder of this run's services and files."""
    global _folder
    if _folder is None:
        _folder = Path(tempfile.mkdtemp(prefix="collector-tests-"))
        _folder.chmod(0o755)  # PostgreSQL's user looks in
    return _folder


class Server(ABC):
    """A server of ours, a child of this process, on a free port and in a folder of its own. It may be started again."""

    stopped_by = signal.SIGTERM

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.who: dict[str, Any] = {}
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir(mode=0o700)

    @abstractmethod
    def command(self) -> list[str]:
        """Return the command line that keeps in the foreground."""

    @abstractmethod
    def answers(self) -> bool:
        """Tell whether it takes connections."""

    def launch(self) -> None:
        """Start it without waiting. Call on a thread that lasts: Linux ends the server together with the thread."""
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                start_new_session=True, preexec_fn=_ends_with_us(self.stopped_by), **self.who,
            )  # fmt: skip
        _running.append(self)

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.launch()
        self.wait()

    def wait(self) -> None:
        """Wait until it answers; raises RuntimeError when it does not."""
        for _ in range(300):
            if self.answers():
                return
            if self.process is None or self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"it did not start on port {self.port}: {(self.folder / 'log').read_text()[-300:]}")

    def stop(self) -> None:
        """Stop it in order, without waiting for its clients."""
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(self.stopped_by)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None
        if self in _running:
            _running.remove(self)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Keep it and its children from running for the length of a block; connections stay open, nothing answers."""
        assert self.process is not None
        _signal_all(self.process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            _signal_all(self.process.pid, signal.SIGCONT)


def _signal_all(parent: int, number: int) -> None:
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    for pid in [parent, *map(int, children)]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


class Postgres(Server):
    """A PostgreSQL with one database and no password."""

    stopped_by = signal.SIGINT  # its fast shutdown

    def __init__(self, folder: Path) -> None:
        programs = machine.postgres()
        if programs is None:
            raise RuntimeError("PostgreSQL is not installed (apt install postgresql)")
        super().__init__(folder)
        self.programs = programs
        if user := _other_user():
            shutil.chown(folder, user)
            self.who = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
        self._initialise()

    def _initialise(self) -> None:
        options = ["-U", "collector", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        command = [f"{self.programs}/initdb", "-D", str(self.folder / "data"), *options]
        made = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, **self.who)
        if made.returncode:
            raise RuntimeError(f"PostgreSQL's initdb failed: {made.stderr.strip()[-300:]}")

    @property
    def url(self) -> str:
        """Its database, as DATABASE_URL names it."""
        return f"postgres://collector@127.0.0.1:{self.port}/postgres"

    def ask(self, statement: str, *values: Any, url: str = "") -> list[dict[str, Any]]:
        """Run a statement in its database, or another one; return its rows, if it has any."""
        with closing(psycopg2.connect(url or self.url, connect_timeout=5)) as connection:
            connection.autocommit = True
            with connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
                cursor.execute(statement, values)
                return [dict(row) for row in cursor.fetchall()] if cursor.description else []

    def command(self) -> list[str]:
        """Return the command line."""
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": str(self.folder), "fsync": "off"}
        command = [f"{self.programs}/postgres", "-D", str(self.folder / "data"), "-p", str(self.port)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        return command

    def answers(self) -> bool:
        """Ask pg_isready."""
        command = [f"{self.programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command, capture_output=True).returncode == 0


class Redis(Server):
    """A Redis that keeps nothing on disk."""

    def __init__(self, folder: Path) -> None:
        program = machine.redis()
        if program is None:
            raise RuntimeError("Redis is not installed (apt install redis-server)")
        super().__init__(folder)
        self.program = program

    @property
    def url(self) -> str:
        """Its address, as REDIS_URL names it."""
        return f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> list[str]:
        """Return the command line."""
        options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        return [self.program, "--port", str(self.port), *options]

    def answers(self) -> bool:
        """Ping it."""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(5) == b"+PONG"
        return False


def _start_postgres() -> None:
    server = Postgres(temporary_folder() / "postgres")
    server.start()
    os.environ["DATABASE_URL"] = server.url


def _start_redis() -> None:
    server = Redis(temporary_folder() / "redis")
    server.start()
    os.environ[REDIS_NAME] = server.url


def _other_user() -> str | None:
    """Return the user PostgreSQL runs as when we are root."""
    if os.geteuid() != 0:
        return None
    known = {each.pw_name for each in pwd.getpwall()}
    user = next((name for name in ("postgres", "nobody") if name in known), None)
    if user is None:
        raise RuntimeError("PostgreSQL refuses root, and there is neither a user postgres nor nobody")
    return user


def _ends_with_us(number: int) -> Callable[[], None] | None:
    """Ask Linux to stop the child when we are killed and :func:`stop` cannot run."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(1, number)  # PR_SET_PDEATHSIG
