"""Who comes without a right, with another's, or with one that was made up, finds the same closed door."""

import logging
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.signing import Signer
from django.test import Client
from django.urls import reverse

from chat.models import Seat
from collector.accounts.models import LogLine
from collector.accounts.roles import Role
from collector.desk import views
from collector.lib import tokens
from collector.studies.admission import token_of
from collector.studies.models import Participation, State, Study, Worker
from tests import factories
from tests.accounts.test_roles import ID, PAGES, POSTS, _alone, account, address, client_of, world

pytestmark = pytest.mark.django_db
__all__ = ["_alone", "world"]  # fixtures
PASSWORD = "correct horse 9"


def owner() -> str:
    user = account(Role.OWNER)
    user.set_password(PASSWORD)
    user.save()
    return str(user.username)


# A worker's token


def test_no_change_to_a_token_opens_anything(world: dict[str, Any]) -> None:
    token = token_of(factories.participation(world["study"]))
    assert Client().get(f"/w/{token}/").status_code == 200
    other = "".join("A" if each != "A" else "B" for each in token)
    for place in range(len(token)):
        changed = token[:place] + other[place] + token[place + 1 :]
        assert Client().get(f"/w/{changed}/").status_code == 404, changed


def test_a_token_opens_its_own_participation_and_no_number_beside_it(world: dict[str, Any]) -> None:
    mine = factories.participation(world["study"])
    said, _, signature = token_of(mine).partition(".")
    number, generation = said.split("-")
    for forged in (f"{int(number) - 1}-{generation}", f"{number}-{int(generation) + 1}", f"0{number}-{generation}"):
        assert Client().get(f"/w/{forged}.{signature}/").status_code == 404


@pytest.mark.parametrize("salt", ["collector.worker", "collector.simulated", "django.core.signing.Signer", ""])
def test_no_other_signature_of_ours_is_a_token(world: dict[str, Any], salt: str) -> None:
    part = factories.participation(world["study"])
    forged = Signer(salt=salt or None, sep=".").sign(f"{part.pk}-{part.generation}")
    assert Client().get(f"/w/{forged}/").status_code == 404
    other_key = Signer(key="another installation's key, of forty characters", salt="collector.participation", sep=".")
    assert Client().get(f"/w/{other_key.sign(f'{part.pk}-{part.generation}')}/").status_code == 404


def test_a_token_shows_nothing_of_another_study_or_seat(world: dict[str, Any]) -> None:
    """Replayed at the pages of other kinds, a token leads to its own page, and media of other seats stay shut."""
    token = token_of(factories.participation(world["study"]))
    for page in ("watch/", "watch/example", "judge/"):
        answer = Client().get(f"/w/{token}/{page}")
        assert answer.status_code in (302, 403, 404), page
    seat = Seat.objects.filter(dialog=world["dialog"], role="answerer").get()
    for media in (f"{seat.number}/video", f"{seat.number}/frame/1", "watch/video", "learn/video", "learn/frame/1"):
        assert Client().get(f"/w/{token}/{media}").status_code in (403, 404), media
    for post in ("watch/post/", "judge/post/", "watch/begin/", "judge/begin/"):
        answer = Client().post(f"/w/{token}/{post}", '{"type": "leave"}', content_type="application/json")
        assert answer.status_code in (302, 404) or b'"refused"' in answer.content, post
    assert not Participation.objects.filter(pk=tokens.read(token).participation, ended_at__isnull=False).exists()


def test_a_token_expires_with_its_task_and_when_a_newer_link_is_made(world: dict[str, Any]) -> None:
    ended = Seat.objects.filter(dialog=world["dialog"]).first()
    assert ended
    here = f"/w/{token_of(ended.participation)}/"
    assert Client().get(here)["Location"] == f"{here}finish/", "what is over shows its end and nothing else"
    part = factories.participation(world["study"])
    old = token_of(part)
    Participation.objects.filter(pk=part.pk).update(generation=part.generation + 1)
    assert Client().get(f"/w/{old}/").status_code == 404


# Studies and files


def test_what_is_not_open_says_nothing_of_itself(world: dict[str, Any]) -> None:
    Study.objects.filter(slug="kitchen").update(state=State.DRAFT, name="Secret plan", title="Secret title")
    page = Client().get("/join/kitchen/").content.decode()
    assert "Secret" not in page
    assert "participant" not in page
    assert Client().get("/join/nothing/").status_code == 404
    assert Client().get("/task/kitchen/local/").status_code == 403


def test_a_stranger_lists_and_loads_nothing_by_its_number(world: dict[str, Any]) -> None:
    for each in [f"/catalogue/video/{world['dialog'].video_id}", *(address(name, world) for name in PAGES)]:
        answer = Client().get(each)
        assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/admin/login/"), each


