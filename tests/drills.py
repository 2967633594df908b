"""Run what the ordinary run leaves out: all that is marked as a long drill, wherever it stands."""

import subprocess
import sys

from tests.check import BASE_DIR


def main() -> int:
    """Run them, one after the other; return the exit code."""
    command = [sys.executable, "-m", "pytest", "-s", "-o", "addopts=-ra --strict-markers --ignore=tests/bench"]
    return subprocess.run([*command, "-m", "long_drill", "--timeout=1800", *sys.argv[1:]], cwd=BASE_DIR).returncode


if __name__ == "__main__":
    sys.exit(main())
