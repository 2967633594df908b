"""Lint, types, layers, migrations, templates, docs, licences, known holes: run all and say which of them failed."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import audit

BASE_DIR = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

MARKET = ["env", "DJANGO_SETTINGS_MODULE=hits.localmarket.settings", sys.executable]
CHECKS = {
    "lint": [str(BIN / "ruff"), "check", "."],
    "types": [str(BIN / "mypy")],
    "layers": [str(BIN / "lint-imports")],
    "migrations": [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
    "templates": [sys.executable, "-m", "tests.templates"],
    "docs": [str(BIN / "mkdocs"), "build", "--strict", "--quiet"],
    "licences": [sys.executable, "-m", "tests.licences"],
    "known holes": [sys.executable, "-m", "tests.audit"],
    "the market's types": [str(BIN / "mypy"), "--config-file", "hits/localmarket/mypy.ini"],
    "the market's migrations": [*MARKET, "-m", "django", "makemigrations", "--check", "--dry-run"],
    "the market's templates": [*MARKET, "-m", "tests.templates"],
}


def run_checks() -> list[str]:
    """Run every check and return the names of those that failed."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        # The checks see the product with its defaults, whatever the caller's environment names.
        names = ("DATABASE_URL", "REDIS_URL")
        environment = {name: value for name, value in os.environ.items() if name not in names}
        environment |= {"VAR_DIR": folder, "LOCALMARKET_VAR_DIR": folder}
        environment |= {"DJANGO_SETTINGS_MODULE": "collector.settings"}
        for name, command in CHECKS.items():
            print(f"--- {name}", flush=True)
            code = subprocess.run(command, cwd=BASE_DIR, env=environment).returncode
            if code and (name, code) != ("known holes", audit.UNASKED):
                failed.append(name)
    return failed


def main() -> int:
    """Run the checks; return the exit code."""
    failed = run_checks()
    print(f"Failed: {', '.join(failed)}." if failed else "All checks passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
