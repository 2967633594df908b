"""What is counted in the background, because a page would wait too long? A report of a study, into a folder."""

from pathlib import Path

from celery import shared_task
from django.conf import settings

from collector.analysis import reports
from collector.analysis.measures import describe
from collector.analysis.probes import read_lists
from collector.exports.selection import Selection
from collector.studies.models import Study


def folder_of(study: Study) -> Path:
    """Return where the report of a study is kept."""
    return Path(settings.MEDIA_ROOT) / "statistics" / str(study.pk)


@shared_task
def write_report(study: int, beside: int | None = None) -> str:
    """Write the report of a study, with another one beside it if asked; return what was written."""
    lists = read_lists()
    chosen = [Study.objects.get(pk=each) for each in (study, beside) if each is not None]
    tallies = [reports.of_study(Selection(each.slug), lists) for each in chosen]
    folder = folder_of(chosen[0])
    folder.mkdir(parents=True, exist_ok=True)
    return reports.write(folder, tallies, [describe(each) for each in tallies])
