"""Errors as they happen, for a Sentry of the researcher's choice: where SENTRY_DSN is set, else nowhere.

What is sent names places in the code and our own ids. Local variables, request bodies, cookies and user data stay here:
a frame on the stack of a chat holds what somebody wrote, a request's address holds a token.
"""

from typing import Any

import sentry_sdk
from django.conf import settings

from collector.lib.tokens import redact

_KEPT = ("event_id", "timestamp", "platform", "level", "logger", "release", "exception", "contexts", "transaction")


def start() -> None:
    """Begin to send."""
    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        release=settings.VERSION,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        traces_sample_rate=0.0,
        before_send=strip,  # type: ignore[arg-type]  # an event is a dictionary of no use to name here
    )


def strip(event: dict[str, Any], hint: dict[str, Any]) -> dict[str, Any]:
    """Return what may leave of an event: the kind and place of an error, its own words without tokens and ids."""
    kept = {name: event[name] for name in _KEPT if name in event}
    kept["contexts"] = {"runtime": event.get("contexts", {}).get("runtime", {})}
    for error in kept.get("exception", {}).get("values", []):
        error["value"] = redact(str(error.get("value", "")))[:200]
    return kept
