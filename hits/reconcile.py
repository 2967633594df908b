"""Do the marketplace's books and ours agree? Marks are compared and repaired both ways, HITs that nobody knew of are
taken over, money is compared and shown.

Nothing is paid or called back here: a difference is put into words for a person. What was paid by hand is not in the
marketplace's books, and is left out of ours.
"""

import logging
from decimal import Decimal

from django.db.models import Q, QuerySet

from collector.lib import clock
from hits import marking, strays
from hits.ledger import sum_of
from hits.marketplace import environments
from hits.marketplace.base import Marketplace, MarketplaceError
from hits.models import (
    Assignment,
    EntryState,
    LedgerEntry,
    Mark,
    Reconciliation,
    Recruitment,
    RecruitmentState,
)

log = logging.getLogger(__name__)

UNDER_WAY = (EntryState.SENDING, EntryState.UNKNOWN)


def reconcile_all() -> dict[str, str]:
    """Compare every recruitment that was ever launched; trouble with one does not stop the others."""
    said = {}
    for recruitment in Recruitment.objects.exclude(state=RecruitmentState.DRAFT).select_related("study__collection"):
        try:
            found = reconcile(recruitment, environments.adapter(recruitment.environment))
            lines = [found.in_words or "The books agree.", found.strays_in_words]
            said[str(recruitment)] = " ".join(filter(None, lines))
        except MarketplaceError as error:
            log.warning("Reconciling %s: %s", recruitment, error.sentence)
            said[str(recruitment)] = error.sentence
    return said


def reconcile(recruitment: Recruitment, market: Marketplace) -> Reconciliation:
    """Repair the marks, take strays over, compare the money, and keep what was found."""
    found = strays.take_over(recruitment, market)
    given, taken = repair_marks(recruitment, market)
    entries = of_recruitment(recruitment)
    paid = entries.filter(state=EntryState.PAID, is_by_hand=False)
    theirs, unknown = _paid_by(recruitment, market)
    made = Reconciliation.objects.create(
        recruitment=recruitment,
        at=clock.now(),
        ledger=sum_of(paid),
        marketplace=theirs,
        open_amount=sum_of(entries.filter(state__in=UNDER_WAY)),
        unknown_amount=unknown,
        marks_given=given,
        marks_taken=taken,
        strays_kept=found.kept,
        strays_expired=found.expired,
    )
    if made.difference:
        log.warning("The books of %s differ: %s", recruitment, made.in_words)
    return made


def of_recruitment(recruitment: Recruitment) -> QuerySet[LedgerEntry]:
    """Return what is paid through a recruitment: for its participations, its compensations, its other submissions."""
    parts = Assignment.objects.filter(hit__recruitment=recruitment, participation__isnull=False)
    of_work = Q(participation__in=parts.values("participation"), compensation__isnull=True)
    of_others = Q(compensation__recruitment=recruitment) | Q(assignment__hit__recruitment=recruitment)
    return LedgerEntry.objects.filter(of_work | of_others)


def repair_marks(recruitment: Recruitment, market: Marketplace) -> tuple[int, int]:
    """Let exactly those hold the mark who are to; return how many were given and taken away."""
    if not recruitment.mark_id:
        return 0, 0
    wanted = dict(marking.wanted(recruitment).values_list("external_id", "pk"))
    held = set(market.marked(recruitment.mark_id))
    missing, surplus = sorted(wanted.keys() - held), sorted(held - wanted.keys())
    for external_id in missing:
        market.exclude(recruitment.mark_id, external_id)
    for external_id in surplus:
        market.include(recruitment.mark_id, external_id)
    now = clock.now()
    Mark.objects.filter(recruitment=recruitment).exclude(worker__in=marking.wanted(recruitment)).delete()
    rows = [Mark(recruitment=recruitment, worker_id=pk, at=now) for pk in wanted.values()]
    Mark.objects.bulk_create(rows, ignore_conflicts=True)
    return len(missing), len(surplus)


def _paid_by(recruitment: Recruitment, market: Marketplace) -> tuple[Decimal, Decimal]:
    """Return what the marketplace has paid, and how much of it for submissions that we know nothing of."""
    known = Assignment.objects.filter(hit__recruitment=recruitment)
    known = known.filter(Q(participation__isnull=False) | Q(entry__isnull=False))
    ours = set(known.values_list("external_id", flat=True))
    total, unknown = Decimal(0), Decimal(0)
    for hit_id, reward in recruitment.hits.exclude(external_id="").values_list("external_id", "reward"):
        for said in market.submissions(hit_id):
            if said.state == "approved":
                total += reward
                unknown += reward if said.assignment_id not in ours else 0
        total += sum(market.bonuses(hit_id), Decimal(0))
    for each in recruitment.compensations.exclude(hit_id=""):
        for said in market.submissions(each.hit_id):
            if said.state == "approved":
                total += each.amount
                unknown += each.amount if said.assignment_id != each.assignment_id else 0
    return total, unknown
