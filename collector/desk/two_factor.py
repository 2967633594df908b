"""The pages of somebody's own second factor: it is asked for after the password, set up, renewed and turned off."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache

from collector.accounts import log, two_factor
from collector.accounts.roles import Deed
from collector.accounts.two_factor import WrongCode

View = Callable[[HttpRequest, User], HttpResponse]


def own(view: View) -> Callable[[HttpRequest], HttpResponse]:
    """Show a page to whoever has given an account's password: it is about that account alone."""

    @wraps(view)
    def wrapped(request: HttpRequest) -> HttpResponse:
        user = request.user
        if not (user.is_active and user.is_staff):
            return redirect_to_login(request.get_full_path(), reverse("admin:login"))
        return view(request, User.objects.get(pk=user.pk))

    return never_cache(wrapped)


@own
def code(request: HttpRequest, user: User) -> HttpResponse:
    """Ask who has given the password for the code; then go where they wanted to."""
    if not two_factor.is_owed(request.user):
        return redirect(_wanted(request))
    if two_factor.device_of(user) is None:
        return redirect("two-factor")
    refused = ""
    if request.POST.get("what") == "leave":
        logout(request)
        return redirect("admin:login")
    if request.method == "POST":
        try:
            two_factor.let_in(request, two_factor.show(user, request.POST.get("code", "")))
            return redirect(_wanted(request))
        except WrongCode as error:
            refused = str(error)
            log.write(request, Deed.SIGN_IN_FAILED, f"account {user}", said="a wrong code")
    return render(request, "desk/two_factor_code.html", {"refused": refused, "next": _wanted(request)})


def _wanted(request: HttpRequest) -> str:
    """Return the page of ours that was asked for, or the desk's first; no address leads elsewhere."""
    wanted = request.POST.get("next") or request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if is_ours else reverse("admin:index")


@own
def manage(request: HttpRequest, user: User) -> HttpResponse:
    """Show what somebody has set up, and do what they ask for."""
    if two_factor.is_owed(request.user) and two_factor.device_of(user) is not None:
        return redirect(f"{reverse('two-factor-code')}?next={reverse('two-factor')}")
    more: dict[str, Any] = {}
    if request.method == "POST":
        try:
            more["codes"] = ACTS.get(request.POST.get("what", ""), _nothing)(request, user)
        except WrongCode as error:
            more["refused"] = str(error)
    device, waiting = two_factor.device_of(user), two_factor.pending(user)
    return render(request, "desk/two_factor.html", more | {
        "device": device,
        "pending": waiting,
        "key": two_factor.in_letters(waiting) if waiting else "",
        "picture": two_factor.picture(waiting) if waiting else "",
        "codes_left": two_factor.recovery_codes_left(user),
        "is_required": settings.REQUIRE_TWO_FACTOR,
    })  # fmt: skip


def _begin(request: HttpRequest, user: User) -> list[str]:
    if two_factor.device_of(user) is None:
        two_factor.begin(user)
    return []


def _confirm(request: HttpRequest, user: User) -> list[str]:
    codes = two_factor.confirm(request, user, request.POST.get("code", ""))
    log.write(request, Deed.TWO_FACTOR, f"account {user}", said="set up")
    return codes


def _renew(request: HttpRequest, user: User) -> list[str]:
    two_factor.show(user, request.POST.get("code", ""))
    log.write(request, Deed.TWO_FACTOR, f"account {user}", said="new recovery codes")
    return two_factor.make_recovery_codes(user)


def _turn_off(request: HttpRequest, user: User) -> list[str]:
    if settings.REQUIRE_TWO_FACTOR:
        raise WrongCode("This installation asks everybody for a second factor: it cannot be turned off.")
    two_factor.show(user, request.POST.get("code", ""))
    two_factor.take_away(user)
    log.write(request, Deed.TWO_FACTOR, f"account {user}", said="turned off")
    messages.info(request, "Your second factor is turned off: your password alone opens your account.")
    return []


def _nothing(request: HttpRequest, user: User) -> list[str]:
    raise WrongCode("That was none of this page's buttons. Nothing has changed.")


ACTS = {"begin": _begin, "confirm": _confirm, "codes": _renew, "off": _turn_off}
"""What the buttons of the page do; each returns recovery codes to be shown once."""
