"""The running product, as `make run` starts it, for tests that drive it from outside."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx

from collector.desk.supervision import web_command
from tests import services

BASE_DIR = Path(__file__).resolve().parent.parent


def environment(var_dir: Path, **more: str) -> dict[str, str]:
    """Return this process's environment for the real product in a folder of its own: SQLite unless ``more`` says."""
    names = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "HASHED_STATIC", "DJANGO_SETTINGS_MODULE", "HOST", "PORT")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    # A marketplace of its own, or two installations under test would share one.
    market = f"http://localhost:{services.free_port()}"
    own = {"VAR_DIR": str(var_dir), "DJANGO_SETTINGS_MODULE": "collector.settings", "LOCALMARKET_URL": market}
    return kept | own | more


@dataclass
class Product:
    """One installation with its data folder, and its web process while it runs."""

    var_dir: Path
    env: dict[str, str]
    host: str = "127.0.0.1"
    port: int = field(default_factory=services.free_port)
    process: subprocess.Popen[bytes] | None = None
    password: str = ""
    """Of the account ``researcher``."""
    is_whole: bool = False
    """Whether all processes are started, as `make run` does, or the web process alone."""

    @property
    def url(self) -> str:
        """The origin, without a trailing slash."""
        return f"http://{self.host}:{self.port}"

    @property
    def log(self) -> str:
        """All that the web process has written."""
        return (self.var_dir / "web.log").read_text()

    def manage(self, *args: str, check: bool = True, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """Run a management command of this installation; a failing one raises with its output, unless told."""
        command = [sys.executable, "manage.py", *args]
        done = subprocess.run(command, cwd=BASE_DIR, env=self.env, capture_output=True, text=True, timeout=timeout)
        if check and done.returncode:
            raise AssertionError(f"manage.py {' '.join(args)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def preflight(self, slug: str) -> str:
        """Check a study and rehearse it at this product's address; return what was printed.

        The worker process is not there, so there is always something to mend.
        """
        own = replace(self, env=self.env | {"PUBLIC_URL": self.url})
        return own.manage("preflight", "--study", slug, "--rehearse", check=False).stdout

    def prepare(self, like: "Product | None" = None) -> None:
        """Do what `make run` does before it starts the processes; take from another, if given, what is slow to make."""
        if like and "DATABASE_URL" not in self.env:
            shutil.copytree(like.var_dir, self.var_dir, dirs_exist_ok=True)
            self.password = like.password
            return
        self.manage("migrate", "--verbosity", "0")
        if like:
            self.take_samples(like)
        else:
            self.manage("load_samples")
        printed = self.manage("load_demo").stdout
        self.password = printed.partition("Password: ")[2].split()[0]
        self.manage("collectstatic", "--noinput", "--verbosity", "0")

    def take_samples(self, like: "Product") -> None:
        """Copy the rendered samples of another installation: rendering is the slow part of a first run."""
        shutil.copytree(like.var_dir / "media", self.var_dir / "media", dirs_exist_ok=True)
        rows = self.var_dir / "catalogue.json"
        rows.write_text(like.manage("dumpdata", "catalogue").stdout)
        self.manage("loaddata", str(rows), "--verbosity", "0")

    def start(self) -> None:
        """Start the web process and wait until it answers."""
        with open(self.var_dir / "web.log", "ab") as log:
            command = web_command(self.host, self.port)
            if self.is_whole:
                command = [sys.executable, "manage.py", "serve"]
            self.process = subprocess.Popen(command, cwd=BASE_DIR, env=self.env, stdout=log, stderr=log)
        for _ in range(300):
            with contextlib.suppress(httpx.TransportError):
                httpx.get(f"{self.url}/admin/login/", timeout=5)
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.stop()
        raise AssertionError(f"the web process did not start:\n{self.log}")

    def stop(self) -> int | None:
        """Stop the web process as an operator would; return its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> int | None:
        """Kill the web process: nothing is drained, nobody is told."""
        return self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Stop the web process and start it on the same port."""
        self.stop()
        self.start()

    def _end(self, number: int) -> int | None:
        process, self.process = self.process, None
        if process is None:
            return None
        process.send_signal(number)
        try:
            return process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
