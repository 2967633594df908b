"""What can a person do about one worker? Note, pay a bonus by hand, block and let back; each with who and why.

Deciding only writes down; the worker process tells the marketplace. Keeping somebody from a study is softer than a
block and is in ``collector.studies.exclusions``; paying who could not submit is in ``hits.compensating``.
"""

import logging
import uuid
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction

from collector.lib import clock
from collector.lib.text import dollars
from collector.studies.models import Participation, Worker
from hits import ceilings, ledger
from hits.marketplace.base import Marketplace, MarketplaceError
from hits.models import Assignment, Block, EntryKind, LedgerEntry, Note
from hits.reviewing import LEAST_REASON

log = logging.getLogger(__name__)

_FORGOTTEN = "Their id was removed: nobody can pay or block them by it any more."
MOST_BONUS = Decimal(100)
"""US dollars that one bonus by hand may be: a slip of the keyboard costs no more."""


class CannotDo(Exception):
    """Why something was not done, in a sentence."""


def note(worker: Worker, text: str, who: User) -> None:
    """Add a note. Raises CannotDo when it says nothing."""
    if not text.strip():
        raise CannotDo("The note is empty.")
    Note.objects.create(worker=worker, text=text.strip()[:2000], who=who, at=clock.now())


def bonus(
    worker: Worker, participation_id: int, amount: Decimal, reason: str, who: User, key: uuid.UUID
) -> LedgerEntry:
    """Plan a quality bonus for one participation; the same key again returns what is there. Raises CannotDo."""
    found = Participation.objects.filter(pk=participation_id, worker=worker, ended_at__isnull=False).first()
    if found is None:
        raise CannotDo("Choose a participation that has ended.")
    if not LedgerEntry.objects.filter(key=f"quality-{key}").exists():
        check_bonus(worker, found, amount, reason)
    try:
        return ledger.plan(
            worker.pk, found.study_id, EntryKind.QUALITY, amount, reason.strip()[:300], f"quality-{key}",
            participation=found, who=who,
        )  # fmt: skip
    except ValueError as error:
        raise CannotDo(str(error)) from None


def check_bonus(worker: Worker, participation: Participation, amount: Decimal, reason: str) -> None:
    """Raise CannotDo where a person may not plan this amount on top for a participation, or it could not be paid."""
    if len(reason.strip()) < LEAST_REASON:
        raise CannotDo(f"A bonus needs a reason of {LEAST_REASON} characters or more; the worker reads it.")
    if not 0 < amount <= MOST_BONUS:
        raise CannotDo(f"A bonus by hand is above 0 and at most {dollars(MOST_BONUS)}.")
    if worker.is_forgotten:
        raise CannotDo(_FORGOTTEN)
    if worker.marketplace != "mturk":
        return
    assignments = Assignment.objects.filter(participation=participation).select_related("hit__recruitment")
    if not (found := assignments.first()):
        raise CannotDo("There is no assignment to pay a bonus on; compensate the worker instead.")
    if said := ceilings.objection(found.hit.recruitment, worker, amount):
        raise CannotDo(said)


def take_back_bonus(worker: Worker, entry_id: int, who: User) -> None:
    """Take back a bonus or a correction that was not sent. Raises CannotDo otherwise."""
    kinds = (EntryKind.QUALITY, EntryKind.CORRECTION)
    entry = LedgerEntry.objects.filter(pk=entry_id, worker=worker, kind__in=kinds).first()
    if entry is None or not ledger.take_back(entry, who):
        raise CannotDo("It was sent already: what a worker has been paid cannot be called back.")


def block(worker: Worker, reason: str, who: User, *, confirmed: bool) -> None:
    """Decide that a worker is blocked on the marketplace. Raises CannotDo without a reason and a confirmation."""
    if worker.marketplace != "mturk":
        raise CannotDo("Only a marketplace can block; exclude the worker from the collection instead.")
    if worker.is_forgotten:
        raise CannotDo(_FORGOTTEN)
    if len(reason.strip()) < LEAST_REASON:
        raise CannotDo(f"A block needs a reason of {LEAST_REASON} characters or more.")
    if not confirmed:
        raise CannotDo("A block counts against a person's account. Confirm that you mean it.")
    defaults = {"reason": reason.strip()[:1000], "who": who, "at": clock.now()}
    with transaction.atomic():
        Block.objects.get_or_create(worker=worker, lifted_at=None, defaults=defaults)


def unblock(worker: Worker, who: User) -> bool:
    """Decide that a block is over; False when there was none."""
    return bool(Block.objects.filter(worker=worker, lifted_at=None).update(lifted_at=clock.now(), lifted_by=who))


def is_waiting(environment: str) -> bool:
    """Tell whether the marketplace is to be told of any block, or of its end."""
    return any(_is_untold(each) for each in _blocks(environment))


def carry_out_blocks(environment: str, market: Marketplace) -> int:
    """Tell the marketplace of blocks and of their ends, in their order for each worker; return how many."""
    number, troubled = 0, set()
    for each in filter(_is_untold, _blocks(environment)):
        if each.worker_id in troubled:
            continue
        try:
            if each.lifted_at is None:
                market.block(each.worker.external_id, each.reason)
            else:
                market.unblock(each.worker.external_id)  # also where we do not know whether the block was heard
        except MarketplaceError as error:
            log.warning("Block %d: %s", each.pk, error.sentence)
            Block.objects.filter(pk=each.pk).update(trouble=error.sentence[:300])
            troubled.add(each.worker_id)
            continue
        field = "done_at" if each.lifted_at is None else "undone_at"
        number += Block.objects.filter(pk=each.pk).update(**{field: clock.now(), "trouble": ""})
    return number


def _blocks(environment: str) -> list[Block]:
    rows = Block.objects.filter(worker__marketplace="mturk", worker__environment=environment, undone_at=None)
    return list(rows.select_related("worker").order_by("pk"))


def _is_untold(each: Block) -> bool:
    return each.lifted_at is not None or each.done_at is None
