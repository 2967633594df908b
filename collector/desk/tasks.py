"""What does the worker process do for the desk?"""

from celery import shared_task

from collector.desk import rehearsing
from collector.desk.preflight import looking
from collector.lib import jobs
from collector.studies.models import Study


@shared_task
def check_study(study: int) -> None:
    """Make the checks of a study, noting progress by parts."""
    folder = looking.folder_of(study)
    with jobs.running(folder) as note:
        jobs.keep(folder, looking.FILE, looking.look(Study.objects.get(pk=study), note))


@shared_task
def rehearse_study(study: int) -> None:
    """Let programs play a study, noting progress by texts."""
    folder = rehearsing.folder_of(study)
    with jobs.running(folder) as note:
        jobs.keep(folder, rehearsing.FILE, rehearsing.rehearse(Study.objects.get(pk=study), note))
