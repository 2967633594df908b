"""What needs a person: each alarm when it is due and not before, and the mails that tell of it."""

import smtplib
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core import mail

from chat import presence
from chat.models import Seat, Sweep
from chat.rules import Code
from collector.lib import clock, meters
from collector.operations import alarms, health, pulses, tallies, watch
from collector.operations.models import Minute, Raised
from collector.operations.tasks import look_for_alarms
from collector.studies.models import Fault, Outcome, Participation, State, Study, StudyVideo
from hits import ceilings
from hits.models import EntryKind, EntryState, LedgerEntry, Letter, Recruitment, RecruitmentState, Settlement
from tests import factories
from tests.chat import scene
from tests.hits import recruiting

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _well(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let worker and beat have been heard of, and nothing be counted before."""
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(tallies, "_added", tallies._counted())
    with clock.stopped():
        presence.renew_lease()
        heard_of()
        yield


def heard_of() -> None:
    """Let worker and beat have just given a sign of life."""
    pulses.give(pulses.WORKER)
    pulses.give(pulses.BEAT)


def names() -> list[str]:
    return [each.name for each in alarms.everything()]


def only(name: str) -> alarms.Alarm:
    (found,) = [each for each in alarms.everything() if each.name == name]
    return found


def ago(**span: float) -> Any:
    return clock.now() - timedelta(**span)


def owed(study: Study, amount: str, state: EntryState) -> LedgerEntry:
    part = factories.participation(
        study, factories.worker(environment="local"), ended_at=clock.now(), outcome="complete"
    )
    Settlement.objects.create(participation=part, at=clock.now())
    return LedgerEntry.objects.create(
        worker=part.worker, study=study, participation=part, kind=EntryKind.REWARD, key=f"reward-{part.pk}", why="it",
        amount=Decimal(amount), at=clock.now(), changed_at=clock.now(), first_sent_at=clock.now(), state=state,
    )  # fmt: skip


def running(study: Study, **fields: Any) -> Recruitment:
    looked = {"state": RecruitmentState.RUNNING, "looked_at": clock.now(), "balance": Decimal(500)}
    return recruiting.recruitment(study, **looked | fields)


def test_a_quiet_installation_has_none() -> None:
    study = scene.study()
    running(study)
    owed(study, "1.00", EntryState.PAID)
    scene.Pair(study)
    assert alarms.everything() == []


# The installation


@pytest.mark.parametrize("name", [pulses.WORKER, pulses.BEAT])
def test_a_silent_process_is_told_with_its_last_sign_of_life(name: str) -> None:
    with clock.travel(timedelta(seconds=110)):
        assert names() == []
    with clock.travel(timedelta(minutes=4)):
        pulses.give(pulses.BEAT if name == pulses.WORKER else pulses.WORKER)
        (found,) = alarms.everything()
        assert (found.name, found.since) == (name, ago(minutes=4))
        assert "the last sign of life came 4 minutes ago" in found.sentence


def test_a_late_sweep_is_told_from_its_limit_on(settings: Any) -> None:
    Sweep.objects.update_or_create(pk=1, defaults={"swept_at": ago(seconds=61)})
    assert only("sweep").since == ago(seconds=61)
    settings.ALARM_LIMITS = settings.ALARM_LIMITS | {"sweep_seconds": 90}
    assert names() == []


def test_a_low_disk_is_told_before_the_installation_is_not_ready(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "free_bytes", lambda: 2 << 30)
    assert only("disk").sentence == "Only 2.0 GiB are free where data is kept."
    assert health._disk().is_good
    settings.ALARM_LIMITS = settings.ALARM_LIMITS | {"disk_gib": 1.5}
    assert names() == []


def count(pages: int = 0, errors: int = 0, texts: int = 0, busy: int = 0) -> None:
    """Let this process have answered so much, and say so."""
    meters.requests.labels("2xx").inc(pages - errors)
    meters.requests.labels("5xx").inc(errors)
    meters.stored.inc(texts)
    meters.refused.labels(Code.BUSY).inc(busy)
    tallies.add()


def test_pages_that_fail_are_summed_over_processes_and_minutes() -> None:
    count(pages=100, errors=2)
    with clock.travel(timedelta(minutes=2)):
        count(pages=90, errors=2)
        heard_of()
        assert names() == [], "too few"
        count(pages=1, errors=1)
        assert only("errors").sentence == "In the last 5 minutes 5 of 191 pages ended in an error of ours (3 %)."
    with clock.travel(timedelta(minutes=10)):
        heard_of()
        assert names() == [], "it was long ago"


def test_a_few_errors_among_many_pages_are_none(settings: Any) -> None:
    count(pages=1000, errors=10)
    assert names() == []
    settings.ALARM_LIMITS = settings.ALARM_LIMITS | {"errors_percent": 1}
    assert names() == ["errors"]


def test_texts_that_were_put_off_are_told() -> None:
    count(texts=100, busy=19)
    assert names() == []
    count(busy=6)
    said = "In the last 5 minutes 25 texts were put off because we were busy, and 100 were stored (20 % put off)."
    assert only("busy").sentence == said


def test_what_could_not_be_added_is_added_later(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as away:
        away.setattr(Minute.objects, "get_or_create", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            count(pages=7)
    tallies.add()
    assert tallies.lately(5).pages == 7


# Studies


def wait(study: Study, minutes: float) -> Seat:
    seat = scene.newcomer(study)
    Seat.objects.filter(pk=seat.pk).update(entered_at=ago(minutes=minutes))
    return seat


def test_two_who_may_meet_and_are_not_paired_are_told() -> None:
    study = scene.study()
    wait(study, 2)
    wait(study, 4)
    assert names() == [], "one of them came lately"
    second = wait(study, 5)
    found = only("unpaired")
    assert found.sentence.startswith("2 people have waited for more than 3 minutes and are not paired, though")
    assert (found.since, found.address) == (ago(minutes=4), f"/desk/monitor/{study.pk}/#waiting")
    presence.drop(second.pk, second.connection)
    assert names() == [], "one of them is away"


def test_two_who_may_not_meet_are_told_with_the_reason() -> None:
    study = scene.study(videos=1)
    wait(study, 4)
    wait(study, 4)
    StudyVideo.objects.update(wanted=0)
    assert only("apart").sentence.endswith("are not paired: No video is left that neither has seen.")


def test_payments_that_failed_or_are_not_known_are_told_also_of_a_closed_study() -> None:
    study = scene.study(state=State.CLOSED)
    first = owed(study, "1.00", EntryState.FAILED)
    LedgerEntry.objects.filter(pk=first.pk).update(changed_at=ago(hours=3))
    owed(study, "1.00", EntryState.UNKNOWN)
    found = only("payments")
    assert (found.sentence, found.since) == ("Payments need you: 1 failed, 1 not known.", ago(hours=3))
    assert found.address == f"/admin/hits/ledgerentry/?study__id__exact={study.pk}"
    made = running(study, state=RecruitmentState.DONE)
    assert only("payments").address == f"/desk/recruiting/{made.pk}/payments/"


def test_pay_that_was_not_worked_out_is_told() -> None:
    study = scene.study()
    ended = {"outcome": Outcome.LEFT, "fault": Fault.WORKER}
    factories.participation(study, ended_at=ago(minutes=4), **ended)
    assert names() == []
    factories.participation(study, ended_at=ago(minutes=6), **ended)
    assert only("unsettled").sentence == "What 1 worker is owed was not worked out."
    Participation.objects.update(is_simulated=True)
    assert names() == []


def test_a_recruitment_that_is_not_looked_after_is_told_unless_nothing_is_done_at_all() -> None:
    running(scene.study(), looked_at=ago(minutes=3))
    assert only("unattended").sentence == "Recruiting (local): for 3 minutes it was not looked after."
    Recruitment.objects.update(trouble="It does not answer.")
    assert only("hindered").sentence == "Recruiting (local): It does not answer."
    Recruitment.objects.update(trouble="")
    with clock.travel(timedelta(minutes=3)):
        assert names() == ["worker", "beat"]


def test_a_recruitment_that_stands_says_why() -> None:
    running(scene.study(), state=RecruitmentState.PAUSED, why="No money.")
    assert only("standing").sentence == "Recruiting (local): paused. No money."


def test_a_low_balance_counts_what_is_owed_and_what_is_on_offer() -> None:
    study = scene.study(reward=Decimal(1))
    made = running(study, balance=Decimal("3.60"))
    for amount, state in (("0.50", "planned"), ("0.50", "unknown"), ("9.00", "paid"), ("7.00", "undone")):
        owed(study, amount, EntryState(state))
    LedgerEntry.objects.filter(state=EntryState.UNKNOWN).update(state=EntryState.SENDING)
    assert names() == [], "2 seats of 1 dollar, and 1 dollar owed, with a fifth on top"
    Recruitment.objects.update(balance=Decimal("3.59"))
    said = "the balance is low: $3.59, and what is owed and the seats on offer may still cost $3.60."
    assert only("balance").sentence == f"Recruiting (local): {said}"
    Recruitment.objects.update(state=RecruitmentState.PAUSED)
    assert names() == [], "nothing is on offer"
    Recruitment.objects.update(balance=Decimal("1.19"))
    assert names() == ["balance"], "what is owed is still to be paid"
    made.budget = Decimal("11.52")  # of which 9.50 is used, 0.10 left
    assert ceilings.may_still_cost(made, Decimal("2.40")) == Decimal("0.72")


def test_a_letter_that_waits_is_told() -> None:
    part = factories.participation(scene.study())
    Letter.objects.create(worker=part.worker, participation=part, text="When am I paid?", at=ago(days=8))
    found = only("letters")
    assert found.sentence == "1 letter from workers waited for more than 3 working days for an answer."
    assert found.since == ago(days=8)


def test_a_letter_about_no_session_is_told_as_well() -> None:
    """A worker with several sessions need not choose one; then it belongs to no study."""
    Letter.objects.create(worker=factories.worker(), text="When am I paid?", at=ago(days=8))
    found = only("letters")
    assert (found.key, found.study, found.since) == ("letters", None, ago(days=8))


def test_each_alarm_stands_in_the_docs() -> None:
    told = (Path(__file__).resolve().parents[2] / "docs" / "operating.md").read_text()
    assert [name for name in alarms.TO_DO if f"| `{name}` |" not in told] == []


# Mail


@pytest.fixture
def mailed(settings: Any) -> None:
    settings.EMAIL_HOST, settings.ALARM_MAIL_TO = "smtp.example.org", ["ada@example.org", "bo@example.org"]
    settings.PUBLIC_URL = "https://collect.example.org"


def minutes_later(minutes: float) -> list[mail.EmailMessage]:
    """Let the watch look once, so much later; return what it mailed."""
    before = len(mail.outbox)
    with clock.travel(timedelta(minutes=minutes)):
        heard_of()
        Sweep.objects.update(swept_at=clock.now())
        look_for_alarms()
    return mail.outbox[before:]


@pytest.mark.usefixtures("mailed")
def test_an_alarm_is_mailed_once_again_after_a_day_and_when_it_is_over() -> None:
    study = scene.study(name="Kitchen talk", state=State.CLOSED)
    entry = owed(study, "1.00", EntryState.FAILED)
    (sent,) = minutes_later(1)
    assert (sent.subject, sent.to) == ("Collector: 1 alarm", ["ada@example.org", "bo@example.org"])
    assert sent.body.startswith("Kitchen talk: Payments need you: 1 failed, 0 not known.\nSince ")
    assert f"https://collect.example.org/admin/hits/ledgerentry/?study__id__exact={study.pk}" in sent.body
    assert entry.worker.external_id not in sent.body
    assert [minutes_later(later) for later in (2, 30, 23 * 60)] == [[], [], []]
    (again,) = minutes_later(24 * 60 + 2)
    assert again.subject == "Collector: 1 alarm"
    LedgerEntry.objects.update(state=EntryState.PAID)
    assert minutes_later(24 * 60 + 5) == [], "it may come back"
    (over,) = minutes_later(24 * 60 + 20)
    assert over.subject == "Collector: 1 over"
    assert over.body.startswith("Over: Payments need you: 1 failed, 0 not known. It began at ")
    assert minutes_later(24 * 60 + 40) == []
    assert not Raised.objects.exists()


@pytest.mark.usefixtures("mailed")
def test_trouble_that_comes_and_goes_is_one_alarm() -> None:
    owed(scene.study(), "1.00", EntryState.FAILED)
    assert len(minutes_later(1)) == 1
    for minute in range(2, 60, 8):
        LedgerEntry.objects.update(state=EntryState.PAID)
        assert minutes_later(minute) == []
        LedgerEntry.objects.update(state=EntryState.FAILED)
        assert minutes_later(minute + 4) == []


@pytest.mark.usefixtures("mailed")
def test_trouble_that_spreads_is_told_together() -> None:
    owed(scene.study(), "1.00", EntryState.FAILED)
    assert len(minutes_later(1)) == 1
    for _ in range(30):
        owed(scene.study(), "1.00", EntryState.FAILED)
    assert [minutes_later(later) for later in (2, 5, 10)] == [[], [], []]
    (sent,) = minutes_later(12)
    assert sent.subject == "Collector: 30 alarms"


@pytest.mark.usefixtures("mailed")
def test_two_worker_processes_mail_once() -> None:
    owed(scene.study(), "1.00", EntryState.FAILED)
    look_for_alarms()
    look_for_alarms()
    assert len(mail.outbox) == 1
    assert not watch._take_turn()


@pytest.mark.usefixtures("mailed")
@pytest.mark.parametrize("trouble", [OSError("refused"), smtplib.SMTPAuthenticationError(535, b"no")])
def test_a_mail_that_failed_is_tried_again(
    trouble: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    owed(scene.study(), "1.00", EntryState.FAILED)

    def fail(*args: object, **options: object) -> None:
        raise trouble

    with monkeypatch.context() as patched:
        patched.setattr("django.core.mail.EmailMessage.send", fail)
        assert minutes_later(1) == []
    assert "could not be mailed" in caplog.text
    assert len(minutes_later(2)) == 1


def test_without_a_server_it_is_noted_since_when_and_nothing_is_mailed(settings: Any) -> None:
    settings.EMAIL_HOST = ""
    study = scene.study(videos=1, reward=Decimal(1))
    running(study, balance=Decimal("0.01"))
    assert only("balance").since is None
    look_for_alarms()
    began = clock.now()
    with clock.travel(timedelta(minutes=1)):
        assert only("balance").since == began
    Recruitment.objects.update(balance=Decimal(500), looked_at=ago(minutes=-60))
    assert minutes_later(30) == []
    assert not Raised.objects.exists()
