"""What does the control page show? Everything as plain values, the same for the page and its JSON."""

from typing import Any

import msgspec

from hits.localmarket import books, clock, fees, journal
from hits.localmarket.models import Delivery, Fault, Hit, Market, Movement, Worker

SETTINGS = (
    "submission_lag", "creation_lag", "events_lost", "events_doubled", "events_reordered", "silent_after_expiry",
    "strict_frame", "reuse_assignment_ids",
)  # fmt: skip


def state() -> dict[str, Any]:
    """Return clock, balance, settings and faults."""
    market = Market.get()
    available, held = books.balance()
    return {
        "now": clock.now().isoformat(),
        "ahead_seconds": clock.offset(),
        "available": fees.to_amount(available),
        "on_hold": fees.to_amount(held),
        "settings": {name: getattr(market, name) for name in SETTINGS},
        "faults": list(Fault.objects.order_by("id").values("operation", "kind", "remaining", "seconds")),
        "hits": {status: Hit.objects.filter(status=status).count() for status in Hit.Status.values},
        "deliveries": {
            name: Delivery.objects.filter(state=name).count() for name in ("waiting", "sent", "lost", "failed")
        },
    }


def workers() -> list[dict[str, Any]]:
    """Return the workers with their records and what they earned."""
    shown = []
    everybody = list(Worker.objects.order_by("id"))
    for worker, total in zip(everybody, books.totals(everybody), strict=True):
        shown.append(
            {
                **total,
                "country": worker.country,
                "subdivision": worker.subdivision,
                "approved": worker.number_approved,
                "percent_approved": worker.percent_approved,
                "is_master": worker.is_master,
                "is_adult": worker.is_adult,
                "is_blocked": hasattr(worker, "block"),
            }
        )
    return shown


def movements(limit: int | None = None) -> list[dict[str, Any]]:
    """Return the lines of the books, newest first."""
    rows = Movement.objects.select_related("worker", "hit", "assignment").order_by("-id")[:limit]
    return [
        {
            "at": row.at.isoformat(),
            "kind": row.kind,
            "available": fees.to_amount(row.available_cents),
            "on_hold": fees.to_amount(row.held_cents),
            "worker": fees.to_amount(row.worker_cents),
            "worker_id": row.worker.worker_id if row.worker else None,
            "hit_id": row.hit.hit_id if row.hit else None,
            "assignment_id": row.assignment.assignment_id if row.assignment else None,
            "note": row.note,
        }
        for row in rows
    ]


def deliveries(limit: int = 200) -> list[dict[str, Any]]:
    """Return the event documents, newest first."""
    fields = ("document_id", "destination", "state", "attempts", "document")
    return list(Delivery.objects.order_by("-id").values(*fields)[:limit])


def everything() -> dict[str, Any]:
    """Return all that the page shows."""
    return {
        "state": state(),
        "workers": workers(),
        "movements": movements(60),
        "calls": journal.latest(40),
    }


def to_json(value: Any) -> bytes:
    """Return a value as JSON."""
    return msgspec.json.encode(value)
