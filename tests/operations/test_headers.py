"""What every answer tells a browser to hold back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

BASE_DIR = Path(__file__).resolve().parents[2]


@pytest.mark.django_db
def test_pages_ask_a_browser_for_nothing_that_a_script_could_misuse(client: Client) -> None:
    for address in ("/admin/login/", "/join/nowhere/"):
        policy = client.get(address)["Permissions-Policy"]
        assert {"camera=()", "microphone=()", "geolocation=()", "payment=()"} <= set(policy.split(", "))
        assert "autoplay" not in policy
        assert "fullscreen" not in policy


def test_the_deployment_check_is_clean(tmp_path: Path) -> None:
    env = {**os.environ, "PUBLIC_URL": "https://collect.example.org", "VAR_DIR": str(tmp_path)}
    env |= {"DJANGO_SETTINGS_MODULE": "collector.settings", "DATABASE_URL": "", "REDIS_URL": ""}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(command, cwd=BASE_DIR, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
