"""How is an utterance stored? In one place, together with what arrived together: check, store, commit, then tell.

``store`` is plain and synchronous, for tests to call. ``Writer`` runs it on a thread with its own connection: all
that arrived while one batch was being committed is the next batch.
"""

import asyncio
import logging
import queue
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import DatabaseError, InterfaceError, OperationalError, connection, connections, transaction
from django.db.models import F
from msgspec.json import encode

from chat import endings, rules, times
from chat.models import Dialog, Role, Seat, Utterance
from chat.protocol import Limits
from chat.rules import Action, Code, Refusal
from collector.lib import clock, meters

log = logging.getLogger(__name__)

MAX_BATCH = 200
MAX_QUEUE = 5000
LOCK_SECONDS = 3.0
"""For so long a text waits for a dialog that is locked elsewhere; then its page is told that we are busy."""
AGAIN_SECONDS = 0.05


@dataclass(frozen=True)
class Job:
    """One text to store, as the socket understood it. ``future`` gets a Receipt or an exception."""

    dialog_id: int
    seat_id: int
    role: rules.Role
    action: Action
    key: str
    text: str
    typed_at: datetime | None = None
    evidence: dict[str, Any] = field(default_factory=dict)
    future: "asyncio.Future[Receipt] | None" = None
    came_at: float = field(default_factory=time.time)
    """Seconds since the epoch: a partner's page may be another machine's."""


@dataclass(frozen=True)
class Receipt:
    """A stored text: what the ack and the partner's page need. ``is_new`` is False for a text sent again."""

    dialog_id: int
    key: str
    version: int
    position: int
    text: str
    rounds: int
    watched: bool
    processes: tuple[str, ...]
    turn_left: float | None = None
    is_new: bool = True
    came_at: float = 0.0

    @property
    def is_turning_point(self) -> bool:
        """Tell whether more than a line changes: somebody's part ends with it."""
        return self.position >= 2 * self.rounds - 1


Result = Receipt | Refusal | Exception
_Settled = tuple["asyncio.Future[Receipt]", Result]


def store(batch: list[Job]) -> list[Result]:
    """Store a batch and return one result a job, in order. Waits for dialogs that are locked elsewhere (tests)."""
    first = store_unlocked(batch)
    return [_store_alone(job) or Refusal(Code.OVER) if r is None else r for job, r in zip(batch, first, strict=True)]


def store_unlocked(batch: list[Job]) -> list[Result | None]:
    """Store a batch and return one result a job, in order; None for those whose dialog is locked elsewhere.

    Safe to call again with the same jobs. One transaction for all; the second job of a dialog is done alone afterwards.
    A batch that fails is retried job by job, so that one cannot fail its neighbours. A commit whose result is unknown
    is resolved by the keys, which are looked up first.
    """
    first_of_dialog: dict[int, int] = {}
    for index, job in enumerate(batch):
        first_of_dialog.setdefault(job.dialog_id, index)
    chosen = sorted(first_of_dialog.values())
    results: dict[int, Result | None] = {}
    try:
        results.update(zip(chosen, _store_together([batch[i] for i in chosen], skip_locked=True), strict=True))
    except (DatabaseError, InterfaceError) as error:
        log.warning("A batch of %d failed (%s); storing one by one.", len(chosen), error)
        _forget_broken_connection()
    for index, job in enumerate(batch):
        if index not in results:
            results[index] = _store_alone(job, skip_locked=True)
    return [results[index] for index in range(len(batch))]


def _store_alone(job: Job, *, skip_locked: bool = False) -> Result | None:
    try:
        (result,) = _store_together([job], skip_locked=skip_locked)
    except (OperationalError, InterfaceError) as error:
        log.warning("Storing waits for the database: %s", error)
        _forget_broken_connection()
        return Refusal(Code.BUSY)
    except DatabaseError as error:
        log.exception("A text could not be stored.")
        return error
    return result


def _forget_broken_connection() -> None:
    if connection.connection is not None and not connection.in_atomic_block:
        connection.close()


def _store_together(jobs: list[Job], *, skip_locked: bool) -> list[Result | None]:
    """Store jobs of different dialogs in one transaction; None for those whose dialog is locked elsewhere."""
    with transaction.atomic():
        ids = [job.dialog_id for job in jobs]
        can_skip = skip_locked and connection.features.has_select_for_update_skip_locked
        dialogs = Dialog.objects.select_for_update(skip_locked=can_skip).filter(pk__in=ids).order_by("pk")
        locked = {dialog.pk: dialog for dialog in dialogs.only("rounds", "limits", "times", "version", "ended_at")}
        pairs = _pairs([job for job in jobs if job.dialog_id in locked])
        known = _by_key([job for job in jobs if job.dialog_id in locked and pairs[job.dialog_id].known])
        results = [_check(job, locked, known, pairs) for job in jobs]
        now = clock.now()
        new = [r for r in results if isinstance(r, Receipt) and r.is_new]
        jobs_by_dialog = {job.dialog_id: job for job in jobs}
        _insert([_row(jobs_by_dialog[receipt.dialog_id], receipt, now) for receipt in new])
        _move_on(new, locked, now)
        if answered := [locked[r.dialog_id] for r in new if r.position == 2 * r.rounds - 1]:
            endings.answers_done(answered)
        if summarised := [locked[r.dialog_id] for r in new if r.position == 2 * r.rounds]:
            endings.summary_done(summarised)
    return results


