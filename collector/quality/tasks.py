"""What is counted in the background, because a page would wait too long? All flags of a study, into a folder."""

from pathlib import Path

from celery import shared_task
from django.conf import settings

from collector.quality import reports
from collector.studies.models import Study

FLAGS_FILE, WORKERS_FILE = "flags.csv", "workers.csv"


def folder_of(study: int) -> Path:
    """Return where the files of a study are kept."""
    return Path(settings.MEDIA_ROOT) / "quality" / str(study)


@shared_task
def write_quality(study: int, simulated: bool = False) -> None:
    """Write the flags of all dialogs, or summaries, of a study, and of its workers."""
    found, folder = Study.objects.get(pk=study), folder_of(study)
    folder.mkdir(parents=True, exist_ok=True)
    counted = reports.write_flags(found, folder / FLAGS_FILE, simulated=simulated)
    reports.write_workers(found, counted, folder / WORKERS_FILE)
