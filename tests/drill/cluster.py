"""Several web processes on a PostgreSQL and a Redis of their own, behind nginx: what a drill may break."""

import asyncio
import shutil
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg2
import psycopg2.extras

from tests import machine, services
from tests.product import Product, environment

NGINX = """
worker_processes 1;
pid nginx.pid;
error_log error.log warn;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  map $http_upgrade $connection_upgrade {{ default upgrade; "" ""; }}
  upstream web {{
{servers}
    keepalive 32;
  }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://web;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_buffering off;
      proxy_connect_timeout 2s;
      proxy_read_timeout 60s;
      proxy_send_timeout 60s;
    }}
  }}
}}
"""
"""``max_fails=0`` has nginx ask every process each time: it forgives one that failed only when a connection to it has
ended well, and sockets do not end, so a restarted process would get one connection in each ``fail_timeout``."""


class Nginx(services.Server):
    """An nginx in front of web processes."""

    stopped_by = signal.SIGTERM

    def __init__(self, folder: Path, ports: list[int]) -> None:
        program = machine.nginx()
        if program is None:
            raise RuntimeError("nginx is not installed (apt install nginx)")
        super().__init__(folder)
        self.folder.chmod(0o755)
        self.program = program
        servers = "\n".join(f"    server 127.0.0.1:{port} max_fails=0;" for port in ports)
        (folder / "nginx.conf").write_text(NGINX.format(servers=servers, port=self.port))

    @property
    def url(self) -> str:
        """The origin that workers use."""
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        """Return the command line."""
        return [self.program, "-p", f"{self.folder}/", "-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;"]

    def answers(self) -> bool:
        """Connect."""
        return services.takes_connections(self.port)


@dataclass
class Cluster:
    """The installation."""

    folder: Path
    postgres: services.Postgres
    redis: services.Redis
    webs: list[Product]
    nginx: Nginx
    _numbers: Iterator[int] = field(default_factory=lambda: iter(range(1, 1_000_000)))

    @property
    def url(self) -> str:
        """The origin that workers use: nginx."""
        return self.nginx.url

    @property
    def log(self) -> str:
        """What all web processes have written."""
        return self.webs[0].log

    def number(self) -> int:
        """Return a number not used before."""
        return next(self._numbers)

    def ask(self, statement: str, *values: Any) -> list[dict[str, Any]]:
        """Run a statement in the product's database; return its rows, if it has any."""
        return self.postgres.ask(statement, *values)

    def one(self, statement: str, *values: Any) -> Any:
        """Return the one value of the one row."""
        (row,) = self.ask(statement, *values)
        (value,) = row.values()
        return value

    def study(self, *, videos: int = 100, **fields: Any) -> str:
        """Make a study like the demo's, in a collection of its own; return its slug."""
        slug = f"drill-{self.number()}"
        (row,) = self.ask("SELECT * FROM studies_study WHERE slug = 'demo'")
        collection = self.one("INSERT INTO studies_collection (name, cap) VALUES (%s, 200) RETURNING id", slug)
        row |= {"name": slug, "slug": slug, "collection_id": collection, **fields}
        del row["id"]
        names = ", ".join(row)
        places = ", ".join(["%s"] * len(row))
        values = [psycopg2.extras.Json(value) if isinstance(value, dict | list) else value for value in row.values()]
        study = self.one(f"INSERT INTO studies_study ({names}) VALUES ({places}) RETURNING id", *values)
        self.ask(
            "INSERT INTO studies_studyvideo (study_id, video_id, wanted, started, is_held)"
            " SELECT %s, video_id, NULL, 0, false FROM studies_studyvideo sv JOIN studies_study s ON s.id = sv.study_id"
            " WHERE s.slug = 'demo' ORDER BY video_id LIMIT %s",
            study,
            videos,
        )
        return slug

    @contextmanager
    def locked(self, dialog: int) -> Iterator[None]:
        """Hold the row lock of a dialog for the length of a block, as a session that hangs does."""
        with closing(psycopg2.connect(self.postgres.url)) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM chat_dialog WHERE id = %s FOR UPDATE", [dialog])
            yield
            connection.rollback()


def start(folder: Path, like: Product, processes: int = 2) -> Cluster:
    """Start everything; samples come from an installation that has them."""
    folder.mkdir()
    postgres, redis = services.Postgres(folder / "postgres"), services.Redis(folder / "redis")
    postgres.start()
    redis.start()
    var_dir = folder / "var"
    var_dir.mkdir()
    env = environment(var_dir, DATABASE_URL=postgres.url, REDIS_URL=redis.url, JOINS_PER_MINUTE="100000")
    webs = [Product(var_dir, env) for _ in range(processes)]
    webs[0].prepare(like)
    for web in webs:
        web.start()
    nginx = Nginx(folder / "nginx", [web.port for web in webs])
    nginx.start()
    return Cluster(folder, postgres, redis, webs, nginx)


def stop(cluster: Cluster) -> None:
    """Stop everything."""
    cluster.nginx.stop()
    for web in cluster.webs:
        web.stop()
    cluster.redis.stop()
    cluster.postgres.stop()
    shutil.rmtree(cluster.folder, ignore_errors=True)


async def until(what: str, check: Callable[[], Any | Awaitable[Any]], seconds: float = 10, step: float = 0.05) -> float:
    """Wait until ``check`` is true; return how many seconds that took. Blocking checks run on another thread."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        if await asyncio.to_thread(check):
            return time.monotonic() - started
        await asyncio.sleep(step)
    raise AssertionError(f"{what}: not within {seconds:.0f} s.")


def memory(process: subprocess.Popen[bytes] | None) -> int:
    """Return how many MiB a process holds."""
    assert process is not None
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024


def report(sentence: str) -> None:
    """Print a figure of a drill where it is read with the results."""
    print(f"\n    {sentence}", flush=True)
