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
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import machine

REDIS_NAME = "COLLECTOR_TEST_REDIS"
"""Carries our Redis' URL to the workers of pytest-xdist. It is not REDIS_URL, because tests in this process use the
in-memory layer: pub/sub connections belong to an event loop, and each asynchronous test has its own."""

_running: list[tuple[subprocess.Popen[bytes], int]] = []
_folder: Path | None = None
reasons: dict[str, str] = {}
"""Why a service is not there, by the name of the mark of the tests that need it."""


def start() -> None:
    """Start what the environment does not name, and name it there for this process and its children."""
    if not os.environ.get("DATABASE_URL"):
        _start_one("postgres", _start_postgres)
    elif not os.environ["DATABASE_URL"].startswith("postgres"):
        reasons["postgres"] = "DATABASE_URL names no PostgreSQL"
    if url := os.environ.pop("REDIS_URL", ""):
        os.environ[REDIS_NAME] = url
    elif not os.environ.get(REDIS_NAME):
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
        process, number = _running.pop()
        process.send_signal(number)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if _folder:
        shutil.rmtree(_folder, ignore_errors=True)
        _folder = None


def free_port() -> int:
    """Return a TCP port that is free on loopback now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def temporary_folder() -> Path:
    """Return the folder of this run's services and files."""
    global _folder
    if _folder is None:
        _folder = Path(tempfile.mkdtemp(prefix="collector-tests-"))
        _folder.chmod(0o755)  # PostgreSQL's user looks in
    return _folder


def _start_postgres() -> None:
    programs = machine.postgres()
    if programs is None:
        raise RuntimeError("PostgreSQL is not installed (apt install postgresql)")
    user = _other_user()
    folder = temporary_folder() / "postgres"
    folder.mkdir(mode=0o700)
    if user:
        shutil.chown(folder, user)
    data, port = folder / "data", free_port()
    who: dict[str, Any] = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}
    made = subprocess.run(
        [f"{programs}/initdb", "-D", data, "-U", "collector", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
        capture_output=True, text=True, cwd=folder, **who,
    )  # fmt: skip
    if made.returncode:
        raise RuntimeError(f"PostgreSQL's initdb failed: {made.stderr.strip()[-300:]}")
    options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": str(folder), "fsync": "off"}
    command = [f"{programs}/postgres", "-D", str(data), "-p", str(port)]
    for name, value in options.items():
        command += ["-c", f"{name}={value}"]
    # SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
    _launch(command, folder, signal.SIGINT, who)
    _wait_for(port, folder, lambda: _answers_postgres(programs, port))
    os.environ["DATABASE_URL"] = f"postgres://collector@127.0.0.1:{port}/postgres"


def _answers_postgres(programs: str, port: int) -> bool:
    command = [f"{programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
    return subprocess.run(command, capture_output=True).returncode == 0


def _start_redis() -> None:
    program = machine.redis()
    if program is None:
        raise RuntimeError("Redis is not installed (apt install redis-server)")
    folder = temporary_folder() / "redis"
    folder.mkdir()
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    _launch([program, *options], folder, signal.SIGTERM, {})
    _wait_for(port, folder, lambda: _answers_redis(port))
    os.environ[REDIS_NAME] = f"redis://127.0.0.1:{port}/0"


def _answers_redis(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
        connection.sendall(b"PING\r\n")
        return connection.recv(5) == b"+PONG"
    return False


def _other_user() -> str | None:
    """Return the user PostgreSQL runs as when we are root."""
    if os.geteuid() != 0:
        return None
    known = {each.pw_name for each in pwd.getpwall()}
    user = next((name for name in ("postgres", "nobody") if name in known), None)
    if user is None:
        raise RuntimeError("PostgreSQL refuses root, and there is neither a user postgres nor nobody")
    return user


def _launch(command: list[str], folder: Path, stopped_by: int, who: dict[str, Any]) -> None:
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, start_new_session=True,
            preexec_fn=_ends_with_us(stopped_by), **who,
        )  # fmt: skip
    _running.append((process, stopped_by))


def _ends_with_us(number: int) -> Callable[[], None] | None:
    """Ask Linux to stop the child when we are killed and :func:`stop` cannot run."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(1, number)  # PR_SET_PDEATHSIG


def _wait_for(port: int, folder: Path, answers: Callable[[], bool]) -> None:
    process = _running[-1][0]
    for _ in range(300):
        if answers():
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"it did not start on port {port}: {(folder / 'log').read_text()[-300:]}")
