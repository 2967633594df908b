"""Run one folder of tests that the ordinary run leaves out, or say that it is empty."""

import subprocess
import sys

from tests.check import BASE_DIR


def main(name: str) -> int:
    """Run the folder's tests; return the exit code."""
    names = ("test_*.py", "bench_*.py")
    if not any(path for each in names for path in (BASE_DIR / name).glob(f"**/{each}")):
        print(f"There is nothing in {name}/ yet.")
        return 0
    command = [sys.executable, "-m", "pytest", "-s", "-o", "addopts=-ra --strict-markers", "--timeout=1800"]
    command += ["-o", f"python_files={' '.join(names)}", name]
    return subprocess.run(command, cwd=BASE_DIR).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
