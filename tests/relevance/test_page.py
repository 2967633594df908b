"""The researcher's page of a relevance study, and items and judgings in the admin."""

from decimal import Decimal

import pytest
from django.test import Client

from collector.relevance.models import Item, Judging
from tests import factories
from tests.relevance.scene import OPTION_TEXTS, judge, study

pytestmark = pytest.mark.django_db


def test_the_page_says_how_far_it_is_what_it_costs_and_how_people_agree(admin_client: Client) -> None:
    made = study(items=2, people=2, reward=Decimal("2.50"))
    for correct in ({7, 1}, {7, 1}, {1}, {1}):
        judge(made).judge(correct)
    page = " ".join(admin_client.get(f"/desk/relevance/{made.pk}/").content.decode().split())
    assert '4 <span class="muted">of 4</span>' in page
    assert "400 judgements" in page
    # Four rewards, 10 % lost of four people rounded to none, 20 % fees.
    assert "<dd>$12.00</dd>" in page
    assert "found correct by 50 % on average" in page
    assert "<td>2 of 2</td>" in page
    page = admin_client.get(f"/desk/monitor/{made.pk}/").content.decode()
    assert f"/desk/relevance/{made.pk}/" in page


def test_a_study_without_items_says_how_to_make_some(admin_client: Client) -> None:
    made = study(items=0)
    assert f"--study {made.slug} --of SLUG" in admin_client.get(f"/desk/relevance/{made.pk}/").content.decode()
    assert admin_client.get(f"/desk/relevance/{factories.study().pk}/").status_code == 404


def test_the_page_is_for_researchers() -> None:
    assert Client().get(f"/desk/relevance/{study().pk}/").status_code == 302


def test_the_admin_shows_items_and_judgings_and_changes_none(admin_client: Client) -> None:
    made = study(items=1, people=2)
    judge(made).judge({7, 9})
    item, judging = Item.objects.get(), Judging.objects.get()
    page = admin_client.get(f"/admin/relevance/item/{item.pk}/change/").content.decode()
    assert f"<li>{OPTION_TEXTS[7]}<strong> (given)</strong></li>" in page
    assert item.dialog.video.image_id in admin_client.get("/admin/relevance/item/").content.decode()
    assert '<td class="field-correct">2</td>' in admin_client.get("/admin/relevance/judging/").content.decode()
    for path in (f"item/{item.pk}/delete", f"judging/{judging.pk}/delete", "item/add"):
        assert admin_client.get(f"/admin/relevance/{path}/").status_code == 403
