"""How did a participation end? Written once, by compare-and-set, in the transaction that ends it."""

from django.db import transaction
from django.dispatch import Signal

from collector.lib import clock
from collector.studies.models import Fault, Outcome, Participation

participation_ended = Signal()
"""A hint, sent after commit with ``participation_id``; what must happen is found by a sweep."""


def end(
    participation_id: int, outcome: Outcome, fault: Fault = Fault.NOBODY, *, waited_seconds: int | None = None
) -> bool:
    """End a participation; return False when it had ended already. Call inside the transaction that knows why."""
    changes: dict[str, object] = {"ended_at": clock.now(), "outcome": outcome, "fault": fault}
    if waited_seconds is not None:
        changes["waited_seconds"] = waited_seconds
    ended = Participation.objects.filter(pk=participation_id, ended_at__isnull=True).update(**changes)
    if ended:
        transaction.on_commit(
            lambda: participation_ended.send_robust(Participation, participation_id=participation_id) and None
        )
    return bool(ended)
