"""Do workers reach our pages, in the frames where they are shown? Asked at the public address, and at no other."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx

from collector.desk.addresses import EVERYWHERE
from collector.desk.preflight.checks import Check, bad, good, unknown, warn
from collector.studies.models import State, Study
from hits import invitations
from hits.marketplace.environments import place
from hits.models import Environment, Recruitment
from hits.offers import our_origin, task_url

TIMEOUT = 15.0
"""Seconds for which an answer is waited for."""
FRAME = "Marketplace's frame"
REACHED = "Reached from here"
_OPENED = re.compile(r'name="opened" value="([^"]+)"')
_SHEET = re.compile(r'<link rel="stylesheet" href="([^"]+)"')
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PROXY = "docs/processes.md has nginx's lines."


@dataclass(frozen=True)
class Frame:
    """A page that a marketplace is to show in its frame."""

    address: str
    origin: str
    """The marketplace's."""
    is_launched: bool


@dataclass(frozen=True)
class Door:
    """The invitation of a study, as a program is to open it."""

    origin: str
    slug: str
    is_shut: bool
    """Whether the study lets not even programs in."""
    frames: tuple[Frame, ...]

    @property
    def invitation(self) -> str:
        """Its address."""
        return f"{self.origin}/join/{self.slug}/"


def door_of(study: Study, recruitments: Iterable[Recruitment]) -> Door:
    """Return a study's door."""
    frames = tuple(
        Frame(task_url(each), place(each.environment).frame_origin, each.started_at is not None)
        for each in recruitments
    )
    return Door(our_origin(), study.slug, study.state not in (State.OPEN, State.DRAFT), frames)


def address(origin: str, environments: Iterable[str]) -> Check:
    """Tell whether an address can be one for workers, without asking it."""
    about, parts = "Public address", urlsplit(origin)
    fix = "Set PUBLIC_URL to the https address that workers use, and start the product anew."
    is_far = any(environment != Environment.LOCAL for environment in environments)
    judge = bad if is_far else warn
    if parts.hostname in EVERYWHERE:
        return bad(about, f"Links begin with {origin}, which is no address that another machine can open.", fix)
    if parts.hostname in _LOOPBACK:
        return judge(about, f"Links begin with {origin}, which only a browser on this machine can open.", fix)
    if parts.scheme != "https":
        said = f"{origin} is not https: a marketplace's frame does not show it, and others can read what is written."
        return judge(about, said, fix)
    return good(about, f"Links begin with {origin}.")


async def reached(
    http: httpx.AsyncClient, door: Door, shown_with: dict[str, str]
) -> tuple[Check, httpx.Response | None]:
    """Open the invitation; return what came of it, and the answer when it is a page of this installation."""
    try:
        page = await http.get(door.invitation, params=shown_with)
    except httpx.TimeoutException:
        said = f"{door.origin} did not answer within {TIMEOUT:.0f} seconds."
        fix = "Some networks keep a machine from its own outer address. Open the invitation in a browser elsewhere"
        return unknown(REACHED, said, f"{fix}: {door.invitation}"), None
    except httpx.HTTPError as error:
        said = f"{door.origin} cannot be reached: {error or type(error).__name__}."
        fix = "Mend what the sentence names: the product does not run there, the name, the certificate, or the proxy."
        return bad(REACHED, said, f"{fix} {_PROXY}"), None
    if trouble := _trouble(page, door):
        return trouble, None
    return good(REACHED, f"{door.origin} answers, and it is this installation."), page


