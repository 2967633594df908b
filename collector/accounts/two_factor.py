"""Has somebody who gave their password also shown their second factor? An app's codes, or a recovery code each once.

Whoever has set one up is asked for it at each sign-in. ``REQUIRE_TWO_FACTOR`` asks everybody, who sets one up then.
Until it is shown, a session opens nothing but the pages that ask for it: ``roles.allowed`` and the admin's site ask
:func:`is_owed`.
"""

from base64 import b32encode

import segno
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django_otp import login
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from collector.lib.text import many

RECOVERY_CODES = 10
"""How many are given; each opens once."""
_DIGITS = 6


class WrongCode(Exception):
    """The code opens nothing; the message says what to do."""


def device_of(user: User) -> TOTPDevice | None:
    """Return the app that somebody has set up."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).first()


def is_owed(user: User | AnonymousUser) -> bool:
    """Tell whether the session of a request's user has yet to show its second factor."""
    if not isinstance(user, User) or user.is_verified():  # type: ignore[attr-defined]  # django_otp's middleware adds it
        return False
    return settings.REQUIRE_TWO_FACTOR or device_of(user) is not None


def begin(user: User) -> None:
    """Make a new key for an app; it opens nothing until a code of it has been seen."""
    TOTPDevice.objects.filter(user=user, confirmed=False).delete()
    TOTPDevice.objects.create(user=user, name="app", confirmed=False)


def pending(user: User) -> TOTPDevice | None:
    """Return the app whose first code is waited for."""
    return TOTPDevice.objects.filter(user=user, confirmed=False).first()


def picture(device: TOTPDevice) -> str:
    """Return the app's key as a QR code: the address of a picture that holds itself."""
    return str(segno.make(device.config_url, error="m").svg_data_uri(scale=5, border=4, dark="#000", light="#fff"))


def in_letters(device: TOTPDevice) -> str:
    """Return the app's key as people type it, in groups of four."""
    letters = b32encode(device.bin_key).decode()
    return " ".join(letters[at : at + 4] for at in range(0, len(letters), 4))


def confirm(request: HttpRequest, user: User, code: str) -> list[str]:
    """Take over the app whose first code this is; return the recovery codes. Raises WrongCode."""
    device = pending(user)
    if device is None:
        raise WrongCode("There is no key to which this code belongs. Begin again.")
    _verify(device, _plain(code))
    device.confirmed = True
    device.save()
    let_in(request, device)
    return make_recovery_codes(user)


def show(user: User, code: str) -> TOTPDevice | StaticDevice:
    """Return what accepted the code: the app, or the recovery codes, of which this one is used up. Raises WrongCode."""
    code = _plain(code)
    kind = TOTPDevice if len(code) == _DIGITS else StaticDevice
    with transaction.atomic():
        device = kind.objects.select_for_update().filter(user=user, confirmed=True).first()
        refused = _refusal(device, code)  # raised outside, so that what is counted against guessing stays
    if refused:
        raise refused
    return device


def let_in(request: HttpRequest, device: TOTPDevice | StaticDevice) -> None:
    """Note in the session that the factor was shown, under a new key of it."""
    request.session.cycle_key()
    login(request, device)


def make_recovery_codes(user: User) -> list[str]:
    """Return new ones; those before them open nothing any more."""
    codes = [StaticToken.random_token() for _ in range(RECOVERY_CODES)]
    with transaction.atomic():
        StaticDevice.objects.filter(user=user).delete()
        device = StaticDevice.objects.create(user=user, name="recovery")
        StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes


def recovery_codes_left(user: User) -> int:
    """Return how many have not been used."""
    return int(StaticToken.objects.filter(device__user=user).count())


def take_away(user: User) -> bool:
    """Forget somebody's app and recovery codes; return whether there was anything to forget."""
    found = [kind.objects.filter(user=user).delete()[0] for kind in (TOTPDevice, StaticDevice)]
    return any(found)


def _plain(code: str) -> str:
    return "".join(code.split()).lower()


def _verify(device: TOTPDevice, code: str) -> None:
    if refused := _refusal(device, code):
        raise refused


def _refusal(device: TOTPDevice | StaticDevice | None, code: str) -> WrongCode | None:
    if device is None:
        return WrongCode("This is no code of yours. Type the six digits that your app shows, or a recovery code.")
    may, why = device.verify_is_allowed()
    if not may:
        seconds = max(1, round((why["locked_until"] - timezone.now()).total_seconds()))
        return WrongCode(f"Too many wrong codes came. Try again in {many(seconds, 'second')}.")
    if device.verify_token(code):
        return None
    return WrongCode(
        "This code is not right, or was used already. Wait for the next one, and look whether the clocks agree."
    )
