"""Is a long list read page by page, each row once, without counting it?"""

import pytest
from django.test import Client
from django.urls import reverse

from collector.lib import paging
from collector.studies.models import Worker
from tests import factories

pytestmark = pytest.mark.django_db


def workers(number: int) -> list[int]:
    return [factories.worker().pk for _ in range(number)]


def test_pages_hold_each_row_once_in_order_and_say_whether_another_follows() -> None:
    made = workers(5)
    pages = [paging.read(Worker.objects.order_by("-pk"), number, 2) for number in (1, 2, 3, 4)]
    assert [[row.pk for row in page.rows] for page in pages] == [made[:2:-1], made[2:0:-1], made[:1], []]
    assert [page.has_next for page in pages] == [True, True, False, False]
    assert [str(page.known) for page in pages] == ["2+", "4+", "5", "6"]


@pytest.mark.parametrize(("most", "said"), [(2, "2+"), (3, "3"), (4, "3")])
def test_rows_are_counted_up_to_a_number(most: int, said: str) -> None:
    workers(3)
    assert str(paging.at_most(Worker.objects.all(), most)) == said


@pytest.mark.parametrize(
    ("text", "number"), [("7", 7), ("", 1), ("0", 0), ("-3", 1), ("x", 1), ("²", 1), ("9999999", 1)]
)
def test_the_number_of_a_page_is_read_from_an_address(text: str, number: int) -> None:
    assert paging.number_in(text) == number
    assert paging.read(Worker.objects.all(), number, 10).number == max(1, number)


def test_a_list_of_the_admin_says_that_there_are_more_and_leads_there(admin_client: Client) -> None:
    workers(101)
    address = reverse("admin:studies_worker_changelist")
    first = admin_client.get(address).content.decode()
    assert "100+ workers" in first
    assert '<a href="?p=2"' in first
    last = admin_client.get(f"{address}?p=2").content.decode()
    assert "101 workers" in last
    assert "?p=3" not in last


@pytest.mark.parametrize("page", ["3", "0", "-1", "100001"])
def test_a_page_that_is_not_there_leads_back_to_the_list(admin_client: Client, page: str) -> None:
    workers(1)
    answer = admin_client.get(reverse("admin:studies_worker_changelist"), {"p": page})
    assert (answer.status_code, answer["Location"]) == (302, "/admin/studies/worker/?e=1")


def test_what_a_filter_finds_none_of_is_said(admin_client: Client) -> None:
    workers(1)
    page = admin_client.get(reverse("admin:studies_worker_changelist"), {"marketplace": "mturk"}).content.decode()
    assert "0 workers" in page
    assert "Mechanical Turk" in page