def _trouble(page: httpx.Response, door: Door) -> Check | None:
    """Say what is wrong with the answer to an opened invitation."""
    status = page.status_code
    if status == 200:
        mark = _OPENED.search(page.text)
        if mark and invitations.opened_at(mark[1]):
            return None
        said = f"What answers at {door.origin} is another program, or an installation with another SECRET_KEY."
        return bad(REACHED, said, "Set PUBLIC_URL to this installation, and give all its processes the same key.")
    if status == 403 and door.is_shut:
        return None
    if 300 <= status < 400:
        said = f"{door.origin} sends on to {page.headers.get('location', 'another address')}."
        return bad(REACHED, said, "Set PUBLIC_URL to the address where that ends: what is posted is lost on the way.")
    told = {
        400: ("does not take the name by which it was asked.", "Add the name to ALLOWED_HOSTS."),
        404: ("knows no such study.", "Set PUBLIC_URL to this installation: another one answers there."),
    } | dict.fromkeys(
        (502, 503, 504),
        ("cannot reach the product behind its proxy.", f"Start the product, and mend the proxy's way to it. {_PROXY}"),
    )
    said, fix = told.get(status, ("did not show the invitation.", "Open it in a browser and read what it says."))
    return bad(REACHED, f"{door.origin} {said} It answered with {status}.", fix)


async def framed(http: httpx.AsyncClient, door: Door, invitation: httpx.Response) -> list[Check]:
    """Tell whether each marketplace's frame may show our pages, by the headers that really arrive."""
    if not door.frames:
        return [_in_frame(invitation, door.origin)] if _forbids(invitation) else []
    return [_of_task(await http.get(frame.address), frame) for frame in door.frames]


def _of_task(page: httpx.Response, frame: Frame) -> Check:
    about = FRAME
    if frame.is_launched and page.status_code != 200:
        said = f"What workers see before they accept is not there: {frame.address} answered {page.status_code}."
        return bad(about, said, "Pause the recruiting and launch it again on its page, which writes the preview anew.")
    return _in_frame(page, frame.origin)


def _in_frame(page: httpx.Response, origin: str) -> Check:
    if not allows(page.headers, origin):
        said = f"The headers forbid {origin} to show our pages: {_forbids(page) or 'frame-ancestors'}."
        return bad(FRAME, said, f"Add {origin} to FRAME_ANCESTORS, or take away what a proxy adds.")
    if said := _forbids(page):
        fix = f"Take {said} away where the proxy adds it: old browsers believe it."
        return warn(FRAME, f"Browsers of today show our pages there, in spite of {said}.", fix)
    return good(FRAME, f"The headers allow {origin} to show our pages.")


def _forbids(page: httpx.Response) -> str:
    """Return the header that forbids all frames to browsers that do not know frame-ancestors; empty without one."""
    said = page.headers.get("x-frame-options", "")
    return f"X-Frame-Options: {said}" if said else ""


def allows(headers: httpx.Headers, origin: str) -> bool:
    """Tell whether a page with these headers may be shown in a frame of another origin; all policies must allow it."""
    policies = ",".join(headers.get_list("content-security-policy")).split(",")
    directives = [directive.split() for policy in policies for directive in policy.split(";") if directive.strip()]
    ancestors = [sources for name, *sources in directives if name.lower() == "frame-ancestors"]
    if not ancestors:
        return "x-frame-options" not in headers
    return all({"*", origin} & set(sources) for sources in ancestors)


async def styled(http: httpx.AsyncClient, invitation: httpx.Response) -> Check:
    """Tell whether the page's style sheet comes as one."""
    found = _SHEET.search(invitation.text)
    address = urljoin(str(invitation.url), found[1]) if found else ""
    # Only our own origin is asked, whatever a page says.
    if urlsplit(address).netloc != invitation.url.netloc.decode():
        return unknown("Styles and scripts", "The page names no style sheet of ours.")
    sheet = await http.get(address)
    if sheet.status_code == 200 and sheet.headers.get("content-type", "").startswith("text/css"):
        return good("Styles and scripts", "They come from the same address.")
    kind = sheet.headers.get("content-type", "no type")
    said = f"{urlsplit(address).path} was answered with {sheet.status_code}, {kind}."
    fix = "Run manage.py collectstatic and start the product anew; a proxy must pass /static/ on, or serve the files."
    return bad("Styles and scripts", said, fix)
