"""A page whose network blocks websockets posts the same frames, and is answered with what is new.

Nothing is kept between two posts but what the database holds, so that each may reach another process. A post without
frames is held until something is new: a hidden tab's timers sleep, an open request does not.
"""

import asyncio

from chat import dialogs, presence, waiting_room
from chat.models import Dialog, Seat, SeatState
from chat.page import Page
from chat.protocol import FromServer, Hello, Moved, Poll
from chat.rules import Code, Refusal
from chat.threads import in_database
from collector.lib.rates import Allowances
from collector.lib.tokens import BadToken
from collector.studies.admission import access_participation

HOLD_SECONDS = 10
POLLS = Allowances(burst=20, rate=3.0)
"""How often one token may post."""


class Poller(Page):
    """One post of a page that polls. ``frames`` is what it is answered with."""

    def __init__(self, connection_name: str, have: int) -> None:
        super().__init__(connection_name)
        self.frames: list[FromServer] = []
        self.have = have
        self.is_shut = False

    async def push(self, frame: FromServer) -> None:
        """Keep a frame for the answer."""
        if not self.is_shut:
            self.frames.append(frame)

    async def shut(self, code: int) -> None:
        """Answer with nothing more."""
        self.is_shut = True

    async def arrive(self, token: str) -> dialogs.Arrival:
        """Take the token's seat for this page."""
        return await in_database(dialogs.arrive, token, self.connection_name, polls=True)

    async def resume(self, token: str) -> bool:
        """Go on where the page's last post was; False when another page has taken the seat."""
        self.token = token
        self.seat_id, self.study_id, is_open = await in_database(_seat_of, token)
        return not is_open or await in_database(_polled, self.seat_id, self.connection_name)


async def answer(token: str, poll: Poll) -> list[FromServer]:
    """Take what a page posted and return what it is to know, with a snapshot at the end. Raises Refusal.

    A page that closes meanwhile lets its seat go.
    """
    if not POLLS.take(token):
        raise Refusal(Code.TOO_FAST)
    page = Poller(f"poll-{poll.page[:32]}", poll.have)
    said_hello = bool(poll.frames) and isinstance(poll.frames[0], Hello)
    try:
        if said_hello:
            await page.take(Hello(token, poll.have))
        elif not await page.resume(token):
            return [Moved()]
        if not poll.frames:
            await _hold(page)
    except asyncio.CancelledError:  # how Django says that the request was broken off
        if page.seat_id:
            await in_database(presence.drop, page.seat_id, page.connection_name)
        raise
    if page.seat_id and not page.is_shut:
        if not said_hello:
            await page.refresh(always=True)
        for frame in poll.frames[said_hello:]:
            await page.take(frame)
        if poll.frames[said_hello:]:
            await page.refresh(always=True)
    return page.frames


async def _hold(page: Poller) -> None:
    """Wait until the page's seat has changed, for some seconds at most."""
    before = await in_database(_state, page.seat_id)
    if before[2] > page.have:
        return
    for _ in range(HOLD_SECONDS):
        await asyncio.sleep(1)
        if await in_database(_state, page.seat_id) != before:
            return


def _seat_of(token: str) -> tuple[int, int, bool]:
    """Return a token's newest seat, its study, and whether the seat is open."""
    try:
        participation = access_participation(token)
    except BadToken:
        raise Refusal(Code.BAD_LINK) from None
    seat = Seat.objects.filter(participation=participation).order_by("-number").first()
    seat = seat or waiting_room.enter(participation)
    return seat.pk, seat.study_id, seat.state != SeatState.CLOSED


def _polled(seat_id: int, connection: str) -> bool:
    """Note a poll. A seat that nobody holds was given up for dead, as after a computer's sleep: here is its page."""
    return presence.polled(seat_id, connection) or dialogs.back(seat_id, connection, polls=True)


def _state(seat_id: int) -> tuple[str, int | None, int]:
    seat = Seat.objects.get(pk=seat_id)
    version = Dialog.objects.filter(seats=seat).values_list("version", flat=True).first()
    return seat.state, seat.dialog_id, version or 0
