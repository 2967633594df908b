"""When work is offered: nothing is open outside the hours, nobody new waits, and people inside finish."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from chat import presence
from collector.lib import clock
from collector.studies.models import Participation
from hits import lifecycle
from hits.hours import BadHours, Hours, in_duration, read
from hits.models import HitState, Recruitment
from tests.hits import recruiting
from tests.hits.recruiting import VISITORS, launch, talk, visit
from tests.localmarket.market import AMBER, BASIL, FERN, LocalMarket

MONDAY = datetime(2026, 6, 1, tzinfo=UTC)
NINE_TO_FIVE = Hours((0, 1, 2, 3, 4), time(9), time(17))
NIGHT = Hours((4,), time(22), time(2))


def at(day: int, hour: float) -> datetime:
    return MONDAY + timedelta(days=day, hours=hour)


@pytest.mark.parametrize(
    ("hours", "moment", "closes", "opens"),
    [
        (NINE_TO_FIVE, at(0, 9), 8, None),
        (NINE_TO_FIVE, at(0, 16.5), 0.5, None),
        (NINE_TO_FIVE, at(0, 17), None, 16),
        (NINE_TO_FIVE, at(4, 17), None, 64),
        (NIGHT, at(5, 1), 1, None),
        (NIGHT, at(5, 2), None, 7 * 24 - 4),
        (NIGHT, at(4, 1), None, 21),
        (Hours((5, 6)), at(5, 0), 48, None),
        (Hours((5, 6)), at(0, 0), None, 120),
        (Hours((0,), time(9), time(10)), at(0, 10), None, 7 * 24 - 1),
    ],
)
def test_hours_open_and_close(hours: Hours, moment: datetime, closes: float | None, opens: float | None) -> None:
    assert hours.closes_in(moment) == (None if closes is None else timedelta(hours=closes))
    assert hours.opens_in(moment) == (None if opens is None else timedelta(hours=opens))


def test_nothing_written_down_is_always() -> None:
    hours = read("", None, None, "UTC")
    assert hours.is_always
    assert hours.opens_in(at(3, 5)) is None
    assert hours.in_words() == "Offered at all times."


def test_hours_are_those_of_the_zone_on_both_sides_of_a_clock_change() -> None:
    hours = read("Sun, Mon", time(9), time(17), "America/New_York")
    assert hours.in_words() == "On Mon, Sun, from 09:00 to 17:00 (America/New_York)."
    for day in (7, 8):  # the clock changes on Sunday, 8 March 2026
        morning = datetime(2026, 3, day, 9, tzinfo=ZoneInfo("America/New_York"))
        assert (hours.opens_in(morning) is None) is (day == 8)
    early = datetime(2026, 3, 8, 6, 30, tzinfo=UTC)  # 1:30, and the hour from 2 to 3 is left out
    assert hours.opens_in(early) == timedelta(hours=6, minutes=30)


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (("Mon, Funday", None, None, "UTC"), "'Fun' is no day"),
        (("", time(9), None, "UTC"), "give both"),
        (("", time(9), time(9), "UTC"), "are the same"),
        (("", None, None, "Mars/Base"), "'Mars/Base' is none"),
        (("", None, None, ""), "is none"),
        (("", None, None, "../etc"), "is none"),
    ],
)
def test_hours_that_cannot_be_meant_are_refused(written: tuple[str, time | None, time | None, str], sentence: str):
    with pytest.raises(BadHours, match=sentence):
        read(*written)
    days, start, end, zone = written
    with pytest.raises(ValidationError, match=sentence):
        Recruitment(offered_days=days, offered_from=start, offered_to=end, offered_zone=zone).clean()


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(0.2, "1 minute"), (89, "89 minutes"), (90, "2 hours"), (180, "3 hours"), (181, "4 hours"), (2880, "2 days")],
)
def test_a_wait_is_said_in_words_and_never_too_short(minutes: float, words: str) -> None:
    assert in_duration(timedelta(minutes=minutes)) == words


@pytest.mark.django_db
class TestOffering:
    """On the running marketplace."""

    @pytest.fixture(autouse=True)
    def _fresh(self) -> None:
        VISITORS.clear()
        presence.renew_lease()

    def close_for(self, recruitment: Recruitment, hours: float) -> None:
        """Let the hours begin again after so long."""
        begin = clock.now() + timedelta(hours=hours)
        recruitment.offered_from, recruitment.offered_to = begin.time(), (begin + timedelta(hours=1)).time()
        recruitment.save()

    def open_again(self, recruitment: Recruitment) -> None:
        recruitment.offered_from = recruitment.offered_to = None
        recruitment.save()

    def test_outside_the_hours_nothing_is_open_and_inside_it_is_topped_up(self, market: LocalMarket) -> None:
        recruitment, speaks = launch(market)
        self.close_for(recruitment, 3)
        lifecycle.look_after(recruitment, speaks)
        assert not market.robot(AMBER).get("hits")
        lifecycle.look_after(recruitment, speaks)
        assert not lifecycle.open_hits(recruitment).exists()
        assert lifecycle.top_up(recruitment, speaks) == 0
        self.open_again(recruitment)
        lifecycle.look_after(recruitment, speaks)
        assert lifecycle.open_hits(recruitment).count() == 2
        assert market.robot(AMBER).get("hits")

    def test_a_launch_outside_the_hours_waits_for_them(self, market: LocalMarket) -> None:
        begin = clock.now() + timedelta(hours=3)
        times = {"offered_from": begin.time(), "offered_to": (begin + timedelta(hours=1)).time()}
        recruitment, speaks = launch(market, **times)
        assert market.client().list_hits()["NumResults"] == 0
        with clock.travel(timedelta(hours=3, minutes=1)):
            lifecycle.look_after(recruitment, speaks)
        assert recruitment.hits.filter(state=HitState.OPEN).count() == 2

    def test_a_seat_expires_with_the_hours_though_nobody_expires_it(self, market: LocalMarket) -> None:
        end = clock.now() + timedelta(hours=2)
        times = {"offered_from": (end - timedelta(hours=3)).time(), "offered_to": end.time()}
        recruitment, speaks = launch(market, **times)
        lifecycle.look_after(recruitment, speaks)
        for hit in lifecycle.open_hits(recruitment):
            assert hit.expires_at is not None
            assert abs(hit.expires_at - end) < timedelta(seconds=30)

    def test_nobody_new_comes_in_outside_the_hours_and_is_told_in_how_long(self, market: LocalMarket) -> None:
        recruitment, _ = launch(market)
        hit = lifecycle.open_hits(recruitment)[0]
        assignment_id = market.robot(AMBER).accept(hit.external_id)
        self.close_for(recruitment, 3)
        entry = {"assignmentId": assignment_id, "hitId": hit.external_id, "workerId": AMBER}
        for answer in (
            Client().get("/task/lab/local/", entry),
            Client().post("/task/lab/local/", entry | {"consent": "yes"}),
        ):
            assert answer.status_code == 403
            assert "it opens in 3 hours" in answer.content.decode()
        assert not Participation.objects.exists()

    def test_people_inside_finish_outside_the_hours(self, market: LocalMarket) -> None:
        recruitment, speaks = launch(market)
        visitors = [visit(market, recruitment, who) for who in (AMBER, FERN)]
        self.close_for(recruitment, 3)
        lifecycle.look_after(recruitment, speaks)
        assert not market.robot(BASIL).get("hits")
        amber = visitors[0]
        entry = {"assignmentId": amber.assignment_id, "hitId": amber.hit_id, "workerId": AMBER}
        assert amber.client.get("/task/lab/local/", entry).status_code == 302
        talk(recruitment, *visitors)
        for visitor in visitors:
            visitor.submit()
        assert lifecycle.sync(recruitment, speaks) == 2

    def test_the_page_shows_the_hours_and_in_how_long_it_opens(self, market: LocalMarket, admin_client: Client) -> None:
        recruitment, _ = launch(market)
        page = f"/desk/recruiting/{recruitment.pk}/"
        assert "Offered at all times." in admin_client.get(page).content.decode()
        self.close_for(recruitment, 3)
        text = admin_client.get(page).content.decode()
        assert "It opens in 3 hours." in text
        assert "Every day, from" in text

    def test_the_admin_refuses_hours_that_cannot_be_meant(self, admin_client: Client) -> None:
        made = recruiting.recruitment(recruiting.study())
        form = {"study": made.study_id, "environment": "local", "title": "T", "description": "D", "keywords": "k",
                "dialogs_wanted": 5, "pilot_dialogs": 1, "open_at_once": 2, "budget": 9, "worker_day_ceiling": 9,
                "assignment_minutes": 60, "auto_approval_hours": 72, "offered_zone": "UTC"}  # fmt: skip
        path = f"/admin/hits/recruitment/{made.pk}/change/"
        refused = admin_client.post(path, form | {"offered_days": "Funday"})
        assert "is no day" in refused.content.decode()
        assert admin_client.post(path, form | {"offered_days": "Mon, Tue"}).status_code == 302
        made.refresh_from_db()
        assert made.hours.days == (0, 1)
