"""The page's pure modules, tested in the node that Playwright brings along: nothing to install, one version."""

import subprocess
from pathlib import Path

import playwright
import pytest

FOLDER = Path(__file__).resolve().parent
NODE = Path(playwright.__file__).parent / "driver" / "node"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.test.mjs")), ids=lambda path: path.name)
def test_the_module_passes_its_tests_in_node(path: Path) -> None:
    done = subprocess.run([NODE, "--test", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
