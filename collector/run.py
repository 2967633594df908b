"""Is there an environment to run in? Makes or updates it with the standard library alone, then goes on in it.

``python3 -m collector.run --venv .venv --for run -- manage.py serve`` makes the environment, installs
``requirements/run.txt`` if it changed since the last time, and replaces itself by the command after ``--``.
It must be readable by Pythons too old for the rest, so that they can be told so.
"""

import argparse
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

BASE_DIR = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)


def refuse(sentence: str) -> NoReturn:
    """Stop with a sentence."""
    print(sentence, file=sys.stderr)
    sys.exit(1)


def check_python() -> None:
    """Stop if this Python is too old or cannot make environments."""
    if sys.version_info < OLDEST:
        version = ".".join(str(part) for part in sys.version_info[:3])
        refuse(f"Python 3.11 or newer is needed; this is {version}. Try: make run PYTHON=python3.11")
    try:
        import ensurepip  # noqa: F401  # Debian leaves it out of its python3
        import venv  # noqa: F401
    except ImportError:
        name = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        refuse(f"Python's venv module is missing. Install it: apt install python3-venv (or {name}).")


def digest_of(name: str) -> str:
    """Return what identifies a requirements file with those it includes, for this Python."""
    digest = hashlib.sha256(sys.version.encode())
    names = [name] if name == "run.txt" else ["run.txt", name]
    for each in names:
        digest.update((BASE_DIR / "requirements" / each).read_bytes())
    return digest.hexdigest()


def make_environment(folder: Path) -> None:
    """Make the environment unless a whole one is there."""
    if not (folder / "made").exists():
        print(f"Making a Python environment in {folder} ...")
        done = subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)])
        if done.returncode:
            refuse(f"The environment could not be made in {folder}; the reason stands above.")
        (folder / "made").touch()


def install(folder: Path, name: str) -> None:
    """Install a requirements file unless exactly it is installed."""
    stamp = folder / f"installed-{name}"
    digest = digest_of(name)
    if stamp.exists() and stamp.read_text() == digest:
        return
    print(f"Installing requirements/{name} (once; it takes a minute or two) ...")
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*pip, "-r", str(BASE_DIR / "requirements" / name)]).returncode:
        refuse("The requirements could not be installed; the reason stands above. Is there a network?")
    stamp.write_text(digest)
    if name != "run.txt":
        (folder / "installed-run.txt").write_text(digest_of("run.txt"))


def main() -> None:
    """Prepare the environment, then become the wanted command."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # An exception, where the default is to die at once, lets subprocess.run take its child along.
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--venv", type=Path, default=Path(".venv"), help="the environment's folder")
    parser.add_argument("--for", dest="purpose", choices=["run", "test"], default="run")
    parser.add_argument("command", nargs="+", help="what to run in it: arguments of python")
    options = parser.parse_args()
    check_python()
    folder = (BASE_DIR / options.venv).absolute()
    make_environment(folder)
    install(folder, f"{options.purpose}.txt")
    os.chdir(BASE_DIR)
    python = str(folder / "bin" / "python")
    os.execv(python, [python, *options.command])  # noqa: S606 - the same process id, so signals arrive


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
