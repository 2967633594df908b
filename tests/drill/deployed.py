"""docker-compose.yml without containers: its services by hand, with the same commands and the same environment.

What differs is where things are: names of services become ports of this machine, volumes and secrets folders of a
test's, the two images from elsewhere (PostgreSQL, Redis) the programs that are installed here. The proxy has a
certificate of an authority of the test's own.
"""

import os
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import trustme
import yaml

from tests import services

BASE_DIR = Path(__file__).resolve().parents[2]
PYTHON = Path(sys.executable).parent
OURS = ("web", "worker", "long", "beat")


def compose() -> dict[str, Any]:
    """Return docker-compose.yml as docker-compose understands it, variables filled in."""
    env = {**os.environ, "SITE": "collect.example.org", "MAIL": "ada@example.org", "VERSION": "test"}
    command = ["docker-compose", "--project-directory", str(BASE_DIR), "config"]
    done = subprocess.run(command, cwd=BASE_DIR, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = yaml.safe_load(done.stdout)
    return found


class Caddy(services.Server):
    """The proxy, with deploy/Caddyfile as it is."""

    def __init__(self, folder: Path, webs: list[int], media: Path, prefix: str) -> None:
        super().__init__(folder)
        self.alive = services.free_port()
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(folder / "ca.pem"))
        certificate = authority.issue_cert("localhost")
        certificate.private_key_and_cert_chain_pem.write_to_path(str(folder / "cert.pem"))
        ports = " ".join(f"127.0.0.1:{port}" for port in webs)
        self.environment = {
            **os.environ,
            "SITE": self.url,
            "TLS": f"tls {folder}/cert.pem {folder}/cert.pem",
            "EMAIL_LINE": "email ada@example.org",
            "WEB": f"to {ports}",
            "MEDIA": str(media),
            "MEDIA_PREFIX": prefix,
            "ALIVE": f"http://127.0.0.1:{self.alive}",
            "XDG_DATA_HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
        }
        self.who = {"env": self.environment}

    @property
    def url(self) -> str:
        """The origin that workers use."""
        return f"https://localhost:{self.port}"

    @property
    def authority(self) -> str:
        """The path of the certificate that makes it trusted."""
        return str(self.folder / "ca.pem")

    def command(self) -> list[str]:
        """Return the command line."""
        return ["caddy", "run", "--adapter", "caddyfile", "--config", str(BASE_DIR / "deploy" / "Caddyfile")]

    def answers(self) -> bool:
        """Ask its own health page and its port."""
        return services.takes_connections(self.alive) and services.takes_connections(self.port)


@dataclass
class Process:
    """One of our services' processes."""

    service: str
    command: list[str]
    env: dict[str, str]
    log: Path
    port: int = 0
    code: Path = BASE_DIR
    """The folder of the version it runs."""
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, without waiting."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, cwd=self.code, env=self.env, stdout=log, stderr=log)

    def end(self, *, kill: bool = False) -> None:
        """Stop it in order, as compose does, or kill it."""
        process, self.process = self.process, None
        if process is None:
            return
        (process.kill if kill else process.terminate)()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@dataclass
