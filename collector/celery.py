"""The task queue: Redis when REDIS_URL is set, else a folder in ``var/`` (at most once: sweeps find what was lost)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")

app = Celery("collector")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
