"""Is every amount paid exactly once? Planned, sending, then paid, failed or unknown.

A row is committed as planned before anything is sent, and as sending before the call. "Already done" is paid. What is
not known (an answer lost, a process killed while sending) is looked up before it is sent again; within the life of a
token sending again is the same payment, beyond it only what is certainly not there is sent.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from typing import Protocol

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet, Sum

from collector.lib import clock
from collector.lib.text import dollars
from collector.studies.models import Participation, Study, Worker
from hits.models import Assignment, EntryKind, EntryState, LedgerEntry

log = logging.getLogger(__name__)

_MAY_BE_PAID = (EntryState.SENDING, EntryState.PAID, EntryState.UNKNOWN)
SENDING_FOR = timedelta(minutes=15)
"""An entry that has been sending for longer was sent by a process that is gone: its result is not known."""
TOKEN_LIFE = timedelta(hours=23)
"""Marketplaces forget tokens after 24 hours; an hour less, for clocks that differ."""


class Answer(Enum):
    """What a marketplace says to a payment."""

    PAID = "paid"
    FAILED = "failed"
    UNKNOWN = "unknown"
    NO_MONEY = "no money"
    LATER = "later"
    """Nothing was done, and it may be tried again: throttled, or the work is not submitted yet."""


@dataclass(frozen=True)
class Paid:
    """The answer to a payment, with the marketplace's name for it or the trouble in a sentence."""

    answer: Answer
    reference: str = ""
    trouble: str = ""


class Payer(Protocol):
    """What the ledger needs of a marketplace."""

    def pay(self, entry: LedgerEntry) -> Paid:
        """Pay an entry under its token. Says UNKNOWN where an answer was lost; never raises for that."""

    def find(self, entry: LedgerEntry) -> Paid | None:
        """Look an entry's payment up: PAID when it is there, None when it certainly is not, UNKNOWN otherwise."""


class CeilingReached(Exception):
    """A payment would pass a limit that a person has set; nothing was sent."""


@dataclass(frozen=True)
class Ceilings:
    """How much may be paid at most, in US dollars; None: as much as is owed."""

    worker_and_day: Decimal | None = None
    day: Decimal | None = None
    study: Decimal | None = None


def plan(
    worker: int,
    study: int,
    kind: EntryKind,
    amount: Decimal,
    why: str,
    key: str,
    *,
    participation: Participation | None = None,
    assignment: Assignment | None = None,
    who: User | None = None,
) -> LedgerEntry:
    """Write down that something is owed, and return it; the same key again returns what is there.

    Raises ValueError when the key stands for another amount or worker: one reason is owed once.
    """
    if amount <= 0 or amount != amount.quantize(Decimal("0.01")):
        raise ValueError(f"{amount} is no amount in whole cents above zero.")
    now = clock.now()
    entry, is_new = LedgerEntry.objects.get_or_create(
        key=key,
        defaults={
            "worker_id": worker,
            "study_id": study,
            "participation": participation,
            "assignment": assignment,
            "kind": kind,
            "amount": amount,
            "why": why,
            "who": who,
            "at": now,
            "changed_at": now,
        },
    )
    if not is_new and (entry.worker_id, entry.amount) != (worker, amount):
        raise ValueError(f"{key} is in the ledger already, as ${entry.amount} for worker {entry.worker_id}.")
    return entry


def send(entry_id: int, payer: Payer, ceilings: Ceilings = Ceilings()) -> EntryState:
    """Pay one entry, unless another process does or has; return its state. Raises CeilingReached."""
    _send(entry_id, payer, ceilings)
    return EntryState(LedgerEntry.objects.values_list("state", flat=True).get(pk=entry_id))


def _send(entry_id: int, payer: Payer, ceilings: Ceilings) -> Answer | None:
    """Pay one entry and return what the marketplace said, None when nothing was sent."""
    entry = _claim(entry_id, ceilings)
    if entry is None:
        return None
    said = payer.pay(entry)
    _note(entry, said)
    return said.answer


