"""What is an hour of a study worth to whom, before anything is measured and after it?"""

from datetime import timedelta
from decimal import Decimal

import pytest

from collector.lib import clock
from collector.studies.models import Kind, Outcome, Participation, Study
from hits import cost, hourly, launching
from tests import factories
from tests.hits import recruiting

pytestmark = pytest.mark.django_db


def unsaved(**fields: object) -> Study:
    """Return a study as a form has it: nothing of it is stored."""
    money = {"reward": Decimal(4), "summary_bonus": Decimal(1), "waiting_pay": Decimal("0.10"), "minutes": 18}
    return Study(**money | {"longest_wait_minutes": 6, "ending_pay": Decimal("0.50")} | fields)


def wages(study: Study) -> dict[str, Decimal]:
    return {hour.role: hour.wage for hour in hourly.hours(study, hourly.measured(study))}


def test_each_role_has_its_hour_by_the_expected_minutes_and_the_wait() -> None:
    assert wages(unsaved()) == {"Questioner": Decimal("15.30"), "Answerer": Decimal("12.30")}, "a minute's wait is paid"
    assert wages(unsaved(kind=Kind.SUMMARY)) == {"Watcher": Decimal("16.67")}, "nobody waits"
    assert wages(unsaved(kind=Kind.RELEVANCE)) == {"Watcher": Decimal("13.33")}, "nobody writes a summary"


def test_who_waits_in_vain_has_an_hour_too() -> None:
    in_vain = hourly.in_vain(unsaved())
    assert in_vain is not None
    assert (in_vain.pay, in_vain.minutes, in_vain.wage) == (Decimal("1.00"), 6, Decimal("10.00"))
    assert hourly.in_vain(unsaved(kind=Kind.SUMMARY)) is None


def test_what_was_measured_counts_instead_of_what_was_expected() -> None:
    study = recruiting.study()
    now = clock.now()
    for minutes in (10, 20, 30, 40):
        part = factories.participation(study, outcome=Outcome.COMPLETE)
        Participation.objects.filter(pk=part.pk).update(arrived_at=now - timedelta(minutes=minutes), ended_at=now)
    factories.participation(study, outcome=Outcome.COMPLETE, is_simulated=True)
    assert wages(study) == {"Questioner": Decimal("9.60"), "Answerer": Decimal("7.20")}, "2.40 and 0.80 in 20 minutes"


def test_the_launch_goes_by_the_mean_of_the_roles() -> None:
    made = recruiting.recruitment(recruiting.study())
    of_roles = wages(made.study)
    assert launching.preview(made, None).wage == sum(of_roles.values()) / 2 == Decimal("16.80")


def test_low_hours_are_advised_against() -> None:
    questioner, answerer = hourly.hours(unsaved(), hourly.measured(unsaved()))
    assert questioner.advice == ""
    assert "below the target" in answerer.advice


def test_what_others_call_fair_is_in_order_and_has_our_own_bounds() -> None:
    named = [mark.wage for mark in hourly.MARKS]
    assert named == sorted(named)
    assert {cost.LEAST_WAGE, cost.TARGET_WAGE} <= set(named)
