"""How many seats are on offer at a time? A person raises or lowers it while a study runs.

Every HIT is one seat of one assignment, which keeps the marketplace's fee low and lets any two seats meet. So raising
publishes further HITs, which ``lifecycle`` does by itself, and no assignments are added to one; lowering takes HITs
back that nobody has accepted.
"""

from django.db.models import Exists, OuterRef, QuerySet

from collector.lib import clock
from hits.marketplace.base import Marketplace
from hits.models import Assignment, Hit, HitState, Recruitment, RecruitmentState

LEAST, MOST = 2, 200
STARTED = (RecruitmentState.PILOT, RecruitmentState.PILOTED, RecruitmentState.RUNNING, RecruitmentState.PAUSED)


class CannotChange(Exception):
    """Why the number was not changed, in a sentence."""


def free(recruitment: Recruitment) -> QuerySet[Hit]:
    """Return the HITs that are on offer, or will be at once, and that nobody has taken, as last seen."""
    rows = Hit.objects.filter(recruitment=recruitment, state__in=[HitState.PLANNED, HitState.OPEN])
    rows = rows.filter(~Exists(Assignment.objects.filter(hit=OuterRef("pk"))), pending=0)
    return rows.exclude(state=HitState.OPEN, expires_at__lte=clock.now())


def checked(recruitment: Recruitment, typed: str) -> int:
    """Return the number that was typed. Raises CannotChange where it is none, or changes nothing."""
    number = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 6 else 0
    if not LEAST <= number <= MOST:
        raise CannotChange(f"Seats at a time: a whole number from {LEAST} to {MOST}, not {typed[:40]!r}.")
    if recruitment.state not in STARTED:
        raise CannotChange("Recruiting has not begun, or is over: there are no seats to raise or lower.")
    if number == recruitment.open_at_once:
        raise CannotChange(f"{number} seats are offered at a time already.")
    return number


def change(recruitment: Recruitment, was: int, to: int) -> None:
    """Offer so many seats at a time from the next look on. Raises CannotChange where somebody was faster."""
    if not Recruitment.objects.filter(pk=recruitment.pk, open_at_once=was).update(open_at_once=to):
        raise CannotChange("Somebody else has changed it meanwhile. Look at the new number first.")


def take_back(recruitment: Recruitment, market: Marketplace) -> int:
    """Expire the newest free HITs beyond the number a person chose; return how many. Who is inside may finish."""
    rows = free(recruitment).filter(state=HitState.OPEN).order_by("-pk")
    surplus = list(rows[: max(0, rows.count() - recruitment.open_at_once)])
    for hit in surplus:
        market.expire(hit.external_id)
        Hit.objects.filter(pk=hit.pk).update(expires_at=clock.now())
    return len(surplus)
