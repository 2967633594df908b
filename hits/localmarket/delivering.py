"""Who sends the events, and who sees that time passes? One background thread, started with the server."""

import logging
import threading
import time

import httpx
from django.db import connection

from hits.localmarket.models import Delivery
from hits.localmarket.sweeping import sweep

EVERY_SECONDS = 0.5
MOST_ATTEMPTS = 6
logger = logging.getLogger(__name__)


class Background:
    """Sweeps and delivers until it is stopped."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; what was not sent is sent after the next start."""
        self._stopping.set()
        self._thread.join(10)

    def _run(self) -> None:
        with httpx.Client(timeout=5) as client:
            while not self._stopping.wait(EVERY_SECONDS):
                try:
                    sweep()
                    deliver(client)
                except Exception:
                    # Tried again in a moment; without this thread nothing would ever fall due.
                    logger.exception("the background thread failed")
        connection.close()


def deliver(client: httpx.Client) -> None:
    """Send what is due, the oldest first."""
    due = Delivery.objects.filter(state="waiting", next_at__lte=time.time())
    for delivery in due.order_by("id")[:100]:
        _send(client, delivery)


def _send(client: httpx.Client, delivery: Delivery) -> None:
    delivery.attempts += 1
    try:
        client.post(delivery.destination, json=delivery.document).raise_for_status()
        delivery.state = "sent"
    except httpx.HTTPError as error:
        logger.warning("event %s not delivered: %s", delivery.document_id, error)
        delivery.next_at = time.time() + 2**delivery.attempts
        delivery.state = "failed" if delivery.attempts >= MOST_ATTEMPTS else "waiting"
    delivery.save()
    if delivery.state == "sent":
        overtaken = Delivery.objects.filter(destination=delivery.destination, state="waiting", waits_for_next=True)
        overtaken.filter(pk__lt=delivery.pk).update(waits_for_next=False, next_at=time.time())