def _move_on(new: list[Receipt], locked: dict[int, Dialog], now: datetime) -> None:
    """Give dialogs their next version and the next turn its time: one UPDATE for all whose turns last as long."""
    same: dict[tuple[float | None, float], list[int]] = {}
    for receipt in new:
        typing = endings.times_of(locked[receipt.dialog_id]).typing
        same.setdefault((receipt.turn_left, typing), []).append(receipt.dialog_id)
    for (seconds, typing), ids in same.items():
        over = None if seconds is None else now + timedelta(seconds=seconds)
        latest = None if over is None else over + timedelta(seconds=typing)
        Dialog.objects.filter(pk__in=ids).update(version=F("version") + 1, turn_due_at=over, turn_latest_at=latest)


@dataclass
class _Pair:
    """What is stored of a dialog, its row aside. ``known`` tells that a text has a key of this batch."""

    stored: int = 0
    known: bool = False
    watched: bool = False
    processes: tuple[str, ...] = ()


_PAIRS = f"""
    SELECT dialog_id, role, watched_at IS NOT NULL, process,
        (SELECT MAX(position) FROM {Utterance._meta.db_table} said WHERE said.dialog_id = seat.dialog_id),
        EXISTS (SELECT 1 FROM {Utterance._meta.db_table} said WHERE said.dialog_id = seat.dialog_id AND key IN (%s))
    FROM {Seat._meta.db_table} seat WHERE dialog_id IN (%s)
"""  # noqa: S608 - names of tables
"""Asked with each batch, and worded here because putting it together costs several times what answering it does."""

_COLUMNS = "dialog_id", "position", "version", "key", "text", "typed_at", "stored_at", "evidence"
_INSERT = f"INSERT INTO {Utterance._meta.db_table} ({', '.join(_COLUMNS)}) VALUES "  # noqa: S608 - names
_ROW = f"({', '.join(['%s'] * len(_COLUMNS))})"


def _pairs(jobs: list[Job]) -> dict[int, _Pair]:
    """Return what is stored of the jobs' dialogs. Call under the dialogs' locks."""
    pairs = {job.dialog_id: _Pair() for job in jobs}
    if not jobs:
        return pairs
    marks = ", ".join(["%s"] * len(jobs))
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS % (marks, marks), [*(job.key for job in jobs), *pairs])
        for dialog_id, role, watched, process, last, known in cursor.fetchall():
            pair = pairs[dialog_id]
            pair.stored, pair.known = 0 if last is None else last + 1, bool(known)
            if role == Role.ANSWERER:
                pair.watched = bool(watched)
            if process and process not in pair.processes:
                pair.processes += (process,)
    return pairs


def _by_key(jobs: list[Job]) -> dict[tuple[int, str], Utterance]:
    """Return the texts that have a job's key."""
    if not jobs:
        return {}
    rows = Utterance.objects.filter(dialog__in=[j.dialog_id for j in jobs], key__in=[j.key for j in jobs])
    return {(row.dialog_id, row.key): row for row in rows.select_related("dialog")}


def _check(
    job: Job,
    locked: dict[int, Dialog],
    known: dict[tuple[int, str], Utterance],
    pairs: dict[int, _Pair],
) -> Result | None:
    """Decide about one job under the lock. The key comes before the turn: what was sent again gets the same ack."""
    if row := known.get((job.dialog_id, job.key)):
        return _again(job, row)
    dialog = locked.get(job.dialog_id)
    if dialog is None:
        return None
    pair = pairs[dialog.pk]
    stored = pair.stored
    try:
        rules.check_turn(endings.position(dialog, stored, pair.watched), job.role, job.action)
        text = rules.check_text(job.action, job.text, Limits(**dialog.limits))
    except Refusal as refusal:
        return refusal
    return Receipt(
        dialog.pk,
        job.key,
        dialog.version + 1,
        stored,
        text,
        dialog.rounds,
        pair.watched,
        pair.processes,
        times.turn(endings.times_of(dialog), stored + 1, dialog.rounds, watched=pair.watched),
        came_at=job.came_at,
    )


