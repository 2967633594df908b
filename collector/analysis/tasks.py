"""What is counted in the background, because a page would wait too long? A report of a study, into a folder."""

from pathlib import Path

from celery import shared_task
from django.conf import settings

from collector.analysis import reports
from collector.analysis.measures import describe
from collector.exports.selection import Selection
from collector.studies.models import Study


def folder_of(study: int, beside: int = 0) -> Path:
    """Return where the report of a study is kept, alone or with another one beside it."""
    return Path(settings.MEDIA_ROOT) / "statistics" / f"{study}-{beside}"


@shared_task
def write_report(study: int, beside: int = 0, simulated: bool = False) -> str:
    """Write the report of a study, alone or with another one beside it; return what was written.

    Both are counted with the first one's word lists: else a difference might be one of the lists.
    """
    studies = [Study.objects.get(pk=each) for each in (study, beside) if each]
    lists = reports.lists_of(studies[0])
    tallies = [reports.of_study(Selection(each.slug, simulated=simulated), lists) for each in studies]
    folder = folder_of(study, beside)
    folder.mkdir(parents=True, exist_ok=True)
    return reports.write(folder, tallies, [describe(each) for each in tallies])
