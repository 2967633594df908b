"""What every answer, of every address there is, tells a browser to hold back; and what cookies are allowed to do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from chat.models import Seat
from collector.accounts.roles import Role
from collector.analysis import reports, tasks
from collector.lib import tokens
from collector.studies.admission import token_of
from tests.accounts.test_roles import OPEN, PAGES, POSTS, account, address, admin_pages, client_of
from tests.accounts.test_roles import _alone as _alone  # fixtures
from tests.accounts.test_roles import world as world

pytestmark = pytest.mark.django_db

WORKERS = {
    "join", "task", "payment", "compensation", "mine", "finish", "again", "room", "frames", "frame", "video",
    "watching", "begin-watching", "leave-watching", "watching-post", "watching-video", "watching-example", "learning",
    "learning-clip", "learning-video", "learning-frame", "practise-again", "stop-learning", "learning-post", "judging",
    "begin-judging", "judging-post", "kept",
}  # fmt: skip
"""May stand in a marketplace's frame."""
MEDIA = {"frame", "video", "watching-video", "learning-clip", "learning-video", "learning-frame"}
STAFF = {rule.partition(" ")[0] for rule in [*PAGES, *POSTS]} | OPEN
MACHINES = {"event", None}
"""For a marketplace's events, and the icon, which leads to a static file."""
REPORTS = {"statistics-file", "monitor-chart"}
"""Stand alone: a sandbox without an origin, which loads nothing, in which charts' own scripts and styles run."""


def patterns(resolver: URLResolver | None = None) -> Iterator[URLPattern]:
    """Yield every address of the product but the admin's, which lists its own."""
    for each in (resolver or get_resolver()).url_patterns:
        if isinstance(each, URLPattern):
            yield each
        elif each.app_name != "admin":
            yield from patterns(each)


@pytest.fixture
def answers(world: dict[str, Any], settings: Any, tmp_path: Path) -> dict[str, HttpResponseBase]:
    """What each address answers to an owner, by its name, or its path in the admin."""
    settings.MEDIA_ROOT = tmp_path
    client = client_of(Role.OWNER)
    token = token_of(Seat.objects.filter(dialog=world["dialog"]).first().participation)  # type: ignore[union-attr]
    filled = {"token": token, "slug": "kitchen", "environment": "local", "number": 1, "slot": 1, "step": "device",
              "secret": "x", "key": "00000000-0000-0000-0000-000000000000"}  # fmt: skip
    found = {path: client.get(path) for path in [*admin_pages(), "/admin/login/", "/admin/nowhere/", "/nowhere/"]}
    for pattern in patterns():
        name = str(pattern.name or "icon")
        if name in STAFF:
            here = address(name, world, "x") if name not in OPEN else reverse(name)
            if name == "statistics-file":
                here = a_report(world["study"].pk)
        elif name == "icon":
            here = "/favicon.ico"
        else:
            given = filled | ({"token": tokens.mint_for_worker(world["worker"].pk)} if name == "mine" else {})
            here = reverse(name, kwargs={each: given[each] for each in pattern.pattern.converters})
        found[name] = client.get(here)
    return found


def is_of_a_worker(name: str, answer: HttpResponseBase) -> bool:
    """Tell whether an answer may stand in a marketplace's frame; media that are not there are as nothing anywhere."""
    return name in WORKERS and not (name in MEDIA and answer.status_code == 404)


def a_report(study: int) -> str:
    """Write what stands for a study's report; return its address."""
    folder = tasks.folder_of(study, 0)
    folder.mkdir(parents=True)
    (folder / reports.PAGE).write_text("<title>Figures</title>")
    return reverse("statistics-file", kwargs={"pk": study, "beside": 0, "name": reports.PAGE})


def policy(response: HttpResponseBase) -> dict[str, list[str]]:
    """Return a response's content policy, by directive."""
    parts = [part.split() for part in response["Content-Security-Policy"].split(";")]
    return {part[0]: part[1:] for part in parts if part}


def test_every_address_is_of_a_kind() -> None:
    assert {pattern.name for pattern in patterns()} <= WORKERS | STAFF | MACHINES


def test_every_answer_is_guarded_as_is_fit_for_its_kind(answers: dict[str, HttpResponseBase], settings: Any) -> None:
    forbid_what_is_not_needed(answers)
    stand_in_the_frames_of_their_kind(answers, settings.FRAME_ANCESTORS)
    for name in answers.keys() & (WORKERS | {"event", "icon"}):
        assert not answers[name].cookies, name
    for name in WORKERS & answers.keys():
        if answers[name].status_code == 200:
            assert "private" in answers[name]["Cache-Control"] or "no-store" in answers[name]["Cache-Control"], name


def forbid_what_is_not_needed(answers: dict[str, HttpResponseBase]) -> None:
    for name, answer in answers.items():
        referrer = "no-referrer" if is_of_a_worker(name, answer) else "same-origin"
        assert answer["X-Content-Type-Options"] == "nosniff", name
        assert answer["Referrer-Policy"] == referrer, name
        assert "camera=()" in answer["Permissions-Policy"], name
        assert "X-Request-ID" in answer, name
        said = policy(answer)
        if name in REPORTS:
            assert said["default-src"] == ["'none'"], name
            assert "allow-same-origin" not in said["sandbox"], name
            continue
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:"} & {
            each for directive in ("default-src", "script-src", "style-src", "connect-src") for each in said[directive]
        }, name
        assert (said["object-src"], said["base-uri"]) == (["'none'"], ["'none'"]), name
        assert "'self'" in said["form-action"], name


def stand_in_the_frames_of_their_kind(answers: dict[str, HttpResponseBase], workers: list[str]) -> None:
    for name, answer in answers.items():
        ancestors = policy(answer).get("frame-ancestors")
        if is_of_a_worker(name, answer):
            assert ancestors == workers, name
            assert "X-Frame-Options" not in answer, name
        elif name == "monitor-chart":
            assert (ancestors, answer["X-Frame-Options"]) == (["'self'"], "SAMEORIGIN")
        else:
            assert answer["X-Frame-Options"] == "DENY", name
            assert ancestors == ["'none'"], name


def test_over_https_cookies_are_secure_and_a_browser_stays_with_it(settings: Any) -> None:
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True  # as settings.py has it with such a PUBLIC_URL
    settings.SECURE_HSTS_SECONDS = 30 * 24 * 3600
    client, user = Client(), account(Role.OWNER)
    user.set_password("correct horse 9")
    user.save()
    posted = {"username": user.username, "password": "correct horse 9"}
    answer = client.post("/admin/login/?next=/admin/", posted, secure=True)
    assert answer["Location"] == "/admin/"
    assert answer["Strict-Transport-Security"] == "max-age=2592000"
    shown = Client().get("/admin/login/", secure=True)
    csrf = shown.cookies["csrftoken"]
    assert (csrf["secure"], csrf["samesite"]) == (True, "Lax")
    session = client.cookies["sessionid"]
    assert (session["secure"], session["httponly"], session["samesite"]) == (True, True, "Lax")