def resolve(entry_id: int, payer: Payer) -> EntryState:
    """Find out what became of an entry whose result is not known; one that certainly was not paid is planned again."""
    entry = LedgerEntry.objects.get(pk=entry_id)
    if entry.state != EntryState.UNKNOWN:
        return EntryState(entry.state)
    found = payer.find(entry)
    if found is None:
        trouble = "It was looked up and had not been paid."
        # Within its life the token keeps a late payment and the next one the same; after that the search is certain.
        first_sent_at = None if _token_is_forgotten(entry) else entry.first_sent_at
        _move(entry, EntryState.UNKNOWN, EntryState.PLANNED, trouble, first_sent_at=first_sent_at)
        return EntryState.PLANNED
    if found.answer == Answer.PAID:
        return _note(entry, found)
    return EntryState.UNKNOWN


def retry(entry: LedgerEntry, who: User) -> None:
    """Plan a failed entry again, because a person says so."""
    if _move(entry, EntryState.FAILED, EntryState.PLANNED, f"Tried again by {who}."):
        log.info("Entry %d is tried again by a person.", entry.pk)


def paid_by_hand(entry: LedgerEntry, who: User, reference: str) -> bool:
    """Mark as paid what a person has paid outside the platform; False when it was paid, or is being sent."""
    by = f"{reference} (by hand, {who})"[:100]
    for state in (EntryState.PLANNED, EntryState.FAILED, EntryState.UNKNOWN):
        if _move(entry, state, EntryState.PAID, reference=by, is_by_hand=True):
            return True
    return False


def take_back(entry: LedgerEntry, who: User) -> bool:
    """Undo what a person planned and nobody was sent; False when it may have been paid, or is of the pay rules.

    What it stood for (``replace``) is owed again.
    """
    if entry.who_id is None:
        return False
    planned = LedgerEntry.objects.filter(pk=entry.pk, first_sent_at=None, state=EntryState.PLANNED)
    failed = LedgerEntry.objects.filter(pk=entry.pk, state=EntryState.FAILED)
    changes = {"state": EntryState.UNDONE, "changed_at": clock.now(), "trouble": f"Taken back by {who}."}
    with transaction.atomic():
        is_done = bool(planned.update(**changes) or failed.update(**changes))
        if is_done:
            replaced = LedgerEntry.objects.filter(replaced_by=entry, state=EntryState.UNDONE)
            replaced.update(state=EntryState.PLANNED, changed_at=clock.now(), trouble="", replaced_by=None)
    return is_done


def replace(entries: QuerySet[LedgerEntry], by: LedgerEntry) -> int:
    """Let an entry stand for others that were never sent, so that nothing is owed twice; return for how many."""
    unsent = entries.filter(state=EntryState.PLANNED, first_sent_at=None).exclude(pk=by.pk)
    trouble = f"Entry {by.pk} stands for it."
    return unsent.update(state=EntryState.UNDONE, changed_at=clock.now(), trouble=trouble, replaced_by=by)


def give_up_on_the_dead() -> int:
    """Mark as unknown what a process was sending when it ended; return how many."""
    now = clock.now()
    stuck = LedgerEntry.objects.filter(state=EntryState.SENDING, changed_at__lt=now - SENDING_FOR)
    return stuck.update(
        state=EntryState.UNKNOWN, changed_at=now, trouble="The process that sent it ended before the answer came."
    )


def pay_all(payer: Payer, entries: Iterable[int], ceilings: Ceilings = Ceilings()) -> str:
    """Send one after the other; return why it stopped before the end, or an empty text."""
    for entry_id in entries:
        try:
            answer = _send(entry_id, payer, ceilings)
        except CeilingReached as reached:
            return str(reached)
        if answer == Answer.NO_MONEY:
            return f"{_NO_MONEY} Payments wait until it has."
    return ""


def paid(study: Study | None = None, worker: Worker | None = None) -> Decimal:
    """Return what has been paid, or may have been, in US dollars."""
    rows = LedgerEntry.objects.filter(state__in=_MAY_BE_PAID)
    if study is not None:
        rows = rows.filter(study=study)
    if worker is not None:
        rows = rows.filter(worker=worker)
    return sum_of(rows)


_NO_MONEY = "The account has not enough money."


