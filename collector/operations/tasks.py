"""What the worker process does for whoever runs the installation."""

import logging
from typing import Any

from celery import shared_task
from celery.signals import task_postrun, task_prerun, worker_ready
from django.conf import settings
from prometheus_client import start_http_server

from collector.lib import logs
from collector.operations import pulses, watch

log = logging.getLogger(__name__)


@shared_task  # type: ignore[untyped-decorator]
def sign_of_life() -> None:
    """Tell that tasks are being done: a queue that is stuck, or long, shows in how old this is."""
    pulses.give(pulses.WORKER)


@shared_task  # type: ignore[untyped-decorator]
def look_for_alarms() -> None:
    """Note which alarms stand, and mail what is new."""
    watch.watch()


@task_prerun.connect  # type: ignore[untyped-decorator]
def log_about_task(task_id: str, **_: Any) -> None:
    """Have the lines of the log that a task writes carry its id, as those of a page carry the request's."""
    logs.about(request=task_id.replace("-", "")[:12], study=None, dialog=None, seat=None)


@task_postrun.connect  # type: ignore[untyped-decorator]
def log_about_nothing(**_: Any) -> None:
    """Let the next line be about no task."""
    logs.clear()


@worker_ready.connect  # type: ignore[untyped-decorator]
def show_metrics(**_: Any) -> None:
    """Show what this worker process has counted, where a port is set for that."""
    if settings.WORKER_METRICS_PORT:
        try:
            start_http_server(settings.WORKER_METRICS_PORT, addr=settings.HOST)
        except OSError as failure:
            said = "WORKER_METRICS_PORT %s: %s. This process shows no metrics."
            log.warning(said, settings.WORKER_METRICS_PORT, failure)
