"""How is somebody paid who could not submit? By a HIT that only they can see, which need only be submitted.

A person plans it, with a reason; the worker process makes a qualification that this one worker holds, offers a HIT that
requires it, approves what they submit through the ledger, and takes the qualification away. Rows come first and all
names carry their key, so each step can be repeated, and what was lost half-way is found again.
"""

import logging
import uuid
from datetime import timedelta
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext

from collector.lib import clock, languages
from collector.lib.text import dollars
from collector.studies.models import Participation, Worker
from hits import ceilings, ledger, qualifications
from hits.marketplace.base import Marketplace, MarketplaceError, Offer
from hits.models import Compensation, CompensationState, EntryKind, EntryState, LedgerEntry, Recruitment
from hits.offers import our_origin
from hits.qualifications import Wanted
from hits.reviewing import LEAST_REASON

log = logging.getLogger(__name__)

LIFETIME = timedelta(days=30)
RENEW_BEFORE = timedelta(days=1)
OVER = (CompensationState.DONE, CompensationState.WITHDRAWN, CompensationState.FAILED)


class CannotCompensate(Exception):
    """Why it was not planned or taken back, in a sentence."""


def plan(
    recruitment: Recruitment,
    worker: Worker,
    amount: Decimal,
    reason: str,
    who: User,
    key: uuid.UUID,
    participation: Participation | None = None,
) -> Compensation:
    """Write down that a worker is to be compensated; the same key again returns what is there.

    Raises CannotCompensate.
    """
    if len(reason.strip()) < LEAST_REASON:
        raise CannotCompensate(f"A compensation needs a reason of {LEAST_REASON} characters or more.")
    if (worker.marketplace, worker.environment) != ("mturk", recruitment.environment):
        raise CannotCompensate(f"This worker did not come from {recruitment.get_environment_display()}.")
    if worker.is_forgotten:
        raise CannotCompensate("Their id was removed: nothing can be offered to them.")
    if not 0 < amount <= recruitment.worker_day_ceiling:
        raise CannotCompensate(
            f"The amount must be above 0 and within the ceiling of {dollars(recruitment.worker_day_ceiling)}."
        )
    known = Compensation.objects.filter(key=key).exists()
    if not known and (said := ceilings.objection(recruitment, worker, _on_top(amount, participation))):
        raise CannotCompensate(said)
    try:
        with transaction.atomic():
            entry = ledger.plan(
                worker.pk, recruitment.study_id, EntryKind.COMPENSATION, amount, reason.strip(), f"compensation-{key}",
                participation=participation, who=who,
            )  # fmt: skip
            made, _ = Compensation.objects.get_or_create(
                key=key,
                defaults={
                    "recruitment": recruitment, "worker": worker, "entry": entry, "amount": amount,
                    "reason": reason.strip(), "who": who, "at": clock.now(),
                },
            )  # fmt: skip
    except ValueError as error:
        raise CannotCompensate(str(error)) from None
    return made


def _on_top(amount: Decimal, participation: Participation | None) -> Decimal:
    """Return how much is owed more than before: a participation's own pay is owed already."""
    if participation is None:
        return amount
    owed = LedgerEntry.objects.filter(participation=participation, state=EntryState.PLANNED)
    return max(Decimal(0), amount - ledger.sum_of(owed))


def take_back(pk: int, who: User) -> None:
    """Ask for a compensation to be taken back. Raises CannotCompensate once it has been submitted."""
    standing = (CompensationState.PLANNED, CompensationState.OFFERED, CompensationState.FAILED)
    found = Compensation.objects.filter(pk=pk, state__in=standing)
    if not found.update(undone_by=who, state=CompensationState.PLANNED):
        raise CannotCompensate("It has been submitted or paid, and cannot be taken back.")


def try_again(pk: int) -> None:
    """Offer again what could not be offered."""
    Compensation.objects.filter(pk=pk, state=CompensationState.FAILED).update(state=CompensationState.PLANNED)


def address(compensation: Compensation) -> str:
    """Return the address that the HIT shows in its frame."""
    return our_origin() + reverse("compensation", args=[compensation.key])


def is_waiting(recruitment: Recruitment) -> bool:
    """Tell whether any compensation is under way."""
    return recruitment.compensations.exclude(state__in=OVER).exists()


def due(recruitment: Recruitment) -> list[int]:
    """Return the entries whose HIT was submitted."""
    rows = recruitment.compensations.filter(state=CompensationState.SUBMITTED, entry__state=EntryState.PLANNED)
    return list(rows.order_by("pk").values_list("entry_id", flat=True))


