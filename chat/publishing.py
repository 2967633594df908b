"""Who holds which dialog's sockets, and who is told of a change?

In this process sockets are called directly. Other processes get a doorbell through the channel layer; a lost or failed
doorbell costs a second, since every process asks the database each second for what its sockets have missed.
"""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Protocol

from channels.layers import get_channel_layer

from chat import dialogs, presence, rules
from chat.models import Seat, SeatState
from chat.protocol import FromServer, Line, Partner, Spoken
from chat.threads import in_database
from chat.writing import Receipt
from collector.lib import logs, meters

log = logging.getLogger(__name__)


class Socket(Protocol):
    """What publishing needs of a consumer."""

    seat_id: int
    connection_name: str
    dialog_id: int | None
    role: rules.Role | None
    version: int

    async def push(self, frame: FromServer) -> None: ...
    async def refresh(self, *, always: bool = False) -> None: ...
    async def moved(self) -> None: ...
    async def tell(self, message: dict[str, Any]) -> None: ...
    def note_turn(self, seconds_left: float | None) -> None: ...


_by_seat: dict[int, Socket] = {}
_by_dialog: defaultdict[int, set[int]] = defaultdict(set)
_tasks: set[asyncio.Task[None]] = set()
_doorbells: dict[tuple[str, str, int], dict[str, Any]] = {}
_ringing: asyncio.Task[None] | None = None
MOST_DOORBELLS = 10_000
RING_SECONDS = 2.0


def _spawn(work: Any) -> None:
    task = asyncio.get_running_loop().create_task(work)
    _tasks.add(task)
    task.add_done_callback(_finished)


def _finished(task: "asyncio.Task[None]") -> None:
    _tasks.discard(task)
    if not task.cancelled() and (error := task.exception()):
        log.error("Telling a page of a change failed; it is told again within a second.", exc_info=error)


def add(socket: Socket) -> None:
    """Take a socket in; the older one of the same seat is told that it was opened elsewhere."""
    older = _by_seat.get(socket.seat_id)
    _by_seat[socket.seat_id] = socket
    if older is not None and older is not socket:
        _spawn(older.moved())


def placed(socket: Socket) -> None:
    """Note which dialog a socket belongs to by now."""
    if socket.dialog_id is not None and _by_seat.get(socket.seat_id) is socket:
        _by_dialog[socket.dialog_id].add(socket.seat_id)


def remove(socket: Socket) -> None:
    """Let a socket go."""
    if _by_seat.get(socket.seat_id) is socket:
        del _by_seat[socket.seat_id]
        if socket.dialog_id is not None:
            seats = _by_dialog[socket.dialog_id]
            seats.discard(socket.seat_id)
            if not seats:
                del _by_dialog[socket.dialog_id]


def sockets_of(dialog_id: int) -> list[Socket]:
    """Return the sockets of a dialog that this process holds."""
    return [_by_seat[s] for s in _by_dialog.get(dialog_id, ()) if s in _by_seat]


def said_all(receipts: Iterable[Receipt]) -> None:
    """Tell the pages of several dialogs."""
    for receipt in receipts:
        said(receipt)


def said(receipt: Receipt) -> None:
    """Tell a dialog's pages of a stored text. Call on the loop, after the commit."""
    message = {
        "type": "said",
        "dialog": receipt.dialog_id,
        "version": receipt.version,
        "position": receipt.position,
        "text": receipt.text,
        "key": receipt.key,
        "rounds": receipt.rounds,
        "watched": receipt.watched,
        "turn_left": receipt.turn_left,
        "turning_point": receipt.is_turning_point,
        "came_at": receipt.came_at,
    }
    _hear(message)
    _ring(receipt.processes, message)


def changed(dialog_id: int, processes: Iterable[str] = (), *, always: bool = False) -> None:
    """Tell a dialog's pages to look again, ``always`` when the version stays. Call on the loop, after the commit."""
    message = {"type": "changed", "dialog": dialog_id, "always": always}
    _hear(message)
    _ring(processes, message)


def paired(seats: Iterable[tuple[int, str]]) -> None:
    """Tell seats, given as (id, process), that they have a partner."""
    for seat_id, process in seats:
        message = {"type": "seat", "seat": seat_id}
        _hear(message)
        _ring([process], message)


def look_again(dialogs: Iterable[int], seats: Iterable[int]) -> None:
    """Tell the pages of this process that a sweep changed something; other processes notice within a second."""
    for dialog_id in dialogs:
        _hear({"type": "changed", "dialog": dialog_id, "always": False})
    for seat_id in seats:
        _hear({"type": "seat", "seat": seat_id})


def partner_types(dialog_id: int, seat_id: int, processes: Iterable[str]) -> None:
    """Tell the partner of ``seat_id`` that it is typing. Neither stored nor counted."""
    message = {"type": "typing", "dialog": dialog_id, "seat": seat_id}
    _hear(message)
    _ring(processes, message)


