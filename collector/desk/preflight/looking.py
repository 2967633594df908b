"""What is looked at in a preflight, in which order, and where what was found is kept until the next."""

from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from collector.desk.preflight import guests, machine, offers, texts, videos
from collector.desk.preflight.checks import Check, Part, Report
from collector.lib import clock
from collector.lib.jobs import Note
from collector.studies.models import Study
from hits.models import Recruitment

FILE = "preflight.json"


def folder_of(study: int) -> Path:
    """Return where the last preflight of a study is kept."""
    return Path(settings.MEDIA_ROOT) / "preflight" / str(study)


def look(study: Study, note: Note = lambda done, of: None) -> Report:
    """Make all checks of a study, noting how many parts are done.

    Nobody is asked but our own public address and the marketplaces of the study's recruitments.
    """
    offered: list[Recruitment] = list(study.recruitments.select_related("study__collection").order_by("pk"))
    steps: list[tuple[str, Callable[[], list[Check]]]] = [
        ("Workers' pages", lambda: guests.checks(study, offered)),
        ("Videos", lambda: videos.checks(study)),
        ("Texts and consent", lambda: texts.texts(study)),
        ("Times and pay", lambda: texts.limits(study, is_offered=bool(offered))),
    ]
    for each in offered:
        steps.append((f"Recruiting, {each.get_environment_display().lower()}", _of(each)))
    steps.append(("This installation", lambda: list(machine.checks())))
    parts = []
    for done, (name, checks) in enumerate(steps):
        note(done, len(steps))
        parts.append(Part(name, checks()))
    return Report(clock.now(), parts)


def _of(recruitment: Recruitment) -> Callable[[], list[Check]]:
    return lambda: offers.checks(recruitment)
