"""What is done for hits in the background? Each task is safe to run twice, and a lost one is made up by the next."""

from celery import shared_task

from hits import ledger, settlement


@shared_task
def settle() -> int:
    """Work out what ended participations are owed; return how many."""
    return settlement.settle_all()


@shared_task
def look_after_the_ledger() -> int:
    """Mark what a killed process was sending as not known; return how many."""
    return ledger.give_up_on_the_dead()
