"""What goes wrong on purpose? Takes what the control page set for an operation, once for each call."""

import time
from collections.abc import Iterable

from django.db import transaction

from hits.localmarket.models import Fault
from hits.localmarket.refusals import Refusal

Kind = Fault.Kind
LONGEST_SECONDS = 120.0


def take(operation: str) -> set[str]:
    """Return the kinds of faults that meet this call; each kind is used up once, an operation's own before ``*``."""
    if not Fault.objects.exists():
        return set()
    with transaction.atomic():
        taken: dict[str, Fault] = {}
        for fault in Fault.objects.filter(operation__in=[operation, "*"]).order_by("-operation", "id"):
            taken.setdefault(fault.kind, fault)
        if Kind.LOST in taken and {Kind.ERROR, Kind.THROTTLED} & set(taken):
            del taken[Kind.LOST]  # that call has no effect whose answer could be lost
        _use_up(taken.values())
    if Kind.SLOW in taken:
        time.sleep(min(taken[Kind.SLOW].seconds, LONGEST_SECONDS))
    return set(taken)


def _use_up(faults: Iterable[Fault]) -> None:
    for fault in faults:
        fault.remaining -= 1
        if fault.remaining:
            fault.save(update_fields=["remaining"])
        else:
            fault.delete()


def raise_before_effect(kinds: set[str]) -> None:
    """Refuse the call where a fault says so."""
    if Kind.THROTTLED in kinds:
        raise Refusal("throttled")
    if Kind.ERROR in kinds:
        raise Refusal("service_fault")
