"""What does a page say that does not exist, or that failed?"""

from pathlib import Path

import pytest
from django.test import Client, RequestFactory
from django.views.defaults import server_error

from tests.gallery import pictures

pytestmark = pytest.mark.django_db


def test_an_address_that_leads_nowhere_has_a_page_with_a_way_for_researchers_only(
    client: Client, admin_client: Client
) -> None:
    for path in ("/there/is/nothing/", "/desk/monitor/999999/"):
        known = admin_client.get(path)
        assert known.status_code == 404
        assert "There is no such page" in known.content.decode()
        assert 'href="/admin/"' in known.content.decode()
    stranger = client.get("/there/is/nothing/")
    assert stranger.status_code == 404
    assert "/admin/" not in stranger.content.decode()


def test_a_failure_of_ours_is_said_without_a_database_and_blames_nobody() -> None:
    page = server_error(RequestFactory().get("/"))
    assert page.status_code == 500
    assert "That is not your doing" in page.content.decode()


def test_the_pictures_of_the_docs_are_small_and_each_is_shown_somewhere() -> None:
    docs = Path(pictures.DOCS)
    there = {path.stem for path in docs.glob("*.webp")}
    assert there == set(pictures.SHOWN)
    assert all(path.stat().st_size <= pictures.MOST_BYTES for path in docs.iterdir())
    texts = "".join(path.read_text() for path in [*docs.parent.glob("*.md"), docs.parent.parent / "README.md"])
    assert [name for name in there if f"pictures/{name}.webp" not in texts] == []
