"""What about a study needs a person now? Sentences, each with where to go; a program only says so."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count
from django.urls import reverse

from chat.models import Seat
from collector.desk import newest
from collector.desk.newest import Came
from collector.lib import clock
from collector.lib.text import dollars, many
from collector.studies.models import Study
from hits import launching, letters, lifecycle
from hits.models import EntryState, LedgerEntry, Recruitment, RecruitmentState

PAIRED_WITHIN = timedelta(minutes=3)
"""Two people who have waited beside each other for longer are not meeting for a reason."""
SILENT_AFTER = timedelta(minutes=2)
"""The worker process looks after a recruitment every 15 seconds."""
UNSETTLED_AFTER = timedelta(minutes=5)
"""It works out what is owed every half minute."""
_LATE = "late letters"
_LOOKED_AFTER = (RecruitmentState.PILOT, RecruitmentState.PILOTED, RecruitmentState.RUNNING, RecruitmentState.PAUSED)
_OFFERING = (RecruitmentState.PILOT, RecruitmentState.RUNNING)
_SAYS_WHY = (RecruitmentState.PILOTED, RecruitmentState.PAUSED)


@dataclass(frozen=True)
class Alarm:
    """One sentence, and the address of the page where something can be done about it."""

    sentence: str
    address: str


def troubles(studies: Iterable[int]) -> defaultdict[int, Counter[str]]:
    """Return how many payments of each study failed, how many are not known, and how many letters wait too long."""
    rows = LedgerEntry.objects.filter(study__in=list(studies), state__in=[EntryState.FAILED, EntryState.UNKNOWN])
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for study, state, number in rows.order_by().values_list("study", "state").annotate(Count("pk")):
        found[study][state] = number
    late = letters.late().filter(participation__study__in=list(studies)).order_by()
    for study, number in late.values_list("participation__study").annotate(Count("pk")):
        found[study][_LATE] = number
    return found


def of(
    study: Study,
    recruitments: Sequence[Recruitment],
    waiting: Sequence[Seat],
    came: Sequence[Came],
    troubled: Counter[str],
) -> list[Alarm]:
    """Return all that needs a person; ``waiting`` are the seats in the waiting room whose pages are there."""
    found = [*_unpaired(study, waiting), *_silent(study, recruitments, came), *_payments(study, recruitments, troubled)]
    found += _letters(study, troubled[_LATE])
    for recruitment in recruitments:
        found += _recruiting(recruitment)
    return found


def _unpaired(study: Study, waiting: Sequence[Seat]) -> Iterable[Alarm]:
    since = clock.now() - PAIRED_WITHIN
    long = [seat for seat in waiting if not seat.is_simulated and seat.entered_at <= since]
    if len(long) >= 2:
        minutes = many(PAIRED_WITHIN // timedelta(minutes=1), "minute")
        sentence = f"{len(long)} people have waited for more than {minutes} and are not paired. The monitor says why."
        yield Alarm(sentence, f"{reverse('monitor', args=[study.pk])}#waiting")


def _silent(study: Study, recruitments: Sequence[Recruitment], came: Sequence[Came]) -> Iterable[Alarm]:
    since = clock.now() - SILENT_AFTER
    quiet = [
        each for each in recruitments
        if each.state in _LOOKED_AFTER and not each.trouble and (each.looked_at or each.created_at) < since
    ]  # fmt: skip
    unsettled = newest.unsettled(came, UNSETTLED_AFTER)
    if not quiet and not unsettled:
        return
    said = f" What {many(unsettled, 'worker')} {'is' if unsettled == 1 else 'are'} owed was not worked out."
    sentence = "The worker process is silent: nothing is offered, synchronised or paid. Is it running?"
    address = reverse("recruiting", args=[quiet[0].pk]) if quiet else reverse("monitor", args=[study.pk])
    yield Alarm(sentence + (said if unsettled else ""), address)


def _payments(study: Study, recruitments: Sequence[Recruitment], payments: Counter[str]) -> Iterable[Alarm]:
    failed, unknown = payments[EntryState.FAILED], payments[EntryState.UNKNOWN]
    if failed or unknown:
        ledger = f"{reverse('admin:hits_ledgerentry_changelist')}?study__id__exact={study.pk}"
        address = reverse("payments", args=[recruitments[0].pk]) if recruitments else ledger
        yield Alarm(f"Payments need you: {failed} failed, {unknown} not known.", address)


def _letters(study: Study, late: int) -> Iterable[Alarm]:
    if late:
        waited = f"{many(late, 'letter')} from workers waited for more than {letters.WORKING_DAYS} working days"
        yield Alarm(f"{waited} for an answer.", reverse("study-voices", args=[study.pk]))


def _recruiting(recruitment: Recruitment) -> Iterable[Alarm]:
    address = reverse("recruiting", args=[recruitment.pk])
    where = f"Recruiting ({recruitment.get_environment_display().lower()})"
    if recruitment.state in _SAYS_WHY and recruitment.why:
        yield Alarm(f"{where}: {recruitment.get_state_display().lower()}. {recruitment.why}", address)
    if recruitment.trouble:
        yield Alarm(f"{where}: {recruitment.trouble} It is tried again by itself.", address)
    if recruitment.state in _OFFERING:
        yield from _balance(recruitment, address)
        if lifecycle.is_behind(recruitment):
            waiting = f"more than {lifecycle.MANY_LATE} submissions have waited for a decision for over a day"
            yield Alarm(f"{where}: {waiting}, so fewer seats are on offer.", reverse("review", args=[recruitment.pk]))


def _balance(recruitment: Recruitment, address: str) -> Iterable[Alarm]:
    """Say when the account could not pay what the seats on offer may come to."""
    needed = launching.cost_of_seats(recruitment, recruitment.open_at_once)
    if recruitment.balance is not None and recruitment.balance < needed:
        held = f"The balance is low: {dollars(recruitment.balance)}, and the seats offered at a time may cost"
        yield Alarm(f"{held} {dollars(needed)}. Add money, or offer fewer seats.", address)
