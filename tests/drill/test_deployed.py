"""The installation that docker-compose.yml describes, by hand: what it is made of, and that it works as a whole."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import services
from tests.drill import deployed
from tests.drill.cluster import report
from tests.drill.deployed import Deployment
from tests.product import Product, environment

pytestmark = [pytest.mark.timeout(600), pytest.mark.deployed]
BASE_DIR = deployed.BASE_DIR


@pytest.fixture(scope="module")
def deployment(prepared_product: Product) -> Iterator[Deployment]:
    """All services, running."""

    def fill(folder: Path) -> None:
        url = (folder / "secrets" / "database_url").read_text()
        product = Product(folder / "var", environment(folder / "var", DATABASE_URL=url))
        product.take_samples(prepared_product)
        product.manage("load_demo")

    made = deployed.start(services.temporary_folder() / "deployed", fill)
    yield made
    made.stop()


@pytest.mark.quick
def test_every_service_restarts_is_checked_and_bounded() -> None:
    found = deployed.compose()["services"]
    assert set(found) == {"proxy", "prepare", "web", "worker", "long", "beat", "postgres", "redis"}
    for name, service in found.items():
        assert service["read_only"] is True, name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service["logging"]["options"]["max-size"], name
        assert ":latest" not in service["image"], name
        if name == "prepare":
            continue
        assert service["restart"] == "unless-stopped", name
        assert service["deploy"]["resources"]["limits"], name
        if name != "long":  # what it does may take minutes, in which it gives no sign
            assert service["healthcheck"]["test"], name
    assert [name for name, service in found.items() if service.get("ports")] == ["proxy"], "only it is reached"


@pytest.mark.quick
def test_no_secret_stands_in_the_file() -> None:
    for name, service in deployed.compose()["services"].items():
        for variable, value in (service.get("environment") or {}).items():
            if any(word in variable for word in ("PASSWORD", "SECRET", "TOKEN", "DATABASE_URL")):
                assert str(value).startswith("/run/secrets/"), f"{name}: {variable}"


@pytest.mark.quick
def test_the_dockerfile_passes_hadolint() -> None:
    program = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([program, str(BASE_DIR / "Dockerfile")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.quick
def test_what_is_copied_into_the_image_is_there() -> None:
    lines = (BASE_DIR / "Dockerfile").read_text().splitlines()
    copied = [line.split()[1] for line in lines if line.startswith("COPY ") and "--from" not in line]
    assert len(copied) >= 6
    for name in copied:
        assert (BASE_DIR / name).exists(), name
        assert f"!{name.partition('/')[0]}" in (BASE_DIR / ".dockerignore").read_text() or name == "manage.py"


@pytest.mark.quick
def test_secrets_are_made_once_and_for_their_owner(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    shutil.copy(BASE_DIR / "deploy" / "secrets.sh", tmp_path / "deploy")
    for _ in range(2):
        done = subprocess.run(["sh", "deploy/secrets.sh"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
        before = found
    assert found == before
    assert set(found) == set(deployed.compose()["secrets"])
    assert (tmp_path / "secrets").stat().st_mode & 0o077 == 0
    assert found["database_password"] in found["database_url"]
    from_others = ("aws_secret_access_key", "email_host_password", "media_s3_secret_access_key")
    made = [text for name, text in found.items() if name not in from_others]
    assert all(made)
    assert len(set(made)) == len(made)


def ready(deployment: Deployment) -> dict[str, Any]:
    """Return what a web process says of its readiness."""
    headers = {"Authorization": f"Bearer {deployment.metrics_token}"}
    answer = httpx.get(f"http://127.0.0.1:{deployment.of('web')[0].port}/readyz", headers=headers, timeout=30)
    found: dict[str, Any] = answer.json()
    return found


def test_all_services_become_ready(deployment: Deployment) -> None:
    began = time.monotonic()
    while not (found := ready(deployment))["ready"]:
        assert time.monotonic() - began < 60, json.dumps(found, indent=1) + deployment.logs()
        time.sleep(1)
    report(f"Ready after {time.monotonic() - began:.0f} s.")
    for service in ("worker", "beat"):
        test = deployment.said["services"][service]["healthcheck"]["test"]
        done = deployment.run(test[1:], service=service)
        assert done.returncode == 0, done.stdout + done.stderr


def test_machines_pages_are_not_for_the_street(deployment: Deployment) -> None:
    with deployment.http() as http:
        assert [http.get(path).status_code for path in ("/metrics", "/readyz", "/media-behind/x")] == [404, 404, 404]
        assert http.get("/healthz").status_code == 200


def test_pages_come_over_tls_with_cookies_that_stay_there(deployment: Deployment) -> None:
    with deployment.http() as http:
        answer = http.get("/admin/login/")
    assert answer.status_code == 200
    assert "Secure" in answer.headers["set-cookie"]
    assert "Server" not in answer.headers


def test_videos_come_from_the_disk_in_ranges(deployment: Deployment) -> None:
    with deployment.http() as http:
        done = deployment.run(["python", "manage.py", "shell", "-c", _STAFF])
        cookie = {"Cookie": f"sessionid={done.stdout.strip().splitlines()[-1]}"}
        inside = {**cookie, "Host": "localhost", "X-Forwarded-Proto": "https"}
        direct = httpx.get(f"http://127.0.0.1:{deployment.of('web')[0].port}/catalogue/video/1", headers=inside)
        assert direct.headers["x-accel-redirect"].startswith("/media-behind/"), direct.status_code
        part = http.get("/catalogue/video/1", headers={**cookie, "Range": "bytes=100-199"})
        whole = http.get("/catalogue/video/1", headers=cookie)
    assert part.status_code == 206
    assert part.content == whole.content[100:200]
    assert part.headers["content-type"] == "video/mp4"
    assert part.headers["cache-control"] == "private"
    assert "etag" not in part.headers
    assert "x-accel-redirect" not in part.headers
    assert "last-modified" not in part.headers


_STAFF = """
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
user = User.objects.get_or_create(username="keeper", defaults={"is_staff": True, "is_superuser": True})[0]
s = SessionStore()
s["_auth_user_id"], s["_auth_user_backend"] = str(user.pk), "django.contrib.auth.backends.ModelBackend"
s["_auth_user_hash"] = user.get_session_auth_hash()
s.create()
print(s.session_key)
"""


def test_dialogs_go_through_the_proxy(deployment: Deployment) -> None:
    command = ["python", "manage.py", "simulate_dialogs", "--pairs", "20", "--url", deployment.url]
    done = deployment.run(command)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing was lost" in done.stdout
    report(done.stdout.strip())


def test_metrics_count_what_happened(deployment: Deployment) -> None:
    command = ["python", "manage.py", "simulate_dialogs", "--pairs", "5", "--url", deployment.url]
    assert deployment.run(command).returncode == 0
    headers = {"Authorization": f"Bearer {deployment.metrics_token}"}
    stored = 0.0
    for each in deployment.of("web"):
        body = httpx.get(f"http://127.0.0.1:{each.port}/metrics", headers=headers).text
        stored += float(
            next(line for line in body.splitlines() if line.startswith("collector_texts_stored_total")).split()[1]
        )
    assert stored >= 5 * 21


def test_logs_are_json_and_name_nobody(deployment: Deployment) -> None:
    lines = [line for line in deployment.logs().splitlines() if line.startswith("{")]
    assert all(json.loads(line)["message"] for line in lines)
    assert "sim-" not in deployment.logs()


def test_a_preflight_comes_in_over_https_and_wss(deployment: Deployment) -> None:
    done = deployment.run(["python", "manage.py", "preflight", "--study", "demo", "--rehearse"], service="worker")
    pages = done.stdout.partition("Workers' pages")[2].partition("\n\n")[0].splitlines()[1:]
    checks = [line for line in pages if not line.startswith("        ")]
    assert len(checks) >= 6, done.stdout + done.stderr
    others = [line.strip() for line in checks if not line.strip().startswith("good")]
    assert [line.partition(":")[0] for line in others] == ["look  Public address"], done.stdout  # it is localhost
    assert "All went well." in done.stdout
