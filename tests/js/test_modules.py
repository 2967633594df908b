"""The page's pure modules, tested in node where there is one."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent
OLDEST = 18


def _why_not() -> str | None:
    node = shutil.which("node")
    if node is None:
        return "node is not installed (apt install nodejs)"
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    found = re.match(r"v(\d+)", version)
    return None if found and int(found[1]) >= OLDEST else f"node {OLDEST} or newer is needed, this is {version.strip()}"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.test.mjs")), ids=lambda path: path.name)
def test_the_module_passes_its_tests_in_node(path: Path) -> None:
    if reason := _why_not():
        pytest.skip(f"{path.name} needs node: {reason}")
    done = subprocess.run(["node", "--test", str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
