"""Does this machine have what the tests need? Installs it where that is allowed; standard library only.

On Debian and Ubuntu, as root or with a password-free sudo, missing packages come from apt. No service is started and
no database cluster is made: the tests start their own. What cannot be had is named; its tests are skipped by name.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_ARGS = [
    "--no-sandbox", "--headless", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",
]  # fmt: skip
POLICY = Path("/usr/sbin/policy-rc.d")
NO_CLUSTER = Path("/etc/postgresql-common/createcluster.d/no-main-cluster.conf")


def chromium() -> str | None:
    """Return the path of a Chromium or Chrome, or None."""
    return next((path for name in CHROMIUM if (path := shutil.which(name))), None)


def postgres() -> str | None:
    """Return the folder with PostgreSQL's programs, the newest version's, or None."""
    folders = [Path(each).parent for each in glob.glob("/usr/lib/postgresql/*/bin/initdb")]
    if folders:
        return str(max(folders, key=lambda folder: float(folder.parent.name)))
    path = shutil.which("initdb")
    return str(Path(path).resolve().parent) if path and shutil.which("postgres") else None


def redis() -> str | None:
    """Return the path of a Redis server (or its fork Valkey), or None."""
    return shutil.which("redis-server") or shutil.which("valkey-server")


def found(program: str) -> str | None:
    """Return the path of a program, servers' folders included, or None."""
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def nginx() -> str | None:
    """Return the path of an nginx, or None."""
    return found("nginx")


def _has_ensurepip() -> bool:
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        return False
    return True


def missing() -> list[str]:
    """Return the names of the packages that the tests miss here."""
    wanted = {
        "python3-venv": _has_ensurepip(),
        "chromium": chromium(),
        "fonts-liberation": chromium() or glob.glob("/usr/share/fonts/*/*"),
        "postgresql": os.environ.get("DATABASE_URL") or postgres(),
        "redis-server": os.environ.get("REDIS_URL") or redis(),
        "nginx": nginx(),
        "caddy": found("caddy"),
        "docker-compose": found("docker-compose"),
        "default-jre-headless": shutil.which("java"),
    }
    return [name for name, there in wanted.items() if not there]


def _as_root() -> list[str] | None:
    """Return what goes before a command to run it as root, or None if we may not."""
    if os.geteuid() == 0:
        return []
    asked = shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0
    return ["sudo", "-n"] if asked else None


def install(names: list[str]) -> None:
    """Install packages, keeping their services from starting."""
    prefix = _as_root()
    if not shutil.which("apt-get") or prefix is None:
        why = "there is no apt-get here" if prefix is not None else "neither root nor sudo without a password"
        print(f"Not installed ({why}): {', '.join(names)}. The tests that need them are skipped by name.")
        return
    print(f"Installing {', '.join(names)} ...", flush=True)
    made = _keep_services_down(prefix)
    try:
        _apt(prefix, names)
    finally:
        for path in made:
            subprocess.run([*prefix, "rm", "-f", str(path)], check=True)


def _apt(prefix: list[str], names: list[str]) -> None:
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    quiet = ["-qq", "-o", "Dpkg::Use-Pty=0"]
    updated = _quietly([*prefix, *environment, "apt-get", *quiet, "update"])
    for name in names:  # one by one: what one of them lacks must not cost the others
        command = [*prefix, *environment, "apt-get", *quiet, "install", "-y", "--no-install-recommends", name]
        if not _quietly(command):
            hint = "" if updated else " (the list of packages could not be fetched; is there a network?)"
            print(f"{name} could not be installed{hint}. The tests that need it are skipped by name.")


def _quietly(command: list[str]) -> bool:
    """Run a command and tell whether it worked; what it says is shown only if not."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode:
        print(done.stdout.strip()[-2000:], flush=True)
    return done.returncode == 0


def _keep_services_down(prefix: list[str]) -> list[Path]:
    """Forbid package scripts to start services and to make a cluster; return the files made for that."""
    contents = {POLICY: "#!/bin/sh\nexit 101\n", NO_CLUSTER: "create_main_cluster = false\n"}
    made = []
    for path, text in contents.items():
        if path.exists():
            continue  # someone's own rule; not ours to change
        with tempfile.NamedTemporaryFile("w", delete=False) as file:
            file.write(text)
        subprocess.run([*prefix, "install", "-D", "-m", "755", file.name, str(path)], check=True)
        os.unlink(file.name)
        made.append(path)
    return made


def main() -> None:
    """Install what is missing."""
    if names := missing():
        install(names)


if __name__ == "__main__":
    sys.exit(main())
