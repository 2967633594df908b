"""What workers write to the researcher: kept within limits, mailed without their id, answered once."""

import smtplib
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from collector.lib import clock, tokens
from collector.studies.models import Outcome, Participation, Worker
from hits import letters, tasks
from hits.mailing import CannotWrite
from hits.models import Letter, Message
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def part() -> Participation:
    return factories.participation(factories.study(name="Lab talk"), outcome=Outcome.COMPLETE)


def post(worker: Worker, text: str = "When am I paid?", **fields: Any):  # type: ignore[no-untyped-def]
    given = {"text": text, "key": str(uuid.uuid4())} | fields
    return Client().post(f"/mine/{tokens.mint_for_worker(worker.pk)}/", given, follow=True)


def answer(client: Client, to: Letter, **fields: str) -> str:
    given = {"letter": str(to.pk), "text": "Tomorrow, <b>surely</b>.", "confirmed": "yes"} | fields
    return client.post(f"/desk/workers/{to.worker_id}/answer/do/", given, follow=True).content.decode()


def test_a_message_is_kept_once_shown_to_both_and_never_run(admin_client: Client, part: Participation) -> None:
    key = str(uuid.uuid4())
    for _ in range(2):
        shown = post(part.worker, "Hello <script>x</script>", about=str(part.pk), key=key).content.decode()
        assert "Hello &lt;script&gt;x&lt;/script&gt;" in shown
    kept = Letter.objects.get()
    assert (kept.participation, kept.assignment, kept.answered_at) == (part, None, None)
    assert "Not answered yet." in shown
    for address in (f"/desk/workers/{part.worker_id}/", f"/desk/voices/{part.study_id}/", "/admin/hits/letter/"):
        seen = admin_client.get(address).content.decode()
        assert "Hello &lt;script&gt;x" in seen, address


def test_it_is_about_their_own_sessions_only(part: Participation) -> None:
    other = factories.participation(outcome=Outcome.COMPLETE)
    for about in (other.pk, 0, "x"):
        assert post(part.worker, about=str(about)).status_code == 200
    assert set(Letter.objects.values_list("participation", flat=True)) == {None}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"text": " \n "}, "The text is empty"),
        ({"text": "x" * 2001}, "has 2,001 characters, and may have 2,000"),
        ({"text": "a\x00b"}, "cannot be stored"),
        ({"key": "no key"}, "Load this page again"),
    ],
)
def test_what_cannot_be_kept_is_said_beside_the_text_which_stays(
    part: Participation, fields: dict[str, str], sentence: str
) -> None:
    response = post(part.worker, **fields)
    assert (response.status_code, sentence in response.content.decode()) == (400, True)
    assert not Letter.objects.exists()


def test_five_messages_a_day_and_no_more(part: Participation) -> None:
    for number in range(letters.A_DAY):
        assert post(part.worker, f"Message {number}.").status_code == 200
    refused = post(part.worker, "One more.")
    assert "5 messages within a day" in refused.content.decode()
    assert ">One more.</textarea>" in refused.content.decode()
    assert post(factories.worker()).status_code == 200, "that is about one worker only"
    with clock.travel(timedelta(days=1, minutes=1)):
        assert post(part.worker).status_code == 200


# Answers


def test_an_answer_stands_on_the_workers_page_and_is_given_once(admin_client: Client, part: Participation) -> None:
    post(part.worker, about=str(part.pk))
    letter = Letter.objects.get()
    for fields, sentence in (
        ({"text": " "}, "1 to 3,000"),
        ({"confirmed": ""}, "Confirm"),
        ({"letter": "0"}, "no such"),
    ):
        assert sentence in answer(admin_client, letter, **fields)
    other = factories.worker()
    wrong = admin_client.post(
        f"/desk/workers/{other.pk}/answer/do/", {"letter": letter.pk, "text": "x", "confirmed": "yes"}
    )
    assert wrong.status_code == 302
    letter.refresh_from_db()
    assert letter.answered_at is None, "another worker's page answers nothing"
    assert "stands on the worker&#x27;s page" in answer(admin_client, letter)
    assert "answered already" in answer(admin_client, letter, text="Or next week.")
    shown = Client().get(f"/mine/{tokens.mint_for_worker(part.worker_id)}/").content.decode()
    assert "Tomorrow, &lt;b&gt;surely&lt;/b&gt;." in shown
    assert "admin" not in shown, "who answered is nobody's business"
    assert not Message.objects.exists(), "a link carries none"
    assert "Nobody waits for an answer" in admin_client.get(f"/desk/voices/{part.study_id}/").content.decode()


