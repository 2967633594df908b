"""The client that speaks to Mechanical Turk: how often it tries, how long and at what pace. The one use of boto3."""

from datetime import timedelta
from typing import Any

import boto3
from botocore.config import Config
from django.conf import settings

from collector.lib import meters
from hits.marketplace import clocks, pace

REGION = "us-east-1"
ATTEMPTS = 3
CONNECT_SECONDS = 5


class Connected:
    """The part of the adapter that holds the connection."""

    def __init__(self, environment: str, endpoint: str, key: str = "", secret: str = "") -> None:
        """Take the key and its secret, empty where boto3 is to look for them by itself."""
        self.environment, self.endpoint = environment, endpoint
        self._keys = (key or None, secret or None)
        self._ahead: timedelta | None = None
        self._client = self._connect(ATTEMPTS)

    def ahead(self) -> timedelta | None:
        """Return how far our clock is ahead of theirs, by the last answer."""
        return self._ahead

    def _connect(self, attempts: int) -> Any:
        """Return a client that tries each call so many times."""
        config = Config(
            region_name=REGION,
            retries={"mode": "standard", "total_max_attempts": attempts},
            connect_timeout=CONNECT_SECONDS,
            read_timeout=settings.MARKETPLACE_TIMEOUT,
            user_agent_extra="collector",
        )
        key, secret = self._keys
        made = boto3.client(
            "mturk",
            endpoint_url=self.endpoint,
            config=config,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
        )
        made.meta.events.register("before-send.mturk", self._wait)
        made.meta.events.register("after-call.mturk", self._hear)
        made.meta.events.register("after-call-error.mturk", self._hear_nothing)
        return made

    def _wait(self, **_: Any) -> None:
        pace.wait(self.environment)

    def _hear(self, http_response: Any, model: Any, **_: Any) -> None:
        self._ahead = clocks.ahead(http_response.headers)
        outcome = "ok" if http_response.status_code < 300 else "refused"
        meters.calls.labels(self.environment, model.name, outcome).inc()

    def _hear_nothing(self, event_name: str, **_: Any) -> None:
        meters.calls.labels(self.environment, event_name.rpartition(".")[2], "lost").inc()
