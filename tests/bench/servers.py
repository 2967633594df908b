"""Where does the product run while it is measured? On durable PostgreSQL and Redis, with a core of its own.

The web processes have the options of ``make run``. With two cores or more, the one web process has the first and the
load client the last; the database is where the system puts it.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from collector.desk.supervision import web_command
from tests import services
from tests.bench.client import Plan, Result, Seat
from tests.databases import fresh_database
from tests.product import BASE_DIR, environment

_KEY = "a key for measurements only, and longer than thirty-two characters"
_TICK = os.sysconf("SC_CLK_TCK")
_cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
SERVER_CORE, CLIENT_CORE = _cores[0], _cores[-1]


class Durable(services.Postgres):
    """PostgreSQL with its own defaults: a commit is on disk when it is acknowledged."""

    def command(self) -> list[str]:
        """Return the command line."""
        command = super().command()
        at = command.index("fsync=off")
        return command[: at - 1] + command[at + 1 :]


_database: Durable | None = None
_redis_url = ""


def start_services() -> None:
    """Start PostgreSQL and Redis of our own, whatever the environment names."""
    global _database, _redis_url
    os.environ.pop("REDIS_URL", None)
    try:
        _database = Durable(services.temporary_folder() / "postgres")
        redis = services.Redis(services.temporary_folder() / "redis")
        _database.start()
        redis.start()
    except RuntimeError as error:
        sys.exit(str(error))
    os.environ["DATABASE_URL"], _redis_url = _database.url, redis.url


def on_core(core: int | None) -> Callable[[], None] | None:
    """Return what puts a process on one core as it starts; nothing where there is only one, or ``core`` is None."""
    if core is None or len(_cores) < 2:
        return None
    return lambda: os.sched_setaffinity(0, {core})


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process and of its children that have ended."""
    return sum(int(ticks) for ticks in _stat(pid)[11:15]) / _TICK


def with_children(pid: int) -> list[int]:
    """Return the ids of a process and of its children."""
    return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def cpu_of_all(pid: int) -> float:
    """Return the CPU seconds of a process, of its children there are and there were."""
    total = 0.0
    for each in with_children(pid):
        with contextlib.suppress(OSError, IndexError):
            total += cpu_of(each)
    return total


def cpu_of_database() -> float:
    """Return the CPU seconds of PostgreSQL."""
    assert _database
    assert _database.process
    return cpu_of_all(_database.process.pid)


