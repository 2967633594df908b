"""Is a hole known in a library that the product runs with? Asks a public database; says so where it cannot be asked.

``make check`` does not fail where it could not be asked; ``python -m tests.audit`` ends with 2 then.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

BASE_DIR = Path(__file__).resolve().parent.parent
COMMAND = [
    sys.executable, "-m", "pip_audit", "--requirement", "requirements/run.txt", "--no-deps", "--disable-pip",
    "--format", "json", "--progress-spinner", "off", "--timeout", "15",
]  # fmt: skip
"""With pins alone: what they bring along has no pin of ours."""
UNASKED = 2
"""The exit code where nothing is known either way."""


def verdict(answer: str, complaint: str) -> tuple[int, str]:
    """Return the exit code and what to say: 0 nothing is known, 1 something is, UNASKED it could not be asked."""
    try:
        libraries: list[dict[str, Any]] = json.loads(answer)["dependencies"]
    except (ValueError, KeyError):
        why = complaint.strip().splitlines()[-1:] or ["it gave no answer"]
        return UNASKED, f"The database of known holes could not be asked: {why[0][:300]}. Nothing is known either way."
    holes = [(each["name"], each["version"], hole) for each in libraries for hole in each.get("vulns", [])]
    lines = [
        f"{name} {version}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no version yet'}."
        for name, version, hole in holes
    ]
    if unasked := [each["name"] for each in libraries if "skip_reason" in each]:
        some = ", ".join(unasked[:5])
        lines.append(f"About {len(unasked)} of {len(libraries)} libraries it could not be asked ({some} ...).")
    if not lines:
        lines.append(f"No hole is known in the {len(libraries)} libraries of requirements/run.txt.")
    return 1 if holes else UNASKED if unasked else 0, "\n".join(lines)


def main() -> int:
    """Ask, and say what came of it."""
    done = subprocess.run(COMMAND, cwd=BASE_DIR, capture_output=True, text=True)
    code, said = verdict(done.stdout, done.stderr)
    print(said)
    return code


if __name__ == "__main__":
    sys.exit(main())
