"""Does docs/security.md tell the truth? Every line names tests, and every test that is named exists."""

import pytest

from tests.hits.test_failures import NAMED, ROOT, names_in

LINES = [line for line in (ROOT / "docs" / "security.md").read_text().splitlines() if "::test_" in line]
FROM = {"worker", "fake worker", "partner", "outsider", "researcher's browser", "stolen token", "marketplace spoof"}


def test_everybody_who_may_mean_harm_has_lines() -> None:
    assert {line.split("|")[1].strip() for line in LINES} >= FROM


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.split("|")[2].strip())
def test_every_test_that_a_line_names_exists(line: str) -> None:
    named = NAMED.findall(line)
    assert len(named) == line.count("`tests/")
    assert [f"{path}::{name}" for path, name in named if name not in names_in(path)] == []
