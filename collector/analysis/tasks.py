"""What is counted in the background, because a page would wait too long? Reports of a study, each into a folder."""

from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from celery import shared_task
from django.conf import settings

from collector.analysis import reports, summary_reports
from collector.analysis.measures import describe
from collector.analysis.meteor import MeteorFailed
from collector.analysis.summary_reports import Options
from collector.analysis.summary_table import TooFew, summary_table
from collector.analysis.watchers import summarised
from collector.exports import writing
from collector.exports.selection import NoStudy, Selection, study_named
from collector.lib import jobs
from collector.lib.words import BadWords
from collector.studies.models import Kind, Study


def folder_of(study: int, beside: int = 0) -> Path:
    """Return where the report of a study is kept, alone or with another one beside it."""
    return Path(settings.MEDIA_ROOT) / "statistics" / f"{study}-{beside}"


@shared_task
def write_report(study: int, beside: int = 0, simulated: bool = False) -> None:
    """Write the report of a study, alone or with another one beside it, noting progress by dialogs.

    Both are counted with the first one's word lists: else a difference might be one of the lists.
    """
    folder = folder_of(study, beside)
    with jobs.running(folder, BadWords, reports.NothingToCount, writing.CannotWrite) as note:
        studies = [Study.objects.get(pk=each) for each in (study, beside) if each]
        lists = reports.lists_of(studies[0])
        chosen = [Selection(each.slug, simulated=simulated) for each in studies]
        done, steps = count(1), sum(each.dialogs().count() for each in chosen)
        tallies = [reports.of_study(each, lists, lambda: note(next(done), steps)) for each in chosen]
        reports.write(folder, tallies, [describe(each) for each in tallies])


def summaries_of(study: int) -> Path:
    """Return where Table 2 of a summary study is kept."""
    return Path(settings.MEDIA_ROOT) / "summaries_compared" / str(study)


@shared_task
def compare_summaries(study: int, options: dict[str, Any]) -> None:
    """Compute Table 2 of a summary study with the options of ``summary_reports.Options``, noting progress."""
    folder, chosen = summaries_of(study), msgspec.convert(options, Options)
    with jobs.running(folder, NoStudy, TooFew, MeteorFailed, writing.CannotWrite) as note:
        dialogs = study_named(chosen.dialogs, Kind.DIALOG) if chosen.dialogs else None
        videos = summarised(Study.objects.get(pk=study), dialogs, simulated=chosen.simulated)
        table = summary_table(videos, watchers=chosen.watchers, seed=chosen.seed, on_progress=note)
        summary_reports.write(folder, summary_reports.report(table, chosen))
