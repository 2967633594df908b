"""A second factor: asked for after the password, set up with an app's codes, throttled, taken away by an owner."""

import re
from io import StringIO
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from collector.accounts import two_factor
from collector.accounts.models import LogLine
from collector.accounts.roles import Deed, Role
from tests.accounts.test_roles import PAGES, account, address, admin_pages, client_of
from tests.accounts.test_roles import world as world  # a fixture

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse 9"
CODE, OWN = "/desk/two-factor/code/", "/desk/two-factor/"


def code_of(user: User, ahead: int = 0) -> str:
    """Return what the user's app shows now; or so many codes later, since each is taken once."""
    device = TOTPDevice.objects.get(user=user)
    return f"{totp(device.bin_key, t0=-30 * ahead):06}"


def signed_up(role: Role = Role.RESEARCHER, name: str = "") -> User:
    """Make an account with a password and, as the page does it, an app."""
    user = account(role, name)
    user.set_password(PASSWORD)
    user.save()
    TOTPDevice.objects.create(user=user, name="app")
    return user


def with_password(user: User, wanted: str = "/admin/") -> Client:
    client = Client()
    posted = {"username": user.username, "password": PASSWORD}
    assert client.post(f"/admin/login/?next={wanted}", posted).status_code == 302
    return client


def text(response: Any) -> str:
    return str(response.content.decode())


def test_without_the_option_and_without_an_app_the_password_is_enough() -> None:
    user = account(Role.VIEWER)
    user.set_password(PASSWORD)
    user.save()
    assert with_password(user).get("/admin/").status_code == 200


def test_the_code_is_asked_for_after_the_password_and_leads_where_one_wanted_to_go() -> None:
    client = with_password(user := signed_up(), "/desk/log/")
    asked = client.get("/desk/log/", follow=True)
    assert asked.redirect_chain[-1][0].startswith(CODE)
    assert "six digits" in text(asked)
    before = client.session.session_key
    shown = client.post(asked.redirect_chain[-1][0], {"code": code_of(user), "next": "/desk/log/"})
    assert (shown.status_code, shown["Location"]) == (302, "/desk/log/")
    assert client.session.session_key != before, "who knew the session's key knows nothing now"
    assert client.get("/desk/log/").status_code == 200
    assert client.get("/admin/").status_code == 200


def test_no_page_opens_while_a_code_is_owed(world: dict[str, Any], settings: Any) -> None:
    client = client_of(Role.OWNER)
    TOTPDevice.objects.create(user=User.objects.get(username="a-owner"), name="app")
    for each in [*(address(name, world) for name in PAGES), *admin_pages()]:
        for answer in (client.get(each), client.post(each)):
            assert answer.status_code in (302, 405), each
            assert answer.status_code == 405 or answer["Location"].startswith("/admin/login/"), each


@pytest.mark.parametrize(
    "elsewhere", ["https://example.org/", "//example.org/", "/\\example.org", "javascript:alert(1)"]
)
def test_the_page_of_the_code_leads_to_pages_of_ours_only(elsewhere: str) -> None:
    client = with_password(user := signed_up())
    assert client.post(CODE, {"code": code_of(user), "next": elsewhere})["Location"] == "/admin/"


def test_a_code_is_taken_once_and_wrong_ones_are_logged() -> None:
    user = signed_up()
    used = code_of(user)
    assert with_password(user).post(CODE, {"code": used}).status_code == 302
    other = with_password(user)
    assert "was used already" in text(other.post(CODE, {"code": used}))
    line = LogLine.objects.get(deed=Deed.SIGN_IN_FAILED)
    assert (line.what, line.said) == ("account a-researcher", "a wrong code")
    assert other.get("/desk/log/").status_code == 302


@pytest.mark.parametrize("code", ["000000", "", "abcdefgh", "１２３", "-1", "9" * 30])
def test_a_code_that_is_none_opens_nothing(code: str) -> None:
    client = with_password(signed_up())
    assert 'role="alert"' in text(client.post(CODE, {"code": code}))
    assert client.get("/desk/log/").status_code == 302


def test_who_guesses_waits_longer_each_time_and_the_right_code_waits_too(settings: Any) -> None:
    settings.OTP_TOTP_THROTTLE_FACTOR = 10_000  # seconds: longer than any test
    client = with_password(user := signed_up())
    client.post(CODE, {"code": "123456"})
    assert "Too many wrong codes came. Try again in" in text(client.post(CODE, {"code": code_of(user)}))
    assert client.get("/desk/log/").status_code == 302


