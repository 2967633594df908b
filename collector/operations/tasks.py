"""What the worker process does for whoever runs the installation."""

from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings
from prometheus_client import start_http_server

from collector.operations import pulses, watch


@shared_task  # type: ignore[untyped-decorator]
def sign_of_life() -> None:
    """Tell that tasks are being done: a queue that is stuck, or long, shows in how old this is."""
    pulses.give(pulses.WORKER)


@shared_task  # type: ignore[untyped-decorator]
def look_for_alarms() -> None:
    """Note which alarms stand, and mail what is new."""
    watch.watch()


@worker_ready.connect  # type: ignore[untyped-decorator]
def show_metrics(**_: Any) -> None:
    """Show what this worker process has counted, where a port is set for that."""
    if settings.WORKER_METRICS_PORT:
        start_http_server(settings.WORKER_METRICS_PORT, addr=settings.HOST)
