"""What the worker process removes each night."""

import logging

from celery import shared_task

from collector.privacy import removing

log = logging.getLogger(__name__)


@shared_task
def remove_what_is_over() -> None:
    """Remove what was kept long enough."""
    log.info("Removed what was kept long enough: %s.", removing.run().in_words())
