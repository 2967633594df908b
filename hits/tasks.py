"""What is done for hits in the background? Each task is safe to run twice, and a lost one is made up by the next."""

import logging

from celery import shared_task

from hits import ledger, lifecycle, paying, settlement
from hits.marketplace import environments
from hits.marketplace.base import MarketplaceError
from hits.models import AssignmentState, Recruitment, RecruitmentState

log = logging.getLogger(__name__)


@shared_task
def settle() -> int:
    """Work out what ended participations are owed; return how many."""
    return settlement.settle_all()


@shared_task
def look_after_the_ledger() -> int:
    """Mark what a killed process was sending as not known; return how many."""
    return ledger.give_up_on_the_dead()


@shared_task
def look_after_hits() -> dict[str, str]:
    """Synchronise, top up and pay in every recruitment that is not over."""
    return look_after_all()


def look_after_all() -> dict[str, str]:
    """Do all that is due for every recruitment; return what came of each. Trouble with one does not stop the others."""
    said = {}
    alive = Recruitment.objects.exclude(state=RecruitmentState.DRAFT).select_related("study__collection")
    for recruitment in alive:
        is_over = recruitment.state == RecruitmentState.DONE
        waiting = recruitment.hits.filter(assignments__state=AssignmentState.SUBMITTED).exists()
        if is_over and not waiting and not lifecycle.open_hits(recruitment).exists():
            continue
        said[str(recruitment)] = _look_after(recruitment)
    return said


def _look_after(recruitment: Recruitment) -> str:
    try:
        market = environments.adapter(recruitment.environment)
        lifecycle.look_after(recruitment, market)
        return paying.pay_due(recruitment, market) or f"{lifecycle.open_hits(recruitment).count()} HITs are open."
    except MarketplaceError as error:
        log.warning("Looking after %s: %s", recruitment, error.sentence)
        return error.sentence