def _ring(processes: Iterable[str], message: dict[str, Any]) -> None:
    """Have other processes told. Of each dialog only the newest change waits: who misses one reads a snapshot."""
    global _ringing
    kind = "typing" if message["type"] == "typing" else "change"
    for process in set(processes) - {presence.PROCESS, ""}:
        if len(_doorbells) < MOST_DOORBELLS:
            _doorbells[process, kind, message.get("dialog") or -message["seat"]] = message
    if _doorbells and (_ringing is None or _ringing.done()):
        _ringing = asyncio.get_running_loop().create_task(_ring_all())


async def _ring_all() -> None:
    logs.clear()  # it began with one page's change, and rings for all
    while _doorbells:
        key = next(iter(_doorbells))
        process, message = key[0], _doorbells.pop(key)
        try:
            async with asyncio.timeout(RING_SECONDS):
                await get_channel_layer().group_send(f"process.{process}", message)
        except Exception as error:  # whatever the layer's trouble, the poll repairs it
            log.warning("%d doorbells failed (%s); pages notice within a second.", len(_doorbells) + 1, error)
            _doorbells.clear()


async def listen() -> None:
    """Hear the doorbells of other processes, for ever."""
    layer = get_channel_layer()
    while True:
        try:
            channel = await layer.new_channel()
            await layer.group_add(f"process.{presence.PROCESS}", channel)
            while True:
                _hear(await layer.receive(channel))
        except asyncio.CancelledError:
            raise
        except Exception:
            log.warning("The channel layer failed; listening again in a second.", exc_info=True)
            await asyncio.sleep(1)


def _hear(message: dict[str, Any]) -> None:
    if message["type"] == "seat":
        if socket := _by_seat.get(message["seat"]):
            _spawn(socket.tell(message))
        return
    for socket in sockets_of(message["dialog"]):
        if message["type"] != "typing" or socket.seat_id != message["seat"]:
            _spawn(socket.tell(message))


async def pass_on(socket: Socket, message: dict[str, Any]) -> None:
    """Tell one page of a change."""
    if message["type"] == "said":
        await _say(socket, message)
    elif message["type"] == "typing":
        await socket.push(Partner(typing=True))
    else:
        await socket.refresh(always=message.get("always", False))


async def _say(socket: Socket, message: dict[str, Any]) -> None:
    """Pass a line on without a query to who holds the version before; any other page gets a snapshot."""
    version, position, rounds = message["version"], message["position"], message["rounds"]
    if socket.version >= version:
        return
    # The last answer ends the Answerer's part, and the summary is nobody's to read but its writer's.
    is_last_answer = position == 2 * rounds - 1
    can_pass = not message["turning_point"] or (is_last_answer and socket.role == "questioner")
    if socket.version != version - 1 or socket.role is None or not can_pass:
        await socket.refresh()
        return
    state = rules.Position(position + 1, rounds, watched=message["watched"])
    mine = (position % 2 == 0) == (socket.role == "questioner")
    line = Line(position, rules.kind_at(position, rounds), message["text"], message["key"] if mine else "")
    socket.version = version
    socket.note_turn(message["turn_left"])
    move, turn_left = rules.move(state, socket.role), message["turn_left"]
    await socket.push(Spoken(version, line, move, rules.round_of(state), turn_left))
    if not mine and (came_at := message.get("came_at")):  # a process of the version before does not send it
        meters.relaying.observe(max(0.0, time.time() - came_at))
    if is_last_answer:
        await socket.refresh(always=True)


async def catch_up() -> None:
    """Ask, in one query, what the sockets of this process have missed, and push it."""
    if not _by_seat:
        return
    asked = dict(_by_seat)
    rows = await in_database(_where, list(asked))
    for seat_id, connection, state, dialog_id, version in rows:
        socket = asked[seat_id]
        if socket is not _by_seat.get(seat_id):
            continue  # it is gone, or a newer one has come that the answer does not know
        if connection and connection != socket.connection_name:
            _spawn(socket.moved())
        elif state != SeatState.CLOSED and not connection:
            # Given up for dead, when this process or the database was away; but here is the page.
            await in_database(dialogs.back, seat_id, socket.connection_name)
        elif socket.dialog_id != dialog_id or (version or 0) > socket.version or state == SeatState.CLOSED:
            _spawn(socket.tell({"type": "changed"}))


def _where(seats: list[int]) -> list[tuple[int, str, str, int | None, int | None]]:
    rows: list[tuple[int, str, str, int | None, int | None]] = []
    for start in range(0, len(seats), 500):
        rows += Seat.objects.filter(pk__in=seats[start : start + 500]).values_list(
            "pk", "connection", "state", "dialog", "dialog__version"
        )
    return rows


def nobody() -> None:
    """Forget all sockets (tests)."""
    _by_seat.clear()
    _by_dialog.clear()
    _doorbells.clear()