def sum_of(rows: QuerySet[LedgerEntry]) -> Decimal:
    """Return what entries amount to, in US dollars."""
    return rows.aggregate(sum=Sum("amount"))["sum"] or Decimal(0)


def _claim(entry_id: int, ceilings: Ceilings) -> LedgerEntry | None:
    """Take an entry for sending, by compare-and-set and committed before the call; None when it is not to be sent."""
    with transaction.atomic():
        entry = LedgerEntry.objects.select_for_update(of=("self",)).select_related("worker", "study").get(pk=entry_id)
        if entry.state != EntryState.PLANNED:
            return None
        # One payment at a time is weighed against the ceilings of a study.
        Study.objects.select_for_update().get(pk=entry.study_id)
        _check_ceilings(entry, ceilings)
        now = clock.now()
        if _token_is_forgotten(entry):
            entry.state, entry.changed_at = EntryState.UNKNOWN, now
            entry.trouble = "Its token is too old to be sent again unseen; it is looked up first."
            entry.save(update_fields=["state", "changed_at", "trouble"])
            return None
        entry.state, entry.changed_at, entry.attempts = EntryState.SENDING, now, entry.attempts + 1
        entry.first_sent_at, entry.trouble = entry.first_sent_at or now, ""
        entry.save(update_fields=["state", "changed_at", "attempts", "first_sent_at", "trouble"])
    return entry


def _token_is_forgotten(entry: LedgerEntry) -> bool:
    return entry.first_sent_at is not None and clock.now() - entry.first_sent_at > TOKEN_LIFE


def limits(
    worker: Worker, study_id: int, ceilings: Ceilings, *, with_owed: bool = False
) -> list[tuple[Decimal | None, QuerySet[LedgerEntry], str]]:
    """Return each ceiling with the entries that count against it, and whom it is for: worker and day, day, study.

    Each environment has its own: what was paid in play money stops no payment of real money.
    """
    of_world = {"worker__marketplace": worker.marketplace, "worker__environment": worker.environment}
    counted, recent = Q(state__in=_MAY_BE_PAID), Q(first_sent_at__gte=clock.now() - timedelta(days=1))
    if with_owed:
        counted, recent = counted | Q(state=EntryState.PLANNED), recent | Q(state=EntryState.PLANNED)
    rows = LedgerEntry.objects.filter(counted, **of_world)
    today = rows.filter(recent)
    return [
        (ceilings.worker_and_day, today.filter(worker_id=worker.pk), "a worker within a day"),
        (ceilings.day, today, "all within a day"),
        (ceilings.study, rows.filter(study=study_id), "the study, its budget without fees"),
    ]


def _check_ceilings(entry: LedgerEntry, ceilings: Ceilings) -> None:
    for limit, rows, whom in limits(entry.worker, entry.study_id, ceilings):
        if limit is not None and sum_of(rows) + entry.amount > limit:
            raise CeilingReached(
                f"Paying {dollars(entry.amount)} would pass the ceiling of {dollars(limit)} for {whom} "
                f"({dollars(sum_of(rows))} so far). Raise the ceiling or look at the payments."
            )


def _note(entry: LedgerEntry, said: Paid) -> EntryState:
    """Write down what the marketplace said."""
    state = {
        Answer.PAID: EntryState.PAID,
        Answer.FAILED: EntryState.FAILED,
        Answer.UNKNOWN: EntryState.UNKNOWN,
        Answer.NO_MONEY: EntryState.PLANNED,
        Answer.LATER: EntryState.PLANNED,
    }[said.answer]
    trouble = _NO_MONEY if said.answer == Answer.NO_MONEY else said.trouble
    _move(entry, EntryState(entry.state), state, trouble, reference=said.reference or entry.reference)
    return state


def _move(entry: LedgerEntry, before: EntryState, after: EntryState, trouble: str = "", **more: object) -> bool:
    """Take an entry from one state to another by compare-and-set, with what else changes; False when it had moved."""
    rows = LedgerEntry.objects.filter(pk=entry.pk, state=before)
    return bool(rows.update(state=after, changed_at=clock.now(), trouble=trouble[:300], **more))
