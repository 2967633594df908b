"""The ground: settings refuse what they cannot use, the product starts and stops as one, connections stay few."""

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.databases import count_backends
from tests.product import BASE_DIR, Product, environment
from tests.services import free_port

# --- Settings


def settings_with(tmp_path: Path, show: str = "'started'", **variables: str) -> subprocess.CompletedProcess[str]:
    """Import the settings in a process of their own and print an expression over them."""
    code = f"from collector import settings; print({show})"
    env = environment(tmp_path, **variables)
    return subprocess.run([sys.executable, "-c", code], cwd=BASE_DIR, env=env, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "70000"),
        ("DEBUG", "perhaps"),
        ("SECRET_KEY", "short"),
        ("MARKETPLACE_ID_KEYS", "no-key-of-thirty-two-bytes"),
        ("LEDGER_YEARS", "0"),
        ("DATABASE_URL", "mysql://localhost/collector"),
        ("DATABASE_URL", "nonsense"),
        ("REDIS_URL", "localhost:6379"),
        ("PUBLIC_URL", "collect.example.org"),
        ("PAGE_THREADS", "0"),
        ("PAGE_THREADS", "many"),
        ("LOG_LEVEL", "loud"),
        ("HASHED_STATIC", "sometimes"),
        ("TIME_ZONE", "Middle/Earth"),
        ("MARKETPLACE_TIMEOUT", "0"),
        ("MARKETPLACE_RATES", "live=0"),
        ("MARKETPLACE_RATES", "moon=1"),
        ("MARKETPLACE_RATES", "fast"),
    ],
)
def test_a_value_that_cannot_be_used_stops_the_start_with_the_variables_name(tmp_path: Path, name: str, value: str):
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--plan"],
        cwd=BASE_DIR, env=environment(tmp_path, **{name: value}), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert name in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_value_means_not_set(tmp_path: Path):
    done = settings_with(tmp_path, "settings.PORT, settings.DEBUG", PORT="", DEBUG="", DATABASE_URL="", REDIS_URL="")
    assert done.stdout.strip() == "8000 False" or done.stdout.strip() == "(8000, False)"


def test_a_secret_is_read_from_the_file_that_is_named(tmp_path: Path):
    key = "a secret that stands in a file, as container platforms do it"
    (tmp_path / "key").write_text(key)
    done = settings_with(tmp_path, "settings.SECRET_KEY", SECRET_KEY_FILE=str(tmp_path / "key"))
    assert done.stdout.strip() == key


def test_the_secret_key_is_made_once_and_readable_by_its_owner_only(tmp_path: Path):
    first, second = (settings_with(tmp_path, "settings.SECRET_KEY").stdout for _ in range(2))
    assert len(first.strip()) > 32
    assert first == second
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0


def test_the_key_of_ids_is_made_once_and_readable_by_its_owner_only(tmp_path: Path):
    first, second = (
        settings_with(tmp_path, "settings.MARKETPLACE_ID_KEYS[0]", MARKETPLACE_ID_KEYS="").stdout for _ in range(2)
    )
    assert len(first.strip()) == 44
    assert first == second
    assert (tmp_path / "marketplace_id_key").stat().st_mode & 0o077 == 0


def test_a_secret_of_a_file_is_read_without_its_line_end(tmp_path: Path):
    (tmp_path / "url").write_text("postgres://ada:secret@db/collector\n")
    show = "settings.DATABASES['default']['NAME'], settings.DATABASES['default']['PASSWORD']"
    done = settings_with(tmp_path, show, DATABASE_URL_FILE=str(tmp_path / "url"))
    assert done.stdout.split() == ["collector", "secret"], done.stderr


