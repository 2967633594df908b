"""Where does the money go? Every cent that moves is one line, and balances are sums over the lines.

What may still have to be paid for a HIT is held from its creation: reward and fee for each assignment that is open,
being worked on or undecided. An expired HIT holds nothing for places nobody took.
"""

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.db.models import Sum

from hits.localmarket import fees
from hits.localmarket.models import Assignment, Hit, HitType, Movement, Worker
from hits.localmarket.refusals import Refusal
from hits.localmarket.requirements import needs_masters

Kind = Movement.Kind


def balance() -> tuple[int, int]:
    """Return the cents that are available and those on hold."""
    sums = Movement.objects.aggregate(available=Sum("available_cents"), held=Sum("held_cents"))
    return sums["available"] or 0, sums["held"] or 0


def price(hit_type: HitType, assignments: int) -> tuple[int, int]:
    """Return reward and fee in cents for one approved assignment."""
    reward = hit_type.reward_cents
    return reward, fees.reward_fee(reward, assignments, needs_masters(hit_type.requirements))


def _need(cents: int) -> None:
    """Refuse unless that much is available."""
    if cents > balance()[0]:
        raise Refusal("funds", url=f"{settings.PUBLIC_URL}/control/")


def set_balance(cents: int, at: datetime) -> None:
    """Deposit or withdraw until that much is available."""
    difference = cents - balance()[0]
    if difference:
        Movement.objects.create(at=at, kind=Kind.DEPOSIT, available_cents=difference, note="set by the control page")


def hold(hit: Hit, assignments: int, at: datetime) -> None:
    """Hold exactly what that many assignments of a HIT may cost; refuse if there is less."""
    needed = assignments * sum(price(hit.type, hit.max_assignments))
    difference = needed - hit.held_cents
    if not difference:
        return
    if difference > 0:
        _need(difference)
    kind = Kind.HOLD if difference > 0 else Kind.RELEASE
    Movement.objects.create(at=at, kind=kind, available_cents=-difference, held_cents=difference, hit=hit)
    hit.held_cents = needed
    hit.save(update_fields=["held_cents"])


def pay_reward(assignment: Assignment, at: datetime, *, even_if_short: bool) -> None:
    """Pay a worker and the fee; refuse if there is less, unless told to pay all the same."""
    reward, fee = price(assignment.hit.type, assignment.hit.max_assignments)
    if not even_if_short:
        _need(reward + fee)
    shared = {"at": at, "hit": assignment.hit, "assignment": assignment, "worker": assignment.worker}
    Movement.objects.create(kind=Kind.REWARD, available_cents=-reward, worker_cents=reward, **shared)
    Movement.objects.create(kind=Kind.REWARD_FEE, available_cents=-fee, **shared)


def pay_bonus(assignment: Assignment, cents: int, reason: str, at: datetime) -> None:
    """Pay a bonus and its fee, or refuse."""
    fee = fees.bonus_fee(cents)
    _need(cents + fee)
    shared = {"at": at, "hit": assignment.hit, "assignment": assignment, "worker": assignment.worker}
    Movement.objects.create(kind=Kind.BONUS, available_cents=-cents, worker_cents=cents, note=reason, **shared)
    Movement.objects.create(kind=Kind.BONUS_FEE, available_cents=-fee, **shared)


def earnings(worker: Worker) -> dict[str, int]:
    """Return the cents that a worker got as rewards and as bonuses."""
    found = dict(worker.movements.values_list("kind").annotate(Sum("worker_cents")))
    return {"rewards": found.get(Kind.REWARD, 0), "bonuses": found.get(Kind.BONUS, 0)}


def totals(workers: Iterable[Worker]) -> list[dict[str, object]]:
    """Return what each worker got, for the control page and its API."""
    lines: list[dict[str, object]] = []
    for worker in workers:
        parts = earnings(worker)
        lines.append(
            {
                "worker_id": worker.worker_id,
                "name": worker.name,
                "rewards": fees.to_amount(parts["rewards"]),
                "bonuses": fees.to_amount(parts["bonuses"]),
                "total": fees.to_amount(sum(parts.values())),
            }
        )
    return lines
