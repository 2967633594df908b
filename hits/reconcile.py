"""Do the marketplace's books and ours agree? Marks are compared and repaired both ways, HITs that nobody knew of are
taken over, money is compared and shown.

Nothing is paid or called back here: a difference is put into words for a person. What was paid by hand is not in the
marketplace's books, and is left out of ours.
"""

import logging
from collections.abc import Collection
from dataclasses import dataclass, field
from decimal import Decimal

from django.db.models import Q, QuerySet

from collector.lib import clock
from hits import marking, strays
from hits.ledger import sum_of
from hits.marketplace import environments
from hits.marketplace.base import Gone, Marketplace, MarketplaceError
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
    theirs = _paid_by(recruitment, market)
    entries = of_recruitment(recruitment, without=theirs.gone)
    paid = entries.filter(state=EntryState.PAID, is_by_hand=False)
    made = Reconciliation.objects.create(
        recruitment=recruitment,
        at=clock.now(),
        ledger=sum_of(paid),
        marketplace=theirs.total,
        open_amount=sum_of(entries.filter(state__in=UNDER_WAY)),
        unknown_amount=theirs.unknown,
        gone=len(theirs.gone),
        marks_given=given,
        marks_taken=taken,
        strays_kept=found.kept,
        strays_expired=found.expired,
    )
    if made.difference:
        log.warning("The books of %s differ: %s", recruitment, made.in_words)
    return made


def of_recruitment(recruitment: Recruitment, without: Collection[str] = ()) -> QuerySet[LedgerEntry]:
    """Return what is paid through a recruitment: for its submissions and compensations; not for some HITs."""
    rows = Assignment.objects.filter(hit__recruitment=recruitment).exclude(hit__external_id__in=without)
    parts = rows.filter(participation__isnull=False)
    of_work = Q(participation__in=parts.values("participation"), compensation__isnull=True)
    of_others = Q(assignment__in=rows.values("pk"))
    compensations = recruitment.compensations.exclude(hit_id__in=without).exclude(worker__external_digest="")
    return LedgerEntry.objects.filter(of_work | of_others | Q(compensation__in=compensations.values("pk")))


def repair_marks(recruitment: Recruitment, market: Marketplace) -> tuple[int, int]:
    """Let exactly those hold the mark who are to; return how many were given and taken away."""
    if not recruitment.mark_id:
        return 0, 0
    wanted = dict(marking.wanted(recruitment).values_list("external_id", "pk"))
    held = set(market.marked(recruitment.mark_id))
    missing, surplus = sorted(wanted.keys() - held), sorted(held - wanted.keys())
    refused = {each: marking.refusal(market.exclude, recruitment.mark_id, each) for each in missing}
    taken = [each for each in surplus if not marking.refusal(market.include, recruitment.mark_id, each)]
    now, marks = clock.now(), Mark.objects.filter(recruitment=recruitment)
    marks.exclude(worker__in=marking.wanted(recruitment)).delete()
    rows = [Mark(recruitment=recruitment, worker_id=pk, at=now) for pk in wanted.values()]
    Mark.objects.bulk_create(rows, ignore_conflicts=True)
    marks.exclude(trouble="").update(trouble="")
    troubled = {each: said for each, said in refused.items() if said}
    for external_id, said in troubled.items():
        marks.filter(worker_id=wanted[external_id]).update(trouble=said)
    return len(missing) - len(troubled), len(taken)


@dataclass
class Theirs:
    """What the marketplace has paid, and how much of it for submissions that we know nothing of; in US dollars.

    ``gone``: the HITs that it keeps no more, after months; nobody can say what was paid on them.
    """

    total: Decimal = Decimal(0)
    unknown: Decimal = Decimal(0)
    gone: list[str] = field(default_factory=list)


def _paid_by(recruitment: Recruitment, market: Marketplace) -> Theirs:
    """Ask what the marketplace has paid. A HIT without a submission can have had no bonus."""
    known = Assignment.objects.filter(hit__recruitment=recruitment)
    known = known.filter(Q(participation__isnull=False) | Q(entry__isnull=False))
    ours = set(known.values_list("external_id", flat=True))
    ours |= set(recruitment.compensations.values_list("assignment_id", flat=True))
    # Whose ids were removed cannot be told from work that we know nothing of: it stands in neither sum.
    forgotten = Assignment.objects.filter(hit__recruitment=recruitment, external_digest="")
    found = Theirs(gone=list(forgotten.values_list("hit__external_id", flat=True)))
    compensated = dict(recruitment.compensations.exclude(hit_id="").values_list("hit_id", "amount"))
    offered = dict(recruitment.hits.exclude(external_id="").values_list("external_id", "reward"))
    for hit_id, reward in (offered | compensated).items():
        if hit_id in found.gone:
            continue
        try:
            submitted = list(market.submissions(hit_id))
            bonuses = sum(market.bonuses(hit_id), Decimal(0)) if submitted else Decimal(0)
        except Gone:
            found.gone.append(hit_id)
            continue
        approved = [said.assignment_id for said in submitted if said.state == "approved"]
        found.total += reward * len(approved) + bonuses
        found.unknown += reward * len(set(approved) - ours)
    return found
