"""Run tests that the ordinary run leaves out: all of some folders or files."""

import subprocess
import sys

from tests.check import BASE_DIR


def main(*names: str) -> int:
    """Run the tests of folders or files; return the exit code."""
    command = [sys.executable, "-m", "pytest", "-s", "-o", "addopts=-ra --strict-markers", "--timeout=1800", *names]
    return subprocess.run(command, cwd=BASE_DIR).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