def test_where_a_marketplace_is_there_the_answer_goes_by_it_too(admin_user: User) -> None:
    worker = factories.worker(marketplace="mturk", environment="local")
    letter = letters.write(worker, None, "When?", uuid.uuid4())
    letters.answer(worker, letter.pk, "Tomorrow.", admin_user, confirmed=True)
    sent = Message.objects.get()
    assert (sent.worker, sent.subject, sent.text, sent.who) == (worker, "About your message", "Tomorrow.", admin_user)
    with pytest.raises(CannotWrite):
        letters.answer(worker, letter.pk, "Or not.", admin_user, confirmed=True)
    assert Message.objects.count() == 1


# Mail


@pytest.fixture
def mailed(settings: Any) -> None:
    settings.EMAIL_HOST, settings.LETTERS_TO = "smtp.example.org", ["ada@example.org"]


@pytest.mark.usefixtures("mailed")
def test_new_letters_are_mailed_once_in_one_mail_without_the_workers_id(part: Participation) -> None:
    letters.write(part.worker, part, "Subject: x\nBcc: all@example.org\nWhen am I paid?", uuid.uuid4())
    letters.write(part.worker, None, "And how?", uuid.uuid4())
    assert (tasks.mail_letters(), tasks.mail_letters()) == (2, 0)
    (sent,) = mail.outbox
    assert (sent.subject, sent.recipients()) == ("Collector: 2 letters from workers", ["ada@example.org"])
    assert f"Worker {part.worker_id}, Lab talk, message:\n> Subject: x\n> Bcc: all@example.org\n" in sent.body
    assert f"/desk/workers/{part.worker_id}/#letters" in sent.body
    assert part.worker.external_id not in sent.body


@pytest.mark.usefixtures("mailed")
@pytest.mark.parametrize("trouble", [OSError("refused"), smtplib.SMTPAuthenticationError(535, b"no")])
def test_a_mail_that_fails_is_tried_again(
    part: Participation, monkeypatch: pytest.MonkeyPatch, trouble: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    letters.write(part.worker, None, "When am I paid?", uuid.uuid4())

    def fail(*args: object, **options: object) -> None:
        raise trouble

    with monkeypatch.context() as patched:
        patched.setattr("django.core.mail.EmailMessage.send", fail)
        assert tasks.mail_letters() == 0
    assert "could not be mailed" in caplog.text
    assert "When am I paid" not in caplog.text
    assert tasks.mail_letters() == 1


def test_without_a_server_nothing_is_mailed_and_the_page_says_so(
    admin_client: Client, part: Participation, settings: Any
) -> None:
    settings.EMAIL_HOST = ""
    letters.write(part.worker, part, "When am I paid?", uuid.uuid4())
    assert (tasks.mail_letters(), mail.outbox) == (0, [])
    page = f"/desk/voices/{part.study_id}/"
    assert "name LETTERS_TO and EMAIL_HOST" in admin_client.get(page).content.decode()


# Late


@pytest.mark.parametrize(
    ("now", "since"),
    [
        ("2026-01-08T12:00", "2026-01-05T12:00"),  # Thursday: Wednesday, Tuesday, Monday
        ("2026-01-07T12:00", "2026-01-02T12:00"),  # Wednesday: Tuesday, Monday, Friday
        ("2026-01-10T15:00", "2026-01-07T00:00"),  # Saturday stands still at its beginning
        ("2026-01-11T15:00", "2026-01-07T00:00"),  # Sunday, too
    ],
)
def test_a_weekend_is_no_working_day(now: str, since: str) -> None:
    asked = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert letters.working_days_before(asked) == datetime.fromisoformat(since).replace(tzinfo=UTC)


def test_what_is_not_answered_within_three_working_days_is_shown_as_late(
    admin_client: Client, admin_user: User, part: Participation
) -> None:
    for text in ("An old one.", "An answered one.", "A new one."):
        letters.write(part.worker, part, text, uuid.uuid4())
    old = clock.now() - timedelta(days=8)
    Letter.objects.exclude(text="A new one.").update(at=old)
    letters.answer(part.worker, Letter.objects.get(text="An answered one.").pk, "Yes.", admin_user, confirmed=True)

    def listed(choice: str) -> set[str]:
        page = admin_client.get("/admin/hits/letter/", {"answer": choice})
        return {each.text for each in page.context["cl"].result_list}

    assert listed("late") == {"An old one."}
    assert listed("no") == {"An old one.", "A new one."}
    assert listed("yes") == {"An answered one."}
    assert listed("") == listed("no") | listed("yes")
    assert (
        "2 letters not answered, 1 of them for more than 3 working days"
        in admin_client.get("/admin/hits/letter/").content.decode()
    )
    assert (
        "1 of them waits for more than 3 working days"
        in admin_client.get(f"/desk/voices/{part.study_id}/").content.decode()
    )
    alarm = "1 letter from workers waited for more than 3 working days for an answer."
    assert alarm in admin_client.get("/admin/").content.decode()
