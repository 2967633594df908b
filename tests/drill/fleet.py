"""The whole installation with its marketplace, and what is done to it: each failure is noted with its times."""

import contextlib
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from collector.catalogue.scenes import Scene, from_json
from tests import services
from tests.drill import deployed
from tests.drill.deployed import BASE_DIR, Deployment, Process
from tests.localmarket.market import LocalMarket
from tests.product import Product, environment

AWAY = 5.0
"""Seconds for which Redis and PostgreSQL are stopped."""
NEW_VERSION = "999.1"
_CODE = ("chat", "collector", "hits", "static", "manage.py", "pyproject.toml")
_STUDY = "UPDATE studies_study SET practice = false, device_check = false WHERE slug = 'demo'"
_RECRUITMENT = "UPDATE hits_recruitment SET open_at_once = 200, pilot_dialogs = %s"


def until(what: str, check: Callable[[], object], seconds: float = 60) -> None:
    """Wait until ``check`` is true."""
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, f"{what}: not within {seconds:.0f} s"
        time.sleep(0.5)


@dataclass
class Outage:
    """What was away, and from when to when, in seconds since 1970."""

    what: str
    began: float
    ended: float


@dataclass
class Fleet:
    """The installation, its marketplace, and the researcher's password."""

    deployment: Deployment
    market: LocalMarket
    password: str = ""
    outages: list[Outage] = field(default_factory=list)

    @contextlib.contextmanager
    def outage(self, what: str) -> Iterator[None]:
        """Note what a block does."""
        began = time.time()
        yield
        self.outages.append(Outage(what, began, time.time()))

    def ask(self, statement: str, *values: Any) -> list[dict[str, Any]]:
        """Run a statement in the installation's database."""
        return self.deployment.postgres.ask(statement, *values)

    def scenes(self) -> dict[str, Scene]:
        """Return the samples' scenes by their files' checksums."""
        rows = self.ask("SELECT checksum, scene FROM catalogue_video WHERE scene IS NOT NULL")
        return {row["checksum"]: from_json(row["scene"]) for row in rows}

    def make_workers(self, number: int) -> list[str]:
        """Make workers of the market whom the recruitment's qualifications let in; return their ids."""
        ids = [f"AFLEET{index:06}" for index in range(number)]
        with httpx.Client(base_url=self.market.url, timeout=30) as http:
            for worker_id in ids:
                body = {"worker_id": worker_id, "approved_before": 1000}
                http.post("/control/api/workers", json=body).raise_for_status()
        return ids

    def launch(self, dialogs: int) -> None:
        """Have a whole study recruited in one batch, all its seats on offer as soon as the marketplace takes them."""
        self.ask(_STUDY)
        self.ask(_RECRUITMENT, dialogs)
        command = ["python", "manage.py", "launch_study", "demo", "--dialogs", str(dialogs), "--budget", "9000"]
        done = self.deployment.run(command, service="worker")
        assert done.returncode == 0, done.stdout + done.stderr

    def kill_a_web_process(self, are_back: Callable[[], bool]) -> None:
        """Kill one; start it again when all whom it served are with the other one."""
        web = self.deployment.of("web")[0]
        with self.outage("a web process is killed"):
            web.end(kill=True)
            until("workers are with the other process", are_back)
            web.start()
            deployed.until_alive(self.deployment)

    def restart(self, server: services.Server) -> None:
        """Stop a server, and start it again after some seconds. Call on a thread that lasts."""
        with self.outage(f"{type(server).__name__} is stopped and started"):
            server.stop()
            time.sleep(AWAY)
            server.start()

    def upgrade(self) -> None:
        """Replace the web processes one after another by those of another version; each is drained first."""
        code = self.deployment.folder / "new-version"
        code.mkdir()
        for name in _CODE:
            copy = shutil.copytree if (BASE_DIR / name).is_dir() else shutil.copy
            copy(BASE_DIR / name, code / name)
        settings = code / "collector" / "settings.py"
        text, count = re.subn(r'^VERSION = ".*"$', f'VERSION = "{NEW_VERSION}"', settings.read_text(), flags=re.M)
        assert count == 1
        settings.write_text(text)
        with self.outage("the web processes are replaced by a new version's"):
            for web in self.deployment.of("web"):
                web.end()
                web.code = code
                web.start()
                deployed.until_alive(self.deployment)
                time.sleep(2)

    def versions(self) -> list[str]:
        """Return which version each web process says that it is."""
        return [str(self._ready(web)["version"]) for web in self.deployment.of("web")]

    def _ready(self, web: Process) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.deployment.metrics_token}"}
        found: dict[str, Any] = httpx.get(f"http://127.0.0.1:{web.port}/readyz", headers=headers, timeout=30).json()
        return found

    def back_up(self) -> Path:
        """Take a backup; return its folder."""
        folder = self.deployment.folder / "backups"
        with self.outage("a backup is taken"):
            command = ["python", "manage.py", "backup", "--out", str(folder)]
            done = self.deployment.run(command, service="worker")
        assert done.returncode == 0, done.stdout + done.stderr
        (made,) = folder.iterdir()
        return made

    def stop(self) -> None:
        """Stop everything."""
        self.market.stop()
        self.deployment.stop()


def start(folder: Path, like: Product) -> Fleet:
    """Start everything; samples come from an installation that has them."""
    (market_folder := folder / "market").mkdir(parents=True)
    market = LocalMarket(market_folder, {"SSL_CERT_FILE": str(folder / "all" / "proxy" / "ca.pem")})
    password = ""

    def fill(place: Path) -> None:
        nonlocal password
        url = (place / "secrets" / "database_url").read_text()
        product = Product(place / "var", environment(place / "var", DATABASE_URL=url))
        product.take_samples(like)
        password = product.manage("load_demo").stdout.partition("Password: ")[2].split()[0]

    deployment = deployed.start(folder / "all", fill, LOCALMARKET_URL=market.url)
    market.start()
    return Fleet(deployment, market, password)
