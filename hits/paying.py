"""Who is paid now? What was decided, through the ledger, within the ceilings; the rest waits and says why."""

from django.db.models import Q

from collector.lib import clock
from hits import ceilings, compensating, ledger, settlement
from hits.lifecycle import pause
from hits.marketplace.base import Marketplace
from hits.models import Assignment, AssignmentState, Decision, EntryKind, EntryState, LedgerEntry, Recruitment


def due(recruitment: Recruitment) -> list[int]:
    """Return the entries to pay now, a worker's reward before what is paid on top of it."""
    decided = Q(state=AssignmentState.APPROVED) | Q(state=AssignmentState.SUBMITTED, approve_at__lte=clock.now())
    # In two questions: as one, PostgreSQL joins row by row when it has no statistics of many new rows yet.
    rows = Assignment.objects.filter(decided, hit__recruitment=recruitment)
    found = list(rows.values_list("pk", "participation"))
    of_work = Q(participation__in=[part for _, part in found]) | Q(assignment__in=[pk for pk, _ in found])
    entries = LedgerEntry.objects.filter(of_work, state=EntryState.PLANNED)
    entries = entries.exclude(kind=EntryKind.COMPENSATION)  # which has a submission of its own
    rewards = entries.filter(kind=EntryKind.REWARD).order_by("pk").values_list("pk", flat=True)
    others = entries.exclude(kind=EntryKind.REWARD).order_by("pk").values_list("pk", flat=True)
    return [*rewards, *others, *compensating.due(recruitment)]


def pay_due(recruitment: Recruitment, market: Marketplace) -> str:
    """Settle, resolve what is not known, pay what is due; return why it stopped, or an empty text.

    Without money nothing more is offered either: nobody is to work for an account that cannot pay.
    """
    settlement.settle_all()
    _plan_others(recruitment)
    of_work = Q(participation__in=Assignment.objects.filter(hit__recruitment=recruitment).values("participation"))
    others = Q(compensation__recruitment=recruitment) | Q(assignment__hit__recruitment=recruitment)
    unknown = LedgerEntry.objects.filter(of_work | others, state=EntryState.UNKNOWN)
    for pk in unknown.values_list("pk", flat=True):
        ledger.resolve(pk, market)
    stopped = ledger.pay_all(market, due(recruitment), ceilings.of(recruitment))
    if stopped:
        pause(recruitment, stopped)
    return stopped


def _plan_others(recruitment: Recruitment) -> None:
    """Plan the reward of what a person has approved and no participation is paid on: we do not know what it is for."""
    rows = Assignment.objects.filter(hit__recruitment=recruitment, decision=Decision.APPROVE, entry__isnull=True)
    rows = rows.filter(state=AssignmentState.SUBMITTED).select_related("hit", "participation", "decided_by")
    for row in rows:
        if row.participation is None or row.participation.entry.get("assignmentId") != row.external_id:
            ledger.plan(
                row.worker_id, recruitment.study_id, EntryKind.REWARD, row.hit.reward, "for submitting",
                f"assignment-{row.pk}", assignment=row, who=row.decided_by,
            )  # fmt: skip
