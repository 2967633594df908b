"""What does a person decide about the pay of one participation? More than the announced rules give, with a reason.

What was announced is a promise, and what was paid cannot be called back: neither is ever lowered. The difference is an
entry of its own in the ledger, which is paid as all others and can be taken back until it is sent.
"""

import uuid
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet, Sum

from collector.lib.text import dollars
from collector.studies.models import Participation, Worker
from hits import ledger, settlement
from hits.models import EntryKind, EntryState, LedgerEntry
from hits.people import CannotDo, check_bonus


def pay_of(participation: Participation) -> QuerySet[LedgerEntry]:
    """Return the entries that are a participation's pay: owed or paid, without bonuses for quality."""
    rows = LedgerEntry.objects.filter(participation=participation).exclude(state=EntryState.UNDONE)
    return rows.exclude(kind=EntryKind.QUALITY)


def pay_by_participation(worker: Worker) -> dict[int | None, Decimal]:
    """Return the pay of each participation of a worker, in US dollars."""
    rows = LedgerEntry.objects.filter(worker=worker).exclude(state=EntryState.UNDONE).exclude(kind=EntryKind.QUALITY)
    return dict(rows.values_list("participation").annotate(sum=Sum("amount")).order_by())


def correct(
    worker: Worker,
    participation_id: int,
    total: Decimal,
    reason: str,
    who: User,
    key: uuid.UUID,
    *,
    confirmed: bool,
) -> LedgerEntry:
    """Plan what a participation is to be paid above what it is owed, so that its pay is ``total`` US dollars in all.

    The same key again returns what is there. Raises CannotDo.
    """
    name = f"correction-{key}"
    with transaction.atomic():
        found = Participation.objects.select_for_update(of=("self",)).filter(pk=participation_id, worker=worker).first()
        if found is None or found.ended_at is None:
            raise CannotDo("Choose a participation that has ended.")
        if known := LedgerEntry.objects.filter(key=name, participation=found).first():
            return known
        if not confirmed:
            raise CannotDo("Confirm that the pay of this participation is to be another than the rules give.")
        settlement.settle(found.pk)
        owed = ledger.sum_of(pay_of(found))
        if not total > owed:
            raise CannotDo(
                f"{dollars(owed)} is announced for it or paid: that is a promise and is not lowered. "
                "Name more, or nothing."
            )
        check_bonus(worker, found, total - owed, reason)
        try:
            return ledger.plan(
                worker.pk, found.study_id, EntryKind.CORRECTION, total - owed, reason.strip()[:300], name,
                participation=found, who=who,
            )  # fmt: skip
        except ValueError as error:
            raise CannotDo(str(error)) from None
