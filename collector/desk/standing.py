"""How does each study stand? A few figures and what needs a person, for the admin's index and the monitor.

Nothing here counts all dialogs: what is open has indexes of its own, what was started is counted on the videos' rows,
and of workers the newest are read.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import lru_cache

from django.db.models import Count, Q, Sum

from chat.models import Dialog, Seat, SeatState
from collector.analysis import wages
from collector.desk import newest
from collector.desk.newest import Came
from collector.lib import clock
from collector.operations import alarms
from collector.operations.alarms import Alarm
from collector.studies import kinds
from collector.studies.kinds import About
from collector.studies.models import Participation, State, Study, StudyVideo
from collector.summaries.models import Viewing
from hits import cost
from hits.models import EntryState, LedgerEntry, Recruitment, RecruitmentState

SHOWN = 20
"""Studies on the index."""
RECENT = timedelta(days=7)
_UNDER_WAY = (RecruitmentState.PILOT, RecruitmentState.PILOTED, RecruitmentState.RUNNING, RecruitmentState.PAUSED)


@dataclass(frozen=True)
class Standing:
    """One study now. Amounts in US dollars, fees included; None where there is nothing to say yet."""

    study: Study
    about: About
    recruitments: list[Recruitment]
    recruitment: Recruitment | None
    """The one whose money is shown: under way, or else the newest."""
    complete: int
    wanted: int | None
    live: int
    waiting: int
    wait_seconds: float | None
    completion: int | None
    spent: Decimal | None
    wage: Decimal | None
    times: list[wages.Spent]
    """Of the newest whose pay is worked out; none where nobody is recruited."""
    came: list[Came]
    alarms: list[Alarm]


def shown() -> list[Study]:
    """Return the studies that are open, drain or are paused, and those to which somebody came lately."""
    came = Participation.objects.order_by("-pk").values_list("study", "confirmed_at")[: newest.NEWEST]
    recent = {study for study, at in came if at >= clock.now() - RECENT}
    found = Study.objects.filter(Q(state__in=[State.OPEN, State.DRAIN, State.PAUSED]) | Q(pk__in=recent))
    ranks = {State.OPEN: 0, State.DRAIN: 1, State.PAUSED: 2}
    return sorted(found.order_by("-pk")[:SHOWN], key=lambda study: ranks.get(State(study.state), 3))


def of(studies: Sequence[Study]) -> list[Standing]:
    """Return how studies stand: a few queries for all, and six for each."""
    ids = [study.pk for study in studies]
    recruitments: defaultdict[int, list[Recruitment]] = defaultdict(list)
    for each in Recruitment.objects.filter(study__in=ids).select_related("study"):
        recruitments[each.study_id].append(each)
    waiting = Counter(Seat.objects.filter(study__in=ids, state=SeatState.WAITING).values_list("study", flat=True))
    started, live, alarming = _started(ids), _live(ids), alarms.of_studies(studies)
    standings = []
    for study in studies:
        came, theirs = newest.newest(study), recruitments[study.pk]
        total, wanted = started.get(study.pk, (0, 0))
        counted, running = live.get(study.pk, (0, 0))
        chosen = next((each for each in theirs if each.state in _UNDER_WAY), theirs[0] if theirs else None)
        times = wages.spent(study) if theirs else []
        standings.append(
            Standing(
                study,
                kinds.of(study.kind),
                theirs,
                chosen,
                max(0, total - counted),
                chosen.dialogs_wanted if chosen else wanted,
                running,
                waiting[study.pk],
                newest.median_wait(came),
                newest.completion(came),
                spent(chosen) if chosen else None,
                cost.percentile([row.wage for row in times], 50) if times else None,
                times,
                came,
                alarming[study.pk],
            )
        )
    return standings


def _started(studies: Iterable[int]) -> dict[int, tuple[int, int | None]]:
    """Return what is counted on the rows of each study's videos: started, and wanted where every video has a limit."""
    rows = StudyVideo.objects.filter(study__in=studies).order_by().values_list("study")
    unlimited = Count("pk", Q(wanted__isnull=True))
    sums = rows.annotate(all_started=Sum("started"), all_wanted=Sum("wanted"), unlimited=unlimited)
    return {study: (started, None if limitless else wanted) for study, started, wanted, limitless in sums}


def _live(studies: list[int]) -> dict[int, tuple[int, int]]:
    """Return what is under way in each study: how many of it the videos' rows count, and all."""
    numbers = {"counted": Count("pk", Q(is_counted=True)), "every": Count("pk")}
    dialogs = Dialog.objects.filter(study__in=studies, ended_at__isnull=True)
    viewings = Viewing.objects.filter(participation__study__in=studies, ended_at__isnull=True)
    rows = [
        *dialogs.order_by().values_list("study").annotate(**numbers),
        *viewings.order_by().values_list("participation__study").annotate(**numbers),
    ]
    return {study: (counted, every) for study, counted, every in rows}


def spent(recruitment: Recruitment) -> Decimal:
    """Return what its workers were paid and are owed, fees included; summed again once a minute."""
    fees = cost.FEES["mturk"]
    share = fees.share + (fees.masters if recruitment.masters else 0)
    return _owed(recruitment.study_id, recruitment.environment, int(time.monotonic() / 60)) * (1 + share)


@lru_cache(maxsize=64)
def _owed(study_id: int, environment: str, moment: int) -> Decimal:
    rows = LedgerEntry.objects.filter(study=study_id, worker__environment=environment).exclude(state=EntryState.UNDONE)
    return rows.aggregate(sum=Sum("amount"))["sum"] or Decimal(0)