def test_an_app_is_set_up_with_its_first_code_and_recovery_codes_are_shown_once() -> None:
    client = client_of(Role.VIEWER)
    user = User.objects.get(username="a-viewer")
    begun = text(client.post(OWN, {"what": "begin"}))
    assert "data:image/svg+xml" in begun
    key = "".join(re.findall(r'two-factor-key">([A-Z2-7 ]+)<', begun)[0].split())
    assert len(key) == 32
    assert client.get("/admin/").status_code == 200, "a key that no code has been seen of opens and shuts nothing"
    assert 'role="alert"' in text(client.post(OWN, {"what": "confirm", "code": "12345"}))
    TOTPDevice.objects.update(throttling_failure_timestamp=None, throttling_failure_count=0)
    done = text(client.post(OWN, {"what": "confirm", "code": code_of(user)}))
    codes = re.findall(r"<li><code>([a-z2-7]{8})</code>", done)
    assert len(set(codes)) == two_factor.RECOVERY_CODES
    assert not any(code in text(client.get(OWN)) for code in codes)
    assert client.get("/admin/").status_code == 200, "it was shown just now"
    assert LogLine.objects.get(deed=Deed.TWO_FACTOR).said == "set up"
    again = Client()
    again.force_login(user)
    assert again.get("/admin/").status_code == 302, "another browser that was signed in is asked"
    assert again.post(CODE, {"code": codes[0].upper()}).status_code == 302, "a recovery code opens once"
    assert again.get("/admin/").status_code == 200
    third = Client()
    third.force_login(user)
    assert 'role="alert"' in text(third.post(CODE, {"code": codes[0]}))
    assert f"{two_factor.RECOVERY_CODES - 1} recovery codes are left" in text(client.get(OWN))


def test_codes_are_renewed_and_the_factor_is_turned_off_for_a_code_only() -> None:
    client = with_password(user := signed_up())
    client.post(CODE, {"code": code_of(user)})
    for what in ("off", "codes"):
        assert 'role="alert"' in text(client.post(OWN, {"what": what, "code": ""}))
    TOTPDevice.objects.update(throttling_failure_timestamp=None, throttling_failure_count=0)
    assert "two-factor-codes" in text(client.post(OWN, {"what": "codes", "code": code_of(user, ahead=1)}))
    code = re.findall(r"[a-z2-7]{8}", " ".join(user.staticdevice_set.get().token_set.values_list("token", flat=True)))[
        0
    ]
    assert "password alone opens" in text(client.post(OWN, {"what": "off", "code": code}))
    assert not TOTPDevice.objects.exists()
    assert not StaticDevice.objects.exists()
    assert 'role="alert"' in text(client.post(OWN, {"what": "something"}))


def test_where_it_is_required_everybody_sets_one_up_and_nobody_turns_it_off(settings: Any) -> None:
    settings.REQUIRE_TWO_FACTOR = True
    client = client_of(Role.VIEWER)
    user = User.objects.get(username="a-viewer")
    asked = client.get("/admin/", follow=True)
    assert asked.redirect_chain[-1][0] == OWN
    assert "asks everybody" in text(asked)
    client.post(OWN, {"what": "begin"})
    assert "two-factor-codes" in text(client.post(OWN, {"what": "confirm", "code": code_of(user)}))
    assert client.get("/admin/").status_code == 200
    assert 'value="off"' not in text(client.get(OWN))
    refused = client.post(OWN, {"what": "off", "code": code_of(user, ahead=1)})
    assert "cannot be turned off" in text(refused)
    assert TOTPDevice.objects.exists()


def test_whoever_owes_the_code_signs_out() -> None:
    client = with_password(signed_up())
    assert client.post(CODE, {"what": "leave"})["Location"] == "/admin/login/"
    assert "_auth_user_id" not in client.session


def test_a_key_is_begun_by_nobody_but_its_account_and_never_over_one_in_use() -> None:
    user = signed_up()
    client = with_password(user)
    assert client.post(OWN, {"what": "begin"})["Location"].startswith(CODE), "the password alone makes no new key"
    assert TOTPDevice.objects.count() == 1
    assert Client().post(OWN, {"what": "begin"})["Location"].startswith("/admin/login/")
    outside = Client()
    outside.force_login(User.objects.create_user("nobody"))
    assert outside.get(OWN).status_code == 302


def test_an_owner_takes_a_factor_away_and_it_is_logged() -> None:
    client, user = client_of(Role.OWNER), signed_up()
    page = f"/admin/auth/user/{user.pk}/change/"
    assert "Second factor" in text(client.get(page))
    posted = {"username": user.username, "role": "researcher", "is_active": "on", "reset_two_factor": "on"}
    assert client.post(page, posted).status_code == 302
    assert LogLine.objects.get(deed=Deed.RESET_TWO_FACTOR).what == "account a-researcher"
    assert with_password(user).get("/admin/").status_code == 200
    TOTPDevice.objects.create(user=user, name="app")
    said = StringIO()
    call_command("reset_two_factor", user.username, stdout=said)
    assert "the password alone lets them in" in said.getvalue()
    with pytest.raises(CommandError, match="no account 'a-researcher' with a second factor"):
        call_command("reset_two_factor", user.username)


def test_no_page_of_the_admin_shows_keys_and_codes() -> None:
    assert not {TOTPDevice, StaticDevice} & set(admin.site._registry)


def test_an_app_is_told_which_installation_it_is_for(settings: Any) -> None:
    settings.OTP_TOTP_ISSUER = "Collector collect.example.org"
    device = TOTPDevice.objects.get(user=signed_up())
    assert device.config_url.startswith("otpauth://totp/Collector%20collect.example.org%3Aa-researcher?secret=")