class Deployment:
    """The installation."""

    folder: Path
    said: dict[str, Any]
    postgres: services.Postgres
    redis: services.Redis
    more: dict[str, str] = field(default_factory=dict)
    """Variables beyond those of the file."""
    processes: list[Process] = field(default_factory=list)
    proxy: Caddy | None = None
    metrics_token: str = "a-token-of-more-than-twenty-characters"

    @property
    def url(self) -> str:
        """The origin that workers use: the proxy."""
        assert self.proxy is not None
        return self.proxy.url

    @property
    def var_dir(self) -> Path:
        """The volume ``data``."""
        return self.folder / "var"

    def environment(self, service: str) -> dict[str, str]:
        """Return a service's environment from the file, with this machine's places in it."""
        wanted = {name: str(value) for name, value in self.said["services"][service]["environment"].items() if value}
        assert set(wanted) >= {"SECRET_KEY_FILE", "DATABASE_URL_FILE", "METRICS_TOKEN_FILE", "REDIS_URL", "PUBLIC_URL"}
        assert "MARKETPLACE_ID_KEYS_FILE" in wanted
        for name in [name for name in wanted if name.endswith("_FILE")]:
            wanted[name] = wanted[name].replace("/run/secrets", str(self.folder / "secrets"))
        here = {
            "REDIS_URL": self.redis.url,
            "VAR_DIR": str(self.var_dir),
            "DJANGO_SETTINGS_MODULE": "collector.settings",
        }
        if self.proxy is not None:
            here |= {"PUBLIC_URL": self.url, "ALLOWED_HOSTS": "localhost", "SSL_CERT_FILE": self.proxy.authority}
        here |= {"HOST": "127.0.0.1", "WORKER_METRICS_PORT": "0"}  # several workers share this machine
        here["JOINS_PER_MINUTE"] = "100000"  # all workers of a drill share an address
        passed = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return passed | wanted | here | self.more

    def command(self, service: str, port: int = 0) -> list[str]:
        """Return a service's command from the file, the first word found in this environment, on loopback."""
        first, *rest = self.said["services"][service]["command"]
        words = [str(PYTHON / first), *rest]
        return [{"0.0.0.0": "127.0.0.1", "8000": str(port)}.get(word, word) for word in words]

    def run(
        self, command: list[str], *, service: str = "web", timeout: float = 300, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a service's environment, and in what it is to have besides, to its end."""
        words = [str(PYTHON / command[0]), *command[1:]]
        env = self.environment(service) | more
        return subprocess.run(words, cwd=BASE_DIR, env=env, capture_output=True, text=True, timeout=timeout)

    def of(self, service: str) -> list[Process]:
        """Return a service's processes."""
        return [each for each in self.processes if each.service == service]

    def add(self, service: str) -> Process:
        """Start one more process of a service."""
        port = services.free_port() if service == "web" else 0
        log = self.folder / f"{service}-{len(self.processes)}.log"
        made = Process(service, self.command(service, port), self.environment(service), log, port)
        self.processes.append(made)
        return made

    def logs(self) -> str:
        """Return all that our processes have written."""
        return "".join(each.log.read_text() for each in self.processes if each.log.exists())

    def http(self) -> httpx.Client:
        """Return a client that trusts the proxy's certificate."""
        assert self.proxy is not None
        return httpx.Client(
            base_url=self.url, verify=ssl.create_default_context(cafile=self.proxy.authority), timeout=20
        )

    def stop(self) -> None:
        """Stop everything."""
        if self.proxy is not None:
            self.proxy.stop()
        for each in self.processes:
            each.end()
        self.redis.stop()
        self.postgres.stop()


def start(
    folder: Path,
    fill: Callable[[Path], None],
    *,
    postgres: type[services.Postgres] = services.Postgres,
    webs: int = 0,
    **more: str,
) -> Deployment:
    """Start it as ``docker compose up`` would; ``fill`` puts scenes in place that were rendered before.

    ``webs`` is another number of web processes than the file's, ``more`` are variables beyond its.
    """
    folder.mkdir()
    for name in ("var", "secrets"):
        (folder / name).mkdir()
    database, redis = postgres(folder / "postgres"), services.Redis(folder / "redis")
    database.start()
    redis.start()
    made = Deployment(folder, compose(), database, redis, more)
    texts = {"secret_key": "k" * 50, "database_url": database.url, "metrics_token": made.metrics_token}
    texts["marketplace_id_keys"] = os.environ["MARKETPLACE_ID_KEYS"]
    texts |= {"aws_secret_access_key": "", "email_host_password": "", "media_s3_secret_access_key": ""}
    for name, text in texts.items():
        (folder / "secrets" / name).write_text(text)
    count = webs or made.said["services"]["web"]["deploy"]["replicas"]
    ports = [services.free_port() for _ in range(count)]
    prefix = made.said["services"]["web"]["environment"]["MEDIA_PREFIX"]
    made.proxy = Caddy(folder / "proxy", ports, made.var_dir / "media", prefix)
    for port in ports:
        process = made.add("web")
        process.port, process.command = port, made.command("web", port)
    for service in OURS[1:]:
        made.add(service)
    done = made.run(made.said["services"]["prepare"]["command"] + ["--no-samples"], service="prepare")
    assert done.returncode == 0, done.stdout + done.stderr
    fill(folder)
    for each in made.processes:
        each.start()
    made.proxy.start()
    until_alive(made)
    return made


def until_alive(made: Deployment, seconds: float = 60) -> None:
    """Wait until every web process answers."""
    began = time.monotonic()
    for each in made.of("web"):
        while subprocess.run([PYTHON / "python", "-m", "collector.web", "--ask", str(each.port)]).returncode:
            assert time.monotonic() - began < seconds, each.log.read_text()
            time.sleep(0.2)