def _again(job: Job, row: Utterance) -> Result:
    dialog = row.dialog
    kind = rules.kind_at(row.position, dialog.rounds)
    try:
        same = row.text == rules.check_text(job.action, job.text, Limits(**dialog.limits))
    except Refusal:
        same = False
    if not same or rules.KIND_OF[job.action] != kind:
        return Refusal(Code.KEY_REUSED)
    return Receipt(dialog.pk, row.key, row.version, row.position, row.text, dialog.rounds, True, (), is_new=False)


def _insert(rows: list[tuple[Any, ...]]) -> None:
    """Store texts with one statement."""
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_INSERT + ", ".join([_ROW] * len(rows)), [value for row in rows for value in row])


def _row(job: Job, receipt: Receipt, now: datetime) -> tuple[Any, ...]:
    """Return a text's columns."""
    at = connection.ops.adapt_datetimefield_value
    place = receipt.dialog_id, receipt.position, receipt.version
    return *place, receipt.key, receipt.text, at(job.typed_at), at(now), encode(job.evidence).decode()


def typed_at(seconds: float | None) -> datetime | None:
    """Return a page's clock reading as a time, or None when it makes no sense."""
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds else None
    except (OverflowError, ValueError, OSError):
        return None


class Writer:
    """The thread that stores; one a process. ``on_stored`` is called on it with new receipts, after each commit."""

    def __init__(self, on_stored: Callable[[list[Receipt]], None]) -> None:
        self._queue: queue.Queue[Job | None] = queue.Queue(MAX_QUEUE)
        self._on_stored = on_stored
        self._locked: list[tuple[Job, float]] = []
        """Jobs whose dialog is locked elsewhere, and until when they are tried again: nobody else waits for them."""
        self._thread = threading.Thread(target=self._run, name="chat-writer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def put(self, job: Job) -> None:
        """Hand in a job; raises Refusal ``busy`` when too many wait."""
        try:
            self._queue.put_nowait(job)
        except queue.Full:
            raise Refusal(Code.BUSY) from None

    def stop(self) -> None:
        """Store what waits, then end the thread and close its connection."""
        self._queue.put(None)
        self._thread.join(timeout=30)

    def _run(self) -> None:
        try:
            stopping = False
            while not stopping:
                batch, stopping = self._next_batch()
                self._store(batch, is_last=stopping)
        finally:
            connections.close_all()

    def _next_batch(self) -> tuple[list[Job], bool]:
        """Return what has arrived, waiting for something unless locked jobs are to be tried; and whether to stop."""
        batch: list[Job] = []
        while len(batch) < MAX_BATCH:
            try:
                wait = not batch
                job = self._queue.get(block=wait, timeout=AGAIN_SECONDS if self._locked else None)
            except queue.Empty:
                break
            if job is None:
                return batch, True
            batch.append(job)
        return batch, False

    def _store(self, new: list[Job], *, is_last: bool) -> None:
        now = time.monotonic()
        waiting = self._locked + [(job, now + LOCK_SECONDS) for job in new]
        batch = [job for job, _ in waiting]
        results = self._results(batch) if batch else []
        self._locked = []
        stored: list[Receipt] = []
        by_loop: defaultdict[asyncio.AbstractEventLoop, list[_Settled]] = defaultdict(list)
        for (job, until), found in zip(waiting, results, strict=True):
            if found is None and until > now and not is_last:
                self._locked.append((job, until))
                continue
            result = found or Refusal(Code.BUSY)
            if isinstance(result, Receipt) and result.is_new:
                stored.append(result)
                meters.storing.observe(max(0.0, time.time() - job.came_at))
            if job.future is not None:
                by_loop[job.future.get_loop()].append((job.future, result))
        if stored:
            meters.stored.inc(len(stored))
            self._on_stored(stored)
        for loop, settled in by_loop.items():
            _settle(loop, settled)

    def _results(self, batch: list[Job]) -> Sequence[Result | None]:
        connection.close_if_unusable_or_obsolete()
        try:
            return store_unlocked(batch)
        except Exception as error:
            # A bug must not end the thread: every sender would wait for ever. The pages keep their texts and resend.
            log.exception("The writer failed.")
            return [error for _ in batch]


def _settle(loop: asyncio.AbstractEventLoop, settled: "list[_Settled]") -> None:
    """Hand results to the loop that waits for them, waking it once; a sender may be gone by now."""

    def tell() -> None:
        for future, result in settled:
            if future.done():
                continue
            if isinstance(result, Receipt):
                future.set_result(result)
            else:
                future.set_exception(result)

    try:
        loop.call_soon_threadsafe(tell)
    except RuntimeError:
        log.info("A sender's loop had ended before its text was stored.")
