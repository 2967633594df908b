"""What a pilot has shown: times and pay by role, what to look at, what the rest will need; and the wage made of it."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core import signing
from django.test import Client

from chat.models import Dialog, DialogEvent, Report, Utterance
from collector.analysis import wages
from collector.desk import figures, flags, standing
from collector.lib import clock
from collector.quality.flags import FLAGS
from collector.studies.models import Outcome, Participation, Study, StudyVideo
from hits import cost, launching, ledger, settlement
from hits.invitations import LONGEST_READING
from hits.models import LedgerEntry, Recruitment, RecruitmentState
from tests import factories
from tests.hits import recruiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    made = recruiting.study()
    made.rounds = 2  # as the dialogs that are made here have
    made.save()
    return made


def worked(study: Study, minutes: int = 12, **fields: Any) -> Dialog:
    """Make a dialog whose two workers took so long from opening the invitation to the end, and settle it."""
    made = factories.finished_dialog(study=study, **fields)
    StudyVideo.objects.create(study=study, video=made.video, started=int(made.is_complete))
    now = clock.now()
    for seat in made.seats.all():
        Participation.objects.filter(pk=seat.participation_id).update(
            arrived_at=now - timedelta(minutes=minutes), confirmed_at=now - timedelta(minutes=minutes - 2),
            ended_at=now, rounds_done=made.rounds, waited_seconds=120,
            wrote_summary=made.is_complete and seat.role == "questioner",
        )  # fmt: skip
    settlement.settle_all()
    return made


# Times and pay


def test_times_and_hourly_pay_stand_by_role_from_the_opening_of_the_invitation(study: Study) -> None:
    Study.objects.update(waiting_pay=Decimal("0.15"))
    study.refresh_from_db()
    for minutes in (10, 12, 30):
        worked(study, minutes)
    questioner, answerer = wages.by_role(wages.spent(study))
    assert (questioner.name, questioner.workers, questioner.minutes) == ("Questioner", 3, 12)
    assert questioner.waited_minutes == 2
    assert questioner.wage == Decimal("16.75"), "2.40, 0.80 for the summary and 0.15 for waiting, in 12 minutes"
    assert questioner.low_wage == Decimal("6.70")
    assert (answerer.wage, answerer.is_low, questioner.is_low) == (Decimal("12.75"), True, False)


def test_programs_and_what_is_not_settled_count_for_nothing_and_who_met_nobody_has_a_row(study: Study) -> None:
    factories.finished_dialog(study=study, is_simulated=True)
    factories.participation(study, outcome=Outcome.NO_PARTNER)
    settlement.settle_all()
    factories.participation(study, outcome=Outcome.COMPLETE)
    (row,) = wages.by_role(wages.spent(study))
    assert (row.name, row.workers) == ("Met nobody", 1)


@pytest.mark.parametrize(("percent", "value"), [(1, 1), (10, 1), (11, 2), (50, 5), (51, 6), (100, 10)])
def test_percentiles_are_of_the_nearest_rank(percent: int, value: int) -> None:
    assert cost.percentile([Decimal(n) for n in (3, 1, 2, 10, 9, 4, 8, 5, 7, 6)], percent) == value
    assert cost.percentile([Decimal(7)], percent) == 7


def forecast(made: Recruitment) -> str:
    """Return the forecast, given all that is owed."""
    (stands,) = standing.of([made.study])
    return figures.forecast(made, stands, ledger.sum_of(LedgerEntry.objects.filter(study=made.study)))


def test_the_forecast_says_how_long_and_how_much_the_rest_takes(study: Study) -> None:
    made = recruiting.recruitment(study, dialogs_wanted=3, state=RecruitmentState.PILOT)
    assert forecast(made) == "", "nothing is known yet"
    made.started_at = clock.now() - timedelta(hours=2)
    worked(study)
    said = forecast(made)
    assert "Complete: 1 dialog of 3." in said
    assert "the other 2 take about 4 hours" in said
    made.dialogs_wanted = 1
    assert forecast(made) == ""


@pytest.mark.parametrize(
    ("minutes", "words"), [(1, "1 minute"), (119, "119 minutes"), (180, "3 hours"), (6000, "4 days")]
)
def test_spans_are_said_as_people_say_them(minutes: int, words: str) -> None:
    assert figures._in_words(timedelta(minutes=minutes)) == words


# What an hour is worth


def test_before_a_pilot_the_wage_is_the_study_s_own_estimate_and_after_it_the_measured_median(study: Study) -> None:
    made = recruiting.recruitment(study)
    before = launching.preview(made, None)
    assert not before.is_piloted
    assert before.wage == cost.hourly_wage(Decimal("2.80"), Decimal(study.minutes + 2))
    for minutes in (20, 24):
        worked(study, minutes)
    after = launching.preview(made, None)
    assert after.is_piloted
    assert after.wage == Decimal("8.40"), "2.40 and half a summary of 0.80 in 20 minutes"
    assert "below the target of $15" in after.advice
    assert not after.objections


def test_a_measured_wage_under_the_least_asks_for_a_written_reason(study: Study) -> None:
    made = recruiting.recruitment(study)
    for _ in range(2):
        worked(study, 40)
    assert any("write down why" in each for each in launching.preview(made, None).objections)
    made.wage_reason = "A class exercise, agreed by the ERB."
    assert launching.preview(made, None).objections == []


def test_reading_the_invitation_is_part_of_the_time(client: Client, study: Study) -> None:
    page = client.get(f"/join/{study.slug}/")
    opened = page.context["hidden"]["opened"]
    with clock.travel(timedelta(minutes=5)):
        client.post(f"/join/{study.slug}/", {"participant": "reader", "consent": "yes", "opened": opened})
    read = Participation.objects.get()
    assert timedelta(minutes=4, seconds=58) < read.confirmed_at - read.arrived_at < timedelta(minutes=5, seconds=30)


def test_a_page_that_was_not_ticked_keeps_its_time(client: Client, study: Study) -> None:
    opened = client.get(f"/join/{study.slug}/").context["hidden"]["opened"]
    with clock.travel(timedelta(minutes=5)):
        again = client.post(f"/join/{study.slug}/", {"participant": "reader", "opened": opened})
    assert again.context["hidden"]["opened"] == opened


@pytest.mark.parametrize("said", ["", "12", "signed", "overnight"])
def test_a_made_up_opening_counts_for_nothing_and_a_night_for_half_an_hour(
    client: Client, study: Study, said: str
) -> None:
    signer = signing.Signer(salt="collector.opened")
    long_ago = f"{(clock.now() - timedelta(hours=9)).timestamp():.0f}"
    given = {"signed": signer.sign("no time"), "overnight": signer.sign(long_ago)}.get(said, said)
    client.post(f"/join/{study.slug}/", {"participant": "reader", "consent": "yes", "opened": given})
    read = Participation.objects.get()
    expected = LONGEST_READING if said == "overnight" else timedelta(0)
    assert abs(read.confirmed_at - read.arrived_at - expected) < timedelta(seconds=1)


# What to look at


@pytest.fixture
def looked(study: Study) -> dict[str, flags.Flag]:
    """A pilot with one of each: a report, a dialog that broke off, a low wage, a paste."""
    sound = worked(study, 8)
    Utterance.objects.filter(dialog=sound).update(stored_at=sound.started_at + timedelta(minutes=5))
    broken = worked(study, 20, summary=None, rounds=[("Who is there then?", "A man.")])
    Dialog.objects.filter(pk=broken.pk).update(rounds=10)
    DialogEvent.objects.create(dialog=broken, version=9, kind="turn_over", at=clock.now())
    Report.objects.create(
        dialog=broken, seat=broken.seats.get(role="answerer"), about="partner", reason="off_task", at=clock.now()
    )
    Utterance.objects.filter(dialog=sound, position=1).update(evidence={"pastes": [30, 12]})
    Utterance.objects.filter(dialog=broken).update(stored_at=broken.started_at + timedelta(seconds=9))
    found = flags.flags(study, wages.spent(study))
    return {each.name: each for each in found}


def test_each_flag_is_counted_and_names_its_dialog(looked: dict[str, flags.Flag]) -> None:
    sound, broken = Dialog.objects.order_by("pk")
    said = {name: (flag.said, flag.rows) for name, flag in looked.items()}
    assert said == {
        "Reports of a partner or a video": ("1 report", [(broken.pk, "Partner: off task, not looked at yet")]),
        "Incomplete dialogs": ("1 of 2 dialogs", [(broken.pk, "turn over, after 1 of 10 rounds")]),
        "Workers under $15 an hour": ("2 of 4 workers", said["Workers under $15 an hour"][1]),
        "Pasted": ("1 of 2 dialogs", [(sound.pk, "1 text, at most 30 characters at once")]),
        "Short summary": ("1 of 2 dialogs", [(sound.pk, "9 words")]),
        **{flag.name: ("0 of 2 dialogs", []) for flag in FLAGS if flag.key not in ("pasted", "short_summary")},
    }
    low = said["Workers under $15 an hour"][1]
    assert {dialog for dialog, _ in low} == {broken.pk}
    assert all(words.endswith("an hour") for _, words in low)


def test_the_page_shows_them_with_links_and_changes_nothing(
    looked: dict[str, flags.Flag], admin_client: Client, study: Study
) -> None:
    made = recruiting.recruitment(study, state=RecruitmentState.PILOTED, started_at=clock.now() - timedelta(hours=1))
    entries = list(LedgerEntry.objects.values_list("pk", "state"))
    page = admin_client.get(f"/desk/recruiting/{made.pk}/").content.decode()
    for part in (
        "Times and pay by role",
        "Questioner",
        "Pasted",
        "turn over, after 1 of 10 rounds",
        "At the pace",
    ):
        assert part in page, part
    assert f"/desk/quality/{study.pk}/{Dialog.objects.latest('pk').pk}/" in page
    assert list(LedgerEntry.objects.values_list("pk", "state")) == entries
    assert Recruitment.objects.get().state == RecruitmentState.PILOTED


def test_however_many_dialogs_there_are_the_questions_are_as_few(
    study: Study, django_assert_max_num_queries: Any
) -> None:
    for _ in range(6):
        worked(study)
    with django_assert_max_num_queries(14):
        flags.flags(study, wages.spent(study))