def carry_out(recruitment: Recruitment, market: Marketplace) -> None:
    """Bring every compensation one step further. Trouble with one does not stop the others."""
    rows = recruitment.compensations.exclude(state__in=OVER).order_by("pk")
    for compensation in rows.select_related("worker", "entry", "undone_by", "recruitment__study"):
        try:
            _advance(compensation, market)
        except MarketplaceError as error:
            log.warning("Compensation %d: %s", compensation.pk, error.sentence)
            _note(compensation, trouble=error.sentence[:300])
            if error.is_final and compensation.undone_by is None:
                _note(compensation, state=CompensationState.FAILED)


def _advance(compensation: Compensation, market: Marketplace) -> None:
    if compensation.assignment_id:
        if compensation.entry.state == EntryState.PAID:
            _close(compensation, market, CompensationState.DONE)
        return
    # What was paid by hand, or taken back in the ledger, is offered no more.
    settled = compensation.entry.state in (EntryState.PAID, EntryState.UNDONE)
    if compensation.undone_by is None and not settled:
        _offer(compensation, market)
        _take(compensation, market)
    elif not compensation.mark_id:
        _withdraw(compensation)
    else:
        _offer(compensation, market)  # an answer may have been lost: under its token it is found, or made and expired
        market.expire(compensation.hit_id)
        # Looked at in this order: who had accepted it before it expired has submitted it, or still may.
        is_free = market.look(compensation.hit_id).pending == 0
        if not _take(compensation, market) and is_free:
            _close(compensation, market)
            _withdraw(compensation)


def _offer(compensation: Compensation, market: Marketplace) -> None:
    worker, environment = compensation.worker, compensation.recruitment.environment
    if not compensation.mark_id:
        name = f"Payment {compensation.key}"
        _note(compensation, mark_id=market.make_mark(name, "Holds who is to get one payment from us."))
    wanted = Wanted(None, None, (), required=(compensation.mark_id,))
    asked = qualifications.requirements(wanted, environment)
    if not compensation.hit_id:
        market.exclude(compensation.mark_id, worker.external_id)
        if not compensation.type_id:
            _note(compensation, type_id=market.offer(_offer_of(compensation, tuple(asked))))
        token, note = f"collector-pay-{compensation.key}", f"collector:pay:{compensation.key}"
        lifetime = int(LIFETIME.total_seconds())
        made = market.publish(compensation.type_id, address(compensation), token, note, lifetime)
        _note(compensation, hit_id=made.hit_id)
    found = market.look(compensation.hit_id)
    if said := qualifications.differences(asked, list(found.requirements)):
        market.expire(compensation.hit_id)
        raise MarketplaceError("other_requirements", f"Others could see it: {said[0]}.", is_final=True)
    is_ending = found.expires_at is not None and found.expires_at - clock.now() < RENEW_BEFORE
    if is_ending and found.available and compensation.undone_by is None:
        market.renew(compensation.hit_id, clock.now() + LIFETIME)
    _note(compensation, state=CompensationState.OFFERED, trouble="")


def _offer_of(compensation: Compensation, requirements: tuple[dict[str, object], ...]) -> Offer:
    study = compensation.recruitment.study
    with languages.speaking(study.language):
        title = gettext("A payment for you: {title}").format(title=study.title)
        what = gettext("We owe you this for an earlier task of ours. There is nothing to do: accept it and submit it.")
    return Offer(
        title=title[:128],
        description=what,
        keywords="payment, compensation",
        reward=compensation.amount,
        duration=3600,
        auto_approval=3 * 24 * 3600,
        requirements=requirements,
    )


def _take(compensation: Compensation, market: Marketplace) -> bool:
    """Look whether the worker has submitted; nobody else's submission is paid."""
    for said in market.submissions(compensation.hit_id):
        if said.worker_id != compensation.worker.external_id:
            raise MarketplaceError("other_worker", "Somebody else has submitted it. Look at it.", is_final=True)
        _note(compensation, assignment_id=said.assignment_id, state=CompensationState.SUBMITTED, trouble="")
        return True
    return False


def _close(compensation: Compensation, market: Marketplace, state: CompensationState | None = None) -> None:
    market.include(compensation.mark_id, compensation.worker.external_id)
    if state is not None:
        _note(compensation, state=state)


def _withdraw(compensation: Compensation) -> None:
    if compensation.undone_by is not None:
        entry = LedgerEntry.objects.get(pk=compensation.entry_id)
        ledger.take_back(entry, compensation.undone_by)
    _note(compensation, state=CompensationState.WITHDRAWN, trouble="")


def _note(compensation: Compensation, **fields: str) -> None:
    for name, value in fields.items():
        setattr(compensation, name, value)
    compensation.save(update_fields=list(fields))