def test_a_name_in_dotenv_that_nobody_reads_is_refused(tmp_path: Path):
    copy = tmp_path / "copy"
    shutil.copytree(BASE_DIR / "collector", copy / "collector")
    (copy / ".env").write_text("PORT=8001\nDATABASE_ULR=postgres://localhost/x\n")
    done = subprocess.run(
        [sys.executable, "-c", "import collector.settings"],
        cwd=copy, env=environment(tmp_path / "var"), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    assert "DATABASE_ULR" in done.stderr


def test_every_variable_is_explained_in_the_example():
    from collector.environment import NAMES

    lines = (BASE_DIR / ".env.example").read_text().splitlines()
    shown = {line[1:].partition("=")[0] for line in lines if line.startswith("#") and "=" in line and line[1] != " "}
    assert shown == NAMES


def test_the_host_that_is_given_may_be_asked_for(tmp_path: Path):
    done = settings_with(tmp_path, "'192.0.2.7' in settings.ALLOWED_HOSTS", HOST="192.0.2.7")
    assert done.stdout.strip() == "True"


# --- Starting and stopping


@contextlib.contextmanager
def serving(var_dir: Path, **more: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """Run what `make run` runs, wait until it answers, and yield its process, port and first output."""
    port = free_port()
    env = environment(var_dir, PORT=str(port), PYTHONUNBUFFERED="1", **more)
    command = [sys.executable, "manage.py", "serve"]
    output = var_dir / "serve.log"
    with open(output, "w") as log:
        process = subprocess.Popen(
            command, cwd=BASE_DIR, env=env, stdout=log, stderr=log, text=True, start_new_session=True
        )
    try:
        wait_until(lambda: answers(port) or process.poll() is not None, 150)
        assert process.poll() is None, output.read_text()
        yield process, port, output.read_text()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(30)


def answers(port: int) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"http://127.0.0.1:{port}/admin/login/", timeout=5).status_code == 200
    return False


def wait_until(condition, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.1)


def descendants(pid: int) -> set[int]:
    """Return the ids of all processes below one; read from /proc, as a bare machine has no ps."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found: set[int] = set()
    todo = [pid]
    while todo:
        above = todo.pop()
        below = {child for child, parent in parents.items() if parent == above}
        found |= below
        todo += below
    return found


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, prepared_product: Product) -> Path:
    """A data folder that has been started in once."""
    var_dir = tmp_path_factory.mktemp("prepared")
    product = Product(var_dir, environment(var_dir))
    product.manage("migrate", "--verbosity", "0")
    product.take_samples(prepared_product)
    with serving(var_dir) as (_, _, output):
        assert "Password: " in output
        assert "/desk/try/" in output
        assert "/join/demo/" in output
    return var_dir


def test_a_second_start_keeps_the_password_to_itself(prepared: Path):
    with serving(prepared) as (_, _, output):
        assert "Password: " not in output
        assert "/desk/try/" in output


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to look at processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing_running(prepared: Path, number: signal.Signals):
    with serving(prepared) as (process, port, _):
        below = descendants(process.pid)
        assert below
        process.send_signal(number)
        assert process.wait(30) == 0 or number != signal.SIGINT, "a stop that was asked for is no error"
        wait_until(lambda: not any(is_alive(pid) for pid in below), 5)
        assert not answers(port)


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to look at processes")
def test_a_terminal_that_closes_leaves_nothing_running(prepared: Path):
    ours, theirs = os.openpty()
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
         "os.execv(sys.executable, [sys.executable, 'manage.py', 'serve'])"],
        cwd=BASE_DIR, env=environment(prepared, PORT=str(port)), stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    wait_until(lambda: answers(port), 60)
    below = descendants(process.pid)
    assert below
    os.close(ours)  # as a window that is closed: the kernel hangs up, and writing fails from now on
    process.wait(30)
    wait_until(lambda: not any(is_alive(pid) for pid in below), 5)


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to look at processes")
def test_a_make_that_is_killed_takes_the_product_along(prepared: Path):
    port = free_port()
    # A stand-in for make: it starts the product and waits for it.
    code = "import subprocess, sys; subprocess.run([sys.executable, 'manage.py', 'serve', '--with-parent'])"
    env = environment(prepared, PORT=str(port))
    make = subprocess.Popen([sys.executable, "-c", code], cwd=BASE_DIR, env=env, stdout=subprocess.DEVNULL)
    wait_until(lambda: answers(port), 60)
    below = descendants(make.pid)
    make.kill()
    make.wait()
    wait_until(lambda: not any(is_alive(pid) for pid in below), 20)


def test_a_taken_port_gets_a_sentence(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "manage.py", "serve"],
            cwd=BASE_DIR, env=environment(tmp_path, PORT=str(port)), capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 1
    assert f"Port {port} is taken" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_host_that_is_not_ours_gets_a_sentence(tmp_path: Path):
    env = environment(tmp_path, PORT=str(free_port()), HOST="192.0.2.7")
    command = [sys.executable, "manage.py", "serve"]
    done = subprocess.run(command, cwd=BASE_DIR, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "192.0.2.7 is no address of this machine" in done.stderr


def test_a_python_without_venv_gets_a_sentence(tmp_path: Path):
    (tmp_path / "ensurepip.py").write_text("raise ImportError('left out by the distribution')")
    done = subprocess.run(
        [sys.executable, "-m", "collector.run", "--venv", str(tmp_path / "venv"), "--", "-c", "pass"],
        cwd=BASE_DIR, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "apt install python3-venv" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_machine_without_python_gets_a_sentence(tmp_path: Path):
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed")
    done = subprocess.run(
        [make, "run", "PYTHON=python-that-is-not-there"], cwd=BASE_DIR, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "apt install python3" in done.stdout


# --- The database


def test_three_processes_write_sqlite_at_once_without_a_lock_error(prepared: Path):
    code = (
        "import django; django.setup()\n"
        "from django.db import transaction\n"
        "from collector.lib import clock\n"
        "from collector.studies.models import Worker\n"
        "import sys\n"
        "for number in range(150):\n"
        "    with transaction.atomic():\n"
        "        Worker.objects.count()\n"  # reading first is what makes a deferred transaction fail
        "        Worker.objects.create(marketplace='test', environment='test', created_at=clock.now(),\n"
        "            external_id=f'{sys.argv[1]}-{number}')\n"
    )
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(each)],
            cwd=BASE_DIR, env=environment(prepared), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for each in range(3)
    ]  # fmt: skip
    for writer in writers:
        output, _ = writer.communicate(timeout=120)
        assert writer.returncode == 0, output
    count = "from collector.studies.models import Worker; print(Worker.objects.filter(marketplace='test').count())"
    shown = Product(prepared, environment(prepared)).manage("shell", "-v", "0", "-c", count).stdout
    assert shown.split()[-1] == "450"


@pytest.mark.postgres
@pytest.mark.long_drill  # half a minute, most of it setting up
async def test_a_thousand_pages_at_once_need_few_connections(product_postgres: Product):
    statuses: list[int] = []
    most = 0
    gate = asyncio.Semaphore(200)
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200)

    async with httpx.AsyncClient(base_url=product_postgres.url, limits=limits, timeout=60) as client:

        async def open_page() -> None:
            async with gate:
                statuses.append((await client.get("/join/demo/")).status_code)

        async def watch() -> None:
            nonlocal most
            while len(statuses) < 1000:
                most = max(most, await asyncio.to_thread(count_backends, product_postgres.env["DATABASE_URL"]))
                await asyncio.sleep(0.1)

        watching = asyncio.create_task(watch())
        await asyncio.gather(*(open_page() for _ in range(1000)))
        await watching
    assert set(statuses) == {200}
    most = max(most, count_backends(product_postgres.env["DATABASE_URL"]))
    assert 0 < most <= 12  # four page threads, the writer, the chat's
