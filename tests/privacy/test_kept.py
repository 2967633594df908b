"""What is kept stands in one table: workers may read it before they agree, docs show it."""

from pathlib import Path

import pytest
from django.test import Client

from collector.studies import kept
from collector.studies.models import KeptVersion, Participation
from tests import factories

DOCS = Path(__file__).resolve().parents[2] / "docs" / "privacy.md"

pytestmark = pytest.mark.django_db


def test_the_table_of_docs_is_that_of_the_code() -> None:
    lines = [line for line in DOCS.read_text().splitlines() if line.startswith("| ")][1:]
    assert lines == [f"| {' | '.join(rule.in_english())} |" for rule in kept.rules()]


def test_a_worker_may_read_it_before_they_agree(client: Client) -> None:
    study = factories.study(researcher="Ada, ada@example.org")
    page = f"/join/{study.slug}/kept/"
    assert f'href="{page}"' in client.get(f"/join/{study.slug}/").content.decode()
    said = client.get(page).content.decode()
    for rule in kept.rules():
        assert (rule.in_english()[0] in said) == rule.is_of_workers, rule.key
    for text in ("30 days.", "180 days after", "10 years.", "Version 1", "ada@example.org"):
        assert text in said, text
    assert client.get("/join/nowhere/kept/").status_code == 404


def test_it_is_in_the_language_of_the_study(client: Client) -> None:
    study = factories.study(language="es")
    assert "Lo que se guarda de usted" in client.get(f"/join/{study.slug}/kept/").content.decode()


def test_who_agrees_keeps_the_version_that_was_shown(client: Client, settings: object) -> None:
    study = factories.study()
    for name, years in (("anna", 10), ("bert", 10), ("cleo", 7)):
        settings.LEDGER_YEARS = years  # type: ignore[attr-defined]
        client.post(f"/join/{study.slug}/", {"participant": name, "consent": "yes"})
    numbers = Participation.objects.order_by("pk").values_list("kept__number", flat=True)
    assert list(numbers) == [1, 1, 2]
    assert "7 years." in str(KeptVersion.objects.get(number=2).content)
