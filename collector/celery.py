"""The task queue: Redis when REDIS_URL is set, else a folder in ``var/`` (at most once: sweeps find what was lost)."""

import os
import warnings

from celery import Celery
from celery.platforms import SecurityWarning

# It warns of root because of pickled messages; ours are JSON, and containers often run as root.
warnings.filterwarnings("ignore", category=SecurityWarning)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")

app = Celery("collector")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
