"""Which HITs are on offer that no row of ours carries, since the answer to publishing them was lost?

One is ours when it leads to this recruitment's own page and carries its annotation. It is taken over, so that what is
submitted to it is seen: it stays on offer where seats are offered and its qualifications are right, else it is expired.
"""

import logging
import re
from dataclasses import dataclass

from collector.lib import clock
from hits import lifecycle, qualifications
from hits.marketplace.base import Marketplace, Published
from hits.models import Hit, HitState, Recruitment
from hits.offers import task_url, wanted_of

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Found:
    """How many strays were taken over and left on offer, and how many were expired."""

    kept: int = 0
    expired: int = 0


def take_over(recruitment: Recruitment, market: Marketplace) -> Found:
    """Take over every stray of a recruitment, and return how many they were. Raises MarketplaceError."""
    kept = expired = 0
    for published in _strays(recruitment, market):
        hit = _adopt(recruitment, published, market)
        if lifecycle.is_offering(recruitment) and _is_as_asked(recruitment, published):
            kept += 1
        else:
            market.expire(published.hit_id)
            Hit.objects.filter(pk=hit.pk).update(expires_at=clock.now())
            expired += 1
        log.warning("HIT %d of %s was on offer without our knowing.", hit.pk, recruitment)
    return Found(kept, expired)


def _strays(recruitment: Recruitment, market: Marketplace) -> list[Published]:
    url, begins = task_url(recruitment), f"collector:{recruitment.pk}:"
    listed = [each for each in market.hits() if each.url == url and each.annotation.startswith(begins)]
    # Asked after the list was read: what was published meanwhile has its row.
    known = set(recruitment.hits.exclude(external_id="").values_list("external_id", flat=True))
    return [each for each in listed if each.hit_id not in known]


def _adopt(recruitment: Recruitment, published: Published, market: Marketplace) -> Hit:
    """Write a stray down in the row that it was published for, or in a new one where that row is gone."""
    number = re.fullmatch(r"collector:\d+:(\d+)", published.annotation)
    row = recruitment.hits.filter(pk=int(number[1]), external_id="").first() if number else None
    hit = row or Hit(recruitment=recruitment, environment=recruitment.environment, planned_at=clock.now())
    hit.endpoint, hit.reward, hit.external_id = market.endpoint, published.reward, published.hit_id
    hit.state, hit.expires_at, hit.trouble = HitState.OPEN, published.expires_at, ""
    hit.published_at = hit.published_at or clock.now()
    hit.save()
    return hit


def _is_as_asked(recruitment: Recruitment, published: Published) -> bool:
    asked = qualifications.requirements(wanted_of(recruitment), recruitment.environment)
    return not qualifications.differences(asked, list(published.requirements))
