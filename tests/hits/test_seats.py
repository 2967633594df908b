"""Seats on offer are raised and lowered on the monitor, against the running local marketplace."""

from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.test import Client

from collector.accounts.models import LogLine
from hits import launching, seats, tasks
from hits.models import Recruitment, RecruitmentState
from tests.hits import recruiting
from tests.hits.recruiting import launch, visit
from tests.localmarket.market import AMBER, FERN, LocalMarket

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]


def press(client: Client, recruitment: Recruitment, **posted: Any) -> str:
    answer = client.post(f"/desk/recruiting/{recruitment.pk}/seats/", posted, follow=True)
    return " ".join(unescape(answer.content.decode()).split())


def on_offer(market: LocalMarket, who: str) -> int:
    return sum(group["hits"] for group in market.robot(who).get("hits"))


def test_raising_publishes_more_hits_and_lowering_takes_back_what_nobody_accepted(
    admin_client: Client, market: LocalMarket
) -> None:
    recruitment, speaks = launch(market, open_at_once=2)
    assert on_offer(market, FERN) == 2
    monitor = admin_client.get(f"/desk/monitor/{recruitment.study_id}/").content.decode()
    assert f'action="/desk/recruiting/{recruitment.pk}/seats/"' in monitor

    said = press(admin_client, recruitment, seats=6)
    one = launching.cost_of_seats(recruitment, 2)
    assert f"may cost ${3 * one:.2f} instead of ${one:.2f}" in said
    assert "4 more HITs are published within a minute; there are 2." in said
    assert "In all it costs what it did: 5 dialogs are wanted" in said
    recruitment.refresh_from_db()
    assert recruitment.open_at_once == 2, "nothing is done before it was confirmed"
    assert "6 seats are offered at a time" in press(admin_client, recruitment, seats=6, was=2)
    tasks.look_after_all()
    assert on_offer(market, FERN) == 6

    inside = visit(market, recruitment, AMBER)
    tasks.look_after_all()
    assert "4 HITs that nobody has accepted are taken back" in press(admin_client, recruitment, seats=2)
    press(admin_client, recruitment, seats=2, was=6)
    tasks.look_after_all()
    assert on_offer(market, FERN) == 2
    progress = admin_client.get(f"/desk/recruiting/{recruitment.pk}/").content.decode()
    assert "<dt>Seats on offer</dt><dd>2</dd>" in progress, "what somebody holds is on offer to nobody"
    inside.participation.refresh_from_db()
    assert inside.participation.ended_at is None, "who is inside may finish"
    assert speaks.look(inside.hit_id).pending == 1, "and still holds the HIT"
    lines = LogLine.objects.order_by("pk").values_list("deed", "said", "study")
    study = recruitment.study_id
    assert list(lines) == [("seats", "2 before, now 6", study), ("seats", "6 before, now 2", study)]


@pytest.fixture
def running() -> Recruitment:
    made = recruiting.recruitment(recruiting.study(), open_at_once=4, balance=Decimal(1000))
    Recruitment.objects.update(state=RecruitmentState.RUNNING)
    return made


@pytest.mark.parametrize(("typed", "said"), [
    ("", "a whole number from 2 to 200, not ''"), ("1", "from 2 to 200"), ("201", "from 2 to 200"),
    ("4", "4 seats are offered at a time already."), ("²", "from 2 to 200"),
])  # fmt: skip
def test_what_is_no_other_number_is_refused_in_words(
    admin_client: Client, running: Recruitment, typed: str, said: str
) -> None:
    assert said in press(admin_client, running, seats=typed, was=4)
    running.refresh_from_db()
    assert running.open_at_once == 4


def test_what_the_account_cannot_cover_is_not_raised(admin_client: Client, running: Recruitment) -> None:
    Recruitment.objects.update(balance=Decimal(1))
    said = press(admin_client, running, seats=8, was=4)
    assert "The account holds $1.00, and so many seats may cost" in said
    assert "Yes, offer 8" not in said
    running.refresh_from_db()
    assert running.open_at_once == 4
    assert "2 seats are offered" in press(admin_client, running, seats=2, was=4), "lowering costs nothing"


def test_who_confirms_another_number_than_there_is_is_shown_it_anew(admin_client: Client, running: Recruitment) -> None:
    assert "8 seats at a time instead of 4?" in press(admin_client, running, seats=8, was=6)
    with pytest.raises(seats.CannotChange, match="Somebody else has changed it"):
        seats.change(running, was=6, to=8)


def test_a_pilot_that_wants_no_more_says_why_nothing_is_published(admin_client: Client, running: Recruitment) -> None:
    Recruitment.objects.update(state=RecruitmentState.PILOT, pilot_dialogs=2)
    said = press(admin_client, running, seats=8)
    assert "Workers still wanted in the pilot, those inside not counted: 4." in said
    Recruitment.objects.update(state=RecruitmentState.RUNNING)
    assert "Workers still wanted" not in press(admin_client, running, seats=8), "5 dialogs take 10"


def test_a_draft_has_no_seats(admin_client: Client, running: Recruitment) -> None:
    Recruitment.objects.update(state=RecruitmentState.DRAFT)
    assert "Recruiting has not begun" in press(admin_client, running, seats=8)
    assert "/seats/" not in admin_client.get(f"/desk/monitor/{running.study_id}/").content.decode()
    page = admin_client.get(f"/desk/recruiting/{running.pk}/").content.decode()
    assert "Launch the pilot of 5 dialogs" in page, "a pilot is no larger than the whole"