@dataclass
class Web:
    """One web process."""

    env: dict[str, str]
    folder: Path
    module: str = "collector.web"
    core: int | None = SERVER_CORE
    port: int = field(default_factory=services.free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self.process
        return self.process.pid

    def start(self) -> None:
        """Start it and wait until it listens."""
        command = web_command("127.0.0.1", self.port)
        command[command.index("collector.web")] = self.module
        with (self.folder / f"web-{self.port}.log").open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=BASE_DIR, env=self.env, stdout=log, stderr=log, preexec_fn=on_core(self.core)
            )
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"the server did not start:\n{self.log}")

    @property
    def log(self) -> str:
        """What it wrote."""
        return (self.folder / f"web-{self.port}.log").read_text()

    @property
    def memory(self) -> int:
        """Its resident memory in bytes."""
        return int(_stat(self.pid)[21]) * os.sysconf("SC_PAGE_SIZE")

    def stop(self) -> None:
        """Stop it as an operator would."""
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@dataclass
class Installation:
    """The product on a database of its own."""

    folder: Path
    env: dict[str, str]

    def prepare(self, what: str, number: int) -> list[str]:
        """Put something into the database; return the tokens it printed, if any."""
        command = [sys.executable, "-m", "tests.bench.preparing", what, str(number)]
        done = subprocess.run(command, cwd=BASE_DIR, env=self.env, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return list(msgspec.json.decode(done.stdout)) if done.stdout else []

    def migrate(self) -> None:
        """Make the tables."""
        command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(command, cwd=BASE_DIR, env=self.env, check=True)

    @contextlib.contextmanager
    def web(self, count: int = 1, *, pinned: bool = True) -> Iterator[list[Web]]:
        """Run web processes."""
        webs = [Web(self.env, self.folder, core=SERVER_CORE if pinned else None) for _ in range(count)]
        try:
            for web in webs:
                web.start()
            yield webs
        finally:
            for web in webs:
                web.stop()
                if "Traceback" in web.log:
                    print(f"  the server logged an error:\n{web.log[-3000:]}", flush=True)


_stack = contextlib.ExitStack()
_originals: dict[tuple[str, int, int], str] = {}


def close() -> None:
    """Drop the databases that copies were made of."""
    _stack.close()
    _originals.clear()


def _environment(folder: Path, url: str, **more: str) -> dict[str, str]:
    """Return the environment of an installation; ``url`` may be empty for SQLite."""
    more |= {"SECRET_KEY": _KEY, "HASHED_STATIC": "false", "LOG_LEVEL": "WARNING"}
    if url:
        more["DATABASE_URL"] = url
    return environment(folder, **more)


def _original(vendor: str, rounds: int, history: int) -> str:
    """Return the database (or file) with tables, study and history that installations are copied from."""
    kind = (vendor, rounds, history)
    if kind not in _originals:
        folder = Path(_stack.enter_context(TemporaryDirectory(prefix="collector-bench-")))
        url = _stack.enter_context(fresh_database()) if vendor == "postgres" else ""
        original = Installation(folder, _environment(folder, url))
        original.migrate()
        original.prepare("study", rounds)
        if vendor == "postgres":
            original.prepare("history", history)
        _originals[kind] = url.rpartition("/")[2] if url else str(folder / "collector.sqlite3")
    return _originals[kind]


@contextlib.contextmanager
def installation(*, rounds: int = 10, history: int = 0, vendor: str = "postgres", redis: bool = False
) -> Iterator[Installation]:  # fmt: skip
    """Yield a new installation with an open study."""
    original = _original(vendor, rounds, history)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="collector-bench-")))
        url = ""
        if vendor == "postgres":
            url = stack.enter_context(fresh_database(original))
        else:
            shutil.copy(original, folder / "collector.sqlite3")
        more = {"REDIS_URL": _redis_url} if redis else {}
        yield Installation(folder, _environment(folder, url, **more))


@contextlib.contextmanager
def reference() -> Iterator[Web]:
    """Run the reference server."""
    with TemporaryDirectory(prefix="collector-bench-") as name:
        folder = Path(name)
        env = {k: v for k, v in os.environ.items() if k not in ("DJANGO_SETTINGS_MODULE", "DATABASE_URL")}
        web = Web(env, folder, "tests.bench.reference")
        try:
            web.start()
            yield web
        finally:
            web.stop()


def load(plan: Plan) -> Result:
    """Carry out a plan in the client's process."""
    with TemporaryDirectory(prefix="collector-bench-") as name:
        file = Path(name) / "result.json"
        with client(plan, file) as process:
            code = process.wait()
        if code:
            raise RuntimeError(f"the load client ended with {code}; its error stands above")
        return msgspec.json.decode(file.read_bytes(), type=Result)


@contextlib.contextmanager
def client(plan: Plan, file: Path = Path(os.devnull)) -> Iterator[subprocess.Popen[str]]:
    """Start the client's process and hand it the plan; its result will be in ``file``."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.client", str(file)],
        cwd=BASE_DIR, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=on_core(CLIENT_CORE),
    )  # fmt: skip
    assert process.stdin
    process.stdin.write(msgspec.json.encode(plan).decode() + "\n")
    process.stdin.flush()
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def seats(tokens: list[str], *webs: Web) -> list[Seat]:
    """Return the tokens' seats, in turn on each of the web processes."""
    return [Seat(webs[index % len(webs)].port, token) for index, token in enumerate(tokens)]
