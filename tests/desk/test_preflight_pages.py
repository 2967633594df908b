"""What a preflight says of addresses, frames, sockets and media, well or not."""

import httpx
import pytest

from chat.simulation import Run
from collector.desk.preflight import addresses, guests
from collector.desk.preflight.addresses import Door, Frame
from collector.desk.preflight.checks import State
from collector.studies.models import Kind
from hits import invitations
from tests import services

ORIGIN = "https://lab.example"
DOOR = Door(ORIGIN, "lab", False, ())
MARKET = "https://worker.mturk.com"


@pytest.mark.parametrize(
    ("origin", "environments", "state"),
    [
        (ORIGIN, ["live"], State.GOOD),
        ("http://lab.example", ["local"], State.WARN),
        ("http://lab.example", ["sandbox"], State.BAD),
        ("http://127.0.0.1:8000", [], State.WARN),
        ("http://127.0.0.1:8000", ["live"], State.BAD),
        ("http://0.0.0.0:8000", [], State.BAD),
    ],
)
def test_an_address_is_judged_by_who_is_to_come(origin: str, environments: list[str], state: State) -> None:
    check = addresses.address(origin, environments)
    assert check.state == state
    assert bool(check.fix) is (state != State.GOOD)


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ([], True),
        ([("x-frame-options", "DENY")], False),
        ([("content-security-policy", f"default-src 'self'; frame-ancestors 'self' {MARKET}")], True),
        ([("content-security-policy", f"frame-ancestors {MARKET}"), ("x-frame-options", "DENY")], True),
        ([("content-security-policy", "frame-ancestors *")], True),
        ([("content-security-policy", "frame-ancestors 'self'")], False),
        (
            [
                ("content-security-policy", f"frame-ancestors {MARKET}"),
                ("content-security-policy", "frame-ancestors 'none'"),
            ],
            False,
        ),
    ],
)
def test_a_frame_is_shown_where_every_policy_allows_it(headers: list[tuple[str, str]], allowed: bool) -> None:
    assert addresses.allows(httpx.Headers(headers), MARKET) is allowed


def answering(status: int, text: str = "", headers: dict[str, str] | None = None) -> httpx.AsyncClient:
    """Return a client to whom everything is answered so."""
    transport = httpx.MockTransport(lambda request: httpx.Response(status, headers=headers or {}, text=text))
    return httpx.AsyncClient(transport=transport)


@pytest.mark.parametrize(
    ("status", "says", "fix"),
    [
        (301, "sends on to https://www.lab.example", "Set PUBLIC_URL"),
        (400, "does not take the name", "ALLOWED_HOSTS"),
        (404, "knows no such study", "another one answers"),
        (502, "behind its proxy", "Start the product"),
        (500, "did not show the invitation", "Open it in a browser"),
        (200, "another program, or an installation with another SECRET_KEY", "the same key"),
    ],
)
async def test_an_answer_that_is_not_ours_says_what_to_mend(status: int, says: str, fix: str) -> None:
    http = answering(status, '<input name="opened" value="1:forged">', {"location": "https://www.lab.example"})
    check, page = await addresses.reached(http, DOOR, {})
    assert check.state == State.BAD
    assert says in check.says
    assert fix in check.fix
    assert page is None


async def test_our_own_invitation_is_known_by_its_mark() -> None:
    mark = invitations._SIGNER.sign("1790000000")
    check, page = await addresses.reached(answering(200, f'<input name="opened" value="{mark}">'), DOOR, {})
    assert check.state == State.GOOD
    assert page is not None


@pytest.mark.parametrize(
    ("error", "state"),
    [(httpx.ConnectError("Name or service not known"), State.BAD), (httpx.ReadTimeout(""), State.UNKNOWN)],
)
async def test_who_does_not_answer_is_not_reached_or_not_known(error: Exception, state: State) -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise error

    check, page = await addresses.reached(httpx.AsyncClient(transport=httpx.MockTransport(fail)), DOOR, {})
    assert check.state == state
    assert page is None
    assert str(error) in check.says


async def test_the_frame_of_each_offer_isasked_for_by_its_own_address() -> None:
    frames = (Frame(f"{ORIGIN}/task/lab/live/", MARKET, False), Frame(f"{ORIGIN}/task/lab/local/", ORIGIN, True))
    http = answering(403, headers={"content-security-policy": f"frame-ancestors {MARKET}"})
    door = Door(ORIGIN, "lab", False, frames)
    draft, launched = await addresses.framed(http, door, httpx.Response(200))
    assert draft.state == State.GOOD
    assert launched.state == State.BAD
    assert "before they accept is not there" in launched.says


@pytest.mark.parametrize(
    ("status", "kind", "state"),
    [
        (206, "video/mp4", State.GOOD),
        (200, "video/mp4", State.BAD),
        (206, "text/html", State.BAD),
        (404, "text/plain", State.BAD),
        (403, "text/plain", State.BAD),
    ],
)
async def test_a_video_must_come_in_parts(status: int, kind: str, state: State) -> None:
    check = await guests.in_parts(answering(status, headers={"content-type": kind}), f"{ORIGIN}/video")
    assert check.state == state


async def test_a_socket_that_is_kept_away_is_named_and_what_comes_after_is_not_known() -> None:
    """The pages answer, and nothing takes websockets."""

    def answer(request: httpx.Request) -> httpx.Response:
        return (
            httpx.Response(302, headers={"location": "/w/TOKEN/"}) if request.method == "POST" else httpx.Response(200)
        )

    stages = [guests.ENTRY, guests.SOCKET, guests.MEETING, guests.MEDIA]
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        run = Run(f"http://127.0.0.1:{services.free_port()}", "lab", 0.0, {}, http)
        found = await guests._visited(
            run, Kind.DIALOG, {"preflight-00000000-0": "", "preflight-00000000-1": ""}, stages
        )
    assert [check.state for check in found] == [State.GOOD, State.BAD, State.UNKNOWN, State.UNKNOWN]
    assert "docs/processes.md" in found[1].fix


async def test_who_is_not_let_in_is_told_why() -> None:
    """The sentence is that of the page, and the program's name is not in it."""
    text = '<h1>You cannot take part now</h1>\n  <p class="lead">No video is left that&#x27;s new.</p>'
    async with answering(403, text) as http:
        run = Run(ORIGIN, "lab", 0.0, {}, http)
        found = await guests._visited(run, Kind.SUMMARY, {"preflight-00000000-0": ""}, [guests.ENTRY, guests.MEDIA])
    assert found[0].state == State.BAD
    assert found[0].says.startswith(
        "Program 1: the consent leads to no video. It was answered with 403: No video is left that's"
    )
