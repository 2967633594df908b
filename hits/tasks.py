"""What is done for hits in the background? Each task is safe to run twice, and a lost one is made up by the next."""

import logging
from collections.abc import Callable
from datetime import timedelta

from celery import shared_task
from kombu.exceptions import OperationalError

from collector.lib import clock, logs
from hits import (
    compensating,
    launching,
    ledger,
    letters,
    lifecycle,
    mailing,
    marking,
    paying,
    people,
    reconcile,
    reviewing,
    settlement,
)
from hits.marketplace import environments
from hits.marketplace.base import Marketplace, MarketplaceError
from hits.models import Asked, AssignmentState, Recruitment, RecruitmentState

log = logging.getLogger(__name__)


class Trouble(str):
    """A sentence about what did not work, among sentences about what did."""


@shared_task
def settle() -> int:
    """Work out what ended participations are owed; return how many."""
    return settlement.settle_all()


@shared_task
def look_after_the_ledger() -> int:
    """Mark what a killed process was sending as not known; return how many."""
    return ledger.give_up_on_the_dead()


@shared_task
def mail_letters() -> int:
    """Mail the researcher what workers wrote; return how many letters."""
    return letters.mail_new()


@shared_task
def look_after_hits() -> dict[str, str]:
    """Synchronise, top up and pay in every recruitment that is not over."""
    return look_after_all()


@shared_task
def reconcile_books() -> dict[str, str]:
    """Compare our books with the marketplaces', once a night; return what was found."""
    return reconcile.reconcile_all()


def look_after_hits_soon() -> None:
    """Have it done at once rather than at the next beat; where the queue is away the beat is soon enough."""
    _ask(look_after_hits.delay)


def look_after_hits_in(span: timedelta) -> None:
    """Have it done after a span, unless the queue is away."""
    _ask(lambda: look_after_hits.apply_async(countdown=span.total_seconds()))


def _ask(send: Callable[[], object]) -> None:
    try:
        send()
    except OperationalError:
        log.warning("The task queue does not answer; what was asked for is done at the next beat.", exc_info=True)


def look_after_all() -> dict[str, str]:
    """Do all that is due for every recruitment; return what came of each. Trouble with one does not stop the others."""
    said = {}
    for recruitment in Recruitment.objects.select_related("study__collection"):
        if not _is_over(recruitment):
            said[str(recruitment)] = _look_after(recruitment)
    return said


def _is_over(recruitment: Recruitment) -> bool:
    """Tell whether nothing can happen any more: a draft that was looked at, or an end with all decided and paid."""
    environment = recruitment.environment
    if recruitment.asked or people.is_waiting(environment) or mailing.is_waiting(environment):
        return False
    if recruitment.state == RecruitmentState.DRAFT:
        return recruitment.balance is not None
    if recruitment.state != RecruitmentState.DONE or lifecycle.open_hits(recruitment).exists():
        return False
    waiting = recruitment.hits.filter(assignments__state=AssignmentState.SUBMITTED).exists()
    return not waiting and not _is_asked_for_people(recruitment)


def _is_asked_for_people(recruitment: Recruitment) -> bool:
    """Tell whether what a person decided about a worker is still to be carried out."""
    is_owed = compensating.is_waiting(recruitment) or bool(paying.due(recruitment))
    return is_owed or marking.is_waiting(recruitment) or reviewing.is_waiting(recruitment)


def _look_after(recruitment: Recruitment) -> str:
    logs.about(study=recruitment.study_id)
    try:
        market = environments.adapter(recruitment.environment)
        said = _do_what_is_due(recruitment, market)
        recruitment.balance, recruitment.looked_at, recruitment.trouble = market.balance(), clock.now(), ""
        recruitment.save(update_fields=["balance", "looked_at", "trouble"])
        return said
    except MarketplaceError as error:
        log.warning("Looking after %s: %s", recruitment, error.sentence)
        recruitment.trouble = error.sentence[:300]
        recruitment.save(update_fields=["trouble"])
        if recruitment.asked == Asked.LAUNCH:  # what else was asked for is done when the marketplace is back
            _answer(recruitment, error.sentence)
        return Trouble(error.sentence)


def _do_what_is_due(recruitment: Recruitment, market: Marketplace) -> str:
    people.carry_out_blocks(recruitment.environment, market)
    mailing.carry_out(recruitment.environment, market)
    if recruitment.asked == Asked.LAUNCH:
        try:
            launching.launch(recruitment, market)
        except launching.CannotLaunch as refused:
            _answer(recruitment, str(refused))
            return Trouble(refused)
        if recruitment.state != RecruitmentState.PAUSED:
            _answer(recruitment, "")
    elif recruitment.asked == Asked.EXPIRE:
        lifecycle.pause(recruitment, "Paused by a person.")
        number = lifecycle.expire_all(recruitment, market)
        _answer(recruitment, f"Paused by a person; {number} open seats were expired.")
    if recruitment.state == RecruitmentState.DRAFT:
        return "A draft."
    lifecycle.look_after(recruitment, market)
    reviewing.carry_out(recruitment, market)
    compensating.carry_out(recruitment, market)
    return paying.pay_due(recruitment, market) or f"{lifecycle.open_hits(recruitment).count()} HITs are open."


def _answer(recruitment: Recruitment, why: str) -> None:
    """Say what came of what was asked."""
    recruitment.asked, recruitment.why = "", why[:300]
    recruitment.save(update_fields=["asked", "why"])
