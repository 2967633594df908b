"""What does one process count while it runs? Read at ``/metrics``; numbers and codes only, no names and no texts.

Each process counts for itself since its start, as Prometheus expects. What all processes share (who waits, what is
owed) is not counted here but read from the database when asked: see ``collector.operations.metrics``.
"""

from prometheus_client import Counter, Gauge, Histogram

_MOMENTS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
_WAITS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200)

sockets = Gauge("collector_sockets", "Sockets of workers' pages open in this process.")
stored = Counter("collector_texts_stored", "Texts stored and acknowledged.")
refused = Counter("collector_refusals", "Frames not taken, by the code their page was given.", ["code"])
storing = Histogram("collector_store_seconds", "From a text's arrival to its commit.", buckets=_MOMENTS)
relaying = Histogram("collector_relay_seconds", "From a text's arrival to the partner's page.", buckets=_MOMENTS)
pairings = Counter("collector_pairings", "Dialogs begun by people.")
waiting = Histogram("collector_wait_seconds", "How long workers who were paired had waited.", buckets=_WAITS)
sweeping = Histogram("collector_sweep_seconds", "How long a sweep for what ran out took.", buckets=_MOMENTS)
failed_sweeps = Counter("collector_failed_sweeps", "Sweeps that failed and were tried again.")
requests = Counter("collector_requests", "Pages and posts answered, by the class of their status.", ["status"])
answering = Histogram("collector_request_seconds", "How long a page or a post took.", buckets=_MOMENTS)
calls = Counter(
    "collector_marketplace_calls",
    "Calls to a marketplace, by environment, operation and outcome: ok, refused or lost.",
    ["environment", "operation", "outcome"],
)
"""``refused``: it answered with an error. ``lost``: no answer came, so nobody knows whether it was done."""
