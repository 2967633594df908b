"""What the product is made of: each library under a licence that we have read, and none with a hole unsaid."""

import json

import pytest

from tests import audit, licences


def test_every_library_has_a_licence_that_is_allowed() -> None:
    assert list(licences.refused()) == []
    assert {"django", "segno", "asgiref"} <= licences.libraries().keys(), "what libraries bring along counts, too"


@pytest.mark.parametrize(
    ("licence", "is_allowed"),
    [
        ("MIT", True), ("BSD-3-Clause AND ISC", True), ("Apache-2.0 OR GPL-3.0-only", True), ("MIT AND GPL-3.0", False),
        ("GPL-3.0-or-later", False), ("", False), ("Mozilla Public License 2.0 (MPL 2.0)", False),
    ],
)  # fmt: skip
def test_a_licence_that_nobody_has_read_is_refused(licence: str, is_allowed: bool) -> None:
    assert licences.is_allowed("new-one", licence) == is_allowed


HOLE = {"id": "PYSEC-2026-1", "fix_versions": ["2.0"]}


@pytest.mark.parametrize(
    ("libraries", "code", "sentence"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], 0, "No hole is known in the 1 libraries"),
        ([{"name": "a", "version": "1", "vulns": [HOLE]}], 1, "a 1: PYSEC-2026-1, mended in 2.0."),
        ([{"name": "a", "skip_reason": "not found"}], 2, "About 1 of 1 libraries it could not be asked"),
    ],
)
def test_an_audit_says_what_is_known(libraries: list[dict[str, object]], code: int, sentence: str) -> None:
    found, said = audit.verdict(json.dumps({"dependencies": libraries}), "")
    assert (found, sentence in said) == (code, True), said


def test_an_audit_that_could_not_ask_is_no_clean_one() -> None:
    code, said = audit.verdict("", "ConnectionError: no route to host")
    assert code == 2
    assert "could not be asked: ConnectionError: no route to host" in said
