"""Who is to see no offer of a recruitment any more? Who is not let in: over the cap, excluded, from a study before, or
screened out.

What is wanted follows from our rows; the marks given are written down after each call, so that what is interrupted here
is done by the next one. Both are taken away again when their reason is gone.
"""

import logging
from collections.abc import Callable

from django.db.models import Count, Q, QuerySet

from collector.lib import clock
from collector.studies import exclusions, screening
from collector.studies.models import Outcome, Participation, Worker
from hits.marketplace.base import Marketplace, MarketplaceError
from hits.models import Mark, Recruitment

log = logging.getLogger(__name__)


def wanted(recruitment: Recruitment) -> QuerySet[Worker]:
    """Return the workers who are to hold the mark: in flight counts, since it may become complete."""
    study = recruitment.study
    counted = Q(outcome=Outcome.COMPLETE) | Q(ended_at__isnull=True)
    full = (
        Participation.objects.filter(counted, study__collection=study.collection_id)
        .values("worker")
        .annotate(number=Count("pk"))
        .filter(number__gte=study.collection.cap)
    )
    excluded = exclusions.standing(study.pk, study.collection_id)
    before = Participation.objects.filter(study__in=study.not_after.all())
    screened = screening.failed_quiz(study) | screening.failed_device(study)
    return Worker.objects.exclude(external_digest="").filter(
        Q(pk__in=full.values("worker"))
        | Q(pk__in=excluded.values("worker"))
        | Q(pk__in=before.values("worker"))
        | Q(pk__in=screened.values("worker")),
        marketplace="mturk",
        environment=recruitment.environment,
    )


def is_waiting(recruitment: Recruitment) -> bool:
    """Tell whether any mark is to be given or taken away."""
    return bool(recruitment.mark_id) and (_to_give(recruitment).exists() or _to_take(recruitment).exists())


def carry_out(recruitment: Recruitment, market: Marketplace) -> int:
    """Give the marks that are missing, take away those without a reason; return how many.

    A worker whom the marketplace knows no more stops nobody else: the mark says so.
    """
    number = 0
    for worker in _to_give(recruitment):
        trouble = refusal(market.exclude, recruitment.mark_id, worker.external_id)
        defaults = {"at": clock.now(), "trouble": trouble}
        Mark.objects.get_or_create(recruitment=recruitment, worker=worker, defaults=defaults)
        number += not trouble
    for mark in _to_take(recruitment):
        number += not refusal(market.include, recruitment.mark_id, mark.worker.external_id)
        mark.delete()
    return number


def refusal(tell: Callable[[str, str], None], mark_id: str, worker_id: str) -> str:
    """Give or take one mark; return why the marketplace will never do so, or an empty text. Raises passing trouble."""
    try:
        tell(mark_id, worker_id)
    except MarketplaceError as error:
        if not error.is_final:
            raise
        log.warning("A mark could not be given or taken: %s", error.code)
        return error.sentence[:300]
    return ""


def _to_give(recruitment: Recruitment) -> QuerySet[Worker]:
    return wanted(recruitment).exclude(pk__in=Mark.objects.filter(recruitment=recruitment).values("worker"))


def _to_take(recruitment: Recruitment) -> QuerySet[Mark]:
    rows = Mark.objects.filter(recruitment=recruitment).exclude(worker__in=wanted(recruitment))
    return rows.select_related("worker")
