"""The task queue: Redis when REDIS_URL is set, else a folder in ``var/`` (at most once: sweeps find what was lost)."""

import os
import uuid
import warnings
from pathlib import Path
from time import monotonic, time
from typing import Any

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import before_task_publish
from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps

# It warns of root because of pickled messages; ours are JSON, and containers often run as root.
warnings.filterwarnings("ignore", category=SecurityWarning)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")


class WholeMessages(filesystem.Channel):
    """A folder as queue in which a message is whole or not there.

    Kombu's own may be read between the making of its file and the writing, which ends the worker process.
    """

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # its own base differs
        path = Path(self.data_folder_out) / f"{round(monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        part = path.with_name(f".{path.name}")
        try:
            part.write_bytes(dumps(payload).encode())  # type: ignore[no-untyped-call]
            part.replace(path)
        except OSError as error:
            raise ChannelError(f"The message {path} cannot be written.") from error


filesystem.Transport.Channel = WholeMessages


@before_task_publish.connect  # type: ignore[untyped-decorator]
def _say_when(headers: dict[str, Any], **_: Any) -> None:
    """Have a message say when it was sent: how old the oldest in a queue is, is a figure of /metrics."""
    headers["sent_at"] = time()


app = Celery("collector")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.set_default()  # of every thread, the pages' among them: else a task asked for there goes to a broker nobody runs
