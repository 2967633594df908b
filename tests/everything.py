"""All checks, then all tests; pytest comes last so that the output ends with its summary."""

import subprocess
import sys

from tests import check

PARALLEL = ("-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder")
"""Two processes take file after file, in order, so that each of them comes to its browser tests last."""


def main() -> int:
    """Run everything; return a code other than 0 if anything failed."""
    failed = check.run_checks()
    if failed:
        print(f"These checks failed, and `make test` will: {', '.join(failed)}.", flush=True)
    tests = subprocess.run([sys.executable, "-m", "pytest", *PARALLEL, *sys.argv[1:]], cwd=check.BASE_DIR).returncode
    return tests or (1 if failed else 0)


if __name__ == "__main__":
    sys.exit(main())