@pytest.mark.parametrize(
    "name", ["../../secret_key", "..%2f..%2fsecret_key", "/etc/passwd", "....//secret_key", "job.json"]
)
def test_no_name_leads_out_of_a_folder_of_files(
    name: str, world: dict[str, Any], settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path
    (tmp_path / "secret_key").write_text("the secret")
    client = client_of(Role.OWNER)
    for where in (f"/desk/statistics/{world['study'].pk}/0/", f"/desk/quality/{world['study'].pk}/file/",
                  f"/desk/summaries/{world['alone'].pk}/", "/desk/exports/", "/static/"):  # fmt: skip
        answer = client.get(where + name)
        body = b"".join(answer) if answer.streaming else answer.content  # type: ignore[arg-type]
        assert answer.status_code in (301, 404), where
        assert b"the secret" not in body


# The desk


def test_no_button_works_from_another_site(world: dict[str, Any]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(account(Role.OWNER))
    for rule in POSTS:
        name, _, action = rule.partition(" ")
        answer = client.post(address(name, world, action), {"what": action}, headers={"Origin": "https://example.org"})
        assert answer.status_code == 403, rule
    for page in (
        "/admin/login/",
        "/admin/logout/",
        "/admin/auth/user/add/",
        "/desk/two-factor/",
        "/desk/two-factor/code/",
    ):
        assert client.post(page, {"what": "begin"}).status_code == 403, page
    assert not LogLine.objects.exists()


@pytest.mark.parametrize(
    "elsewhere", ["https://example.org/", "//example.org", "/\\example.org", "javascript:alert(1)"]
)
def test_no_address_leads_to_another_site(elsewhere: str, world: dict[str, Any]) -> None:
    client, posted = Client(), {"username": owner(), "password": PASSWORD, "next": elsewhere}
    assert client.post("/admin/login/", posted)["Location"] in ("/accounts/profile/", "/admin/")
    leave = reverse("leave-data", args=["dialog", world["dialog"].pk])
    answer = client.post(leave, {"what": "take-out", "reason": "because of a test", "back": elsewhere})
    assert answer["Location"] == "/"
    token = token_of(factories.participation(world["study"]))
    for query in (f"next={elsewhere}", f"turkSubmitTo={elsewhere}", f"finish={elsewhere}"):
        assert "example.org" not in Client().get(f"/w/{token}/?{query}").content.decode()


def test_who_guesses_passwords_is_shut_out_and_so_is_the_right_one(settings: Any) -> None:
    name = owner()
    for _ in range(settings.AXES_FAILURE_LIMIT):
        Client().post("/admin/login/", {"username": name, "password": "guess"})
    refused = Client().post("/admin/login/", {"username": name, "password": PASSWORD})
    assert refused.status_code == 429
    assert PASSWORD not in refused.content.decode()
    elsewhere = Client(REMOTE_ADDR="198.51.100.7").post(
        "/admin/login/?next=/admin/", {"username": name, "password": PASSWORD}
    )
    assert elsewhere.status_code == 302, "who sits elsewhere is not shut out by a stranger's guesses"


def test_a_session_that_somebody_else_chose_is_not_the_one_signed_in() -> None:
    client = Client()
    client.session.save()
    planted = "a" * 32
    client.cookies[django_settings.SESSION_COOKIE_NAME] = planted
    client.post("/admin/login/?next=/admin/", {"username": owner(), "password": PASSWORD})
    assert client.cookies[django_settings.SESSION_COOKIE_NAME].value != planted
    assert client.get("/admin/").status_code == 200
    other = Client()
    other.cookies[django_settings.SESSION_COOKIE_NAME] = planted
    assert other.get("/admin/").status_code == 302


SQL = [
    "' OR '1'='1",
    "1; DROP TABLE chat_dialog; --",
    "%27%20OR%201=1--",
    "\\'); SELECT pg_sleep(1); --",
    "1 UNION SELECT 1",
]


@pytest.mark.parametrize("text", SQL)
def test_what_is_typed_is_never_part_of_a_query(text: str, world: dict[str, Any]) -> None:
    client = client_of(Role.OWNER)
    for path in ("studies/worker", "studies/study", "chat/dialog", "hits/letter", "auth/user"):
        assert client.get(f"/admin/{path}/", {"q": text}).status_code == 200
        assert "0 " in client.get(f"/admin/{path}/", {"q": text}).content.decode()
    for page in ("/desk/find/", "/desk/log/"):
        assert client.get(page, {"key": text, "who": text, "study": text, "before": text}).status_code == 200
    assert "nobody" not in client.post("/desk/workers/", {"worker_id": text}).get("Location", "")
    assert Client().get("/join/kitchen/", {"participant": text}).status_code == 403
    entry = {"assignmentId": text, "hitId": text, "workerId": text}
    assert Client().get("/task/kitchen/local/", entry).status_code == 403
    assert Worker.objects.get(external_id=ID)


# What failed


def test_a_failure_tells_a_browser_and_a_log_no_secret(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, world: dict[str, Any]
) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError(f"the database at postgres://user:hunter2@host, key {django_settings.SECRET_KEY}")

    monkeypatch.setattr(views.kinds, "of", fails)
    client = client_of(Role.OWNER)
    client.raise_request_exception = False
    answer = client.get("/desk/try/kitchen/")
    assert answer.status_code == 500
    page = answer.content.decode()
    assert "Something failed on our side" in page
    assert not [each for each in ("hunter2", django_settings.SECRET_KEY, "RuntimeError", "Traceback") if each in page]
    assert [record for record in caplog.records if record.levelno == logging.ERROR], "it stands in the log"


def test_a_body_that_is_too_large_is_refused_before_it_is_kept(world: dict[str, Any]) -> None:
    token = token_of(factories.participation(world["study"]))
    for here in (
        f"/w/{token}/frames",
        f"/w/{token}/learn/device/",
        "/join/kitchen/",
        f"/events/{django_settings.EVENTS_SECRET}/",
    ):
        answer = Client().post(here, b"x" * 3_000_000, content_type="application/json")
        assert answer.status_code in (200, 302, 400, 403, 413), here
        assert answer.status_code != 200 or b"too_big" in answer.content or b"tick the box" in answer.content, here
