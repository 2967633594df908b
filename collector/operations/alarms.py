"""What needs a person now? The one list of alarms, for the desk, the monitor and the mail; a program only says so.

It is asked of the database whenever somebody looks, so that it is right also while the worker process or the beat is
silent. ``watch`` compares it every minute with what it was and mails what is new. Limits: ``ALARM_LIMITS``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import combinations

from django.conf import settings
from django.db.models import Count, Min, Q
from django.urls import reverse

from chat import presence
from chat.models import Seat, SeatState, Sweep
from chat.reasons import COMPARED, Room
from collector.lib import clock
from collector.lib.text import dollars, many
from collector.operations import health, pulses, tallies
from collector.operations.models import Raised
from collector.studies.models import Participation, State, Study
from hits import ceilings, launching, letters, lifecycle
from hits.models import EntryState, LedgerEntry, Recruitment, RecruitmentState, Settlement

TO_DO = {
    "worker": "Start it, or see why no task is done: its log. Until then nothing is offered, paid or mailed.",
    "beat": "Start it: until then nothing is done that nobody asks for, and no alarm is mailed.",
    "sweep": "See that a web process runs and that the database answers: nobody is paired and no limit ends meanwhile.",
    "disk": "Make room, or move VAR_DIR or MEDIA_DIR: below 1 GiB uploads, exports and soon the database fail.",
    "errors": "Look for lines of level ERROR in the log of the web processes; they carry the request's id.",
    "busy": "Pages send them again by themselves. See whether the database is slow, away or out of room.",
    "unpaired": "See that web processes run; the monitor says who waits.",
    "apart": "The monitor says why of each: more videos, or an end of the study, may be called for.",
    "unsettled": "See the worker's log for participations that could not be settled.",
    "unattended": "See the worker's log, and whether something long holds up its queue.",
    "payments": "Open the payments: try again what failed; what is not known is looked up by itself, or paid by hand.",
    "letters": "Answer them.",
    "standing": "Decide whether it goes on.",
    "hindered": "Nothing: it is tried again by itself. If it lasts, see what the marketplace says.",
    "behind": "Decide about them: until then fewer seats are on offer.",
    "balance": "Add money to the account, or offer fewer seats.",
}
"""What to do about each kind of alarm; docs/operating.md has them in a table."""
NEWEST = 1000
"""Of so many participations that ended last it is asked whether their pay was worked out."""
_PROCESSES = {pulses.WORKER: "worker process", pulses.BEAT: "beat"}
_RUNS = [State.OPEN, State.DRAIN, State.PAUSED]
_LOOKED_AFTER = [RecruitmentState.PILOT, RecruitmentState.PILOTED, RecruitmentState.RUNNING, RecruitmentState.PAUSED]
_OFFERING = [RecruitmentState.PILOT, RecruitmentState.RUNNING]
_SAYS_WHY = [RecruitmentState.PILOTED, RecruitmentState.PAUSED]
_TROUBLED = [EntryState.FAILED, EntryState.UNKNOWN]


@dataclass(frozen=True)
class Alarm:
    """What is wrong, in a sentence; of what; since when, where that is known; where something can be done about it."""

    name: str
    about: str
    sentence: str
    address: str
    since: datetime | None = None
    study: Study | None = None

    @property
    def key(self) -> str:
        """The same as long as it is the same alarm."""
        return f"{self.name} {self.about}".strip()

    @property
    def to_do(self) -> str:
        """What to do about it."""
        return TO_DO[self.name]


def everything() -> list[Alarm]:
    """Return all alarms there are: of the installation, then of every study in which something can be wrong."""
    return _dated([*_of_installation(), *_of_studies(watched())])


def of_installation() -> list[Alarm]:
    """Return what is wrong with the installation, whatever the study."""
    return _dated(list(_of_installation()))


def of_studies(studies: Sequence[Study]) -> defaultdict[int, list[Alarm]]:
    """Return what needs a person in each study: the same few queries for all, unless something is wrong."""
    found: defaultdict[int, list[Alarm]] = defaultdict(list)
    for alarm in _dated(list(_of_studies(studies))):
        if alarm.study:
            found[alarm.study.pk].append(alarm)
    return found


def watched() -> list[Study]:
    """Return the studies that are not closed, and those that are looked after, or in which money or a letter waits."""
    ids = set(Recruitment.objects.filter(state__in=_LOOKED_AFTER).values_list("study", flat=True))
    ids |= set(LedgerEntry.objects.filter(state__in=_TROUBLED).order_by().values_list("study", flat=True).distinct())
    ids |= set(letters.late().order_by().values_list("participation__study", flat=True).distinct())
    return list(Study.objects.filter(Q(state__in=_RUNS) | Q(pk__in=ids - {None})).order_by("-pk"))


def limit(name: str) -> float:
    """Return one of the limits; its unit is in its name."""
    return float(settings.ALARM_LIMITS[name])


def _dated(alarms: list[Alarm]) -> list[Alarm]:
    """Give each the time since which it is known."""
    known = dict(Raised.objects.filter(key__in=[each.key for each in alarms]).values_list("key", "since"))
    return [replace(each, since=known.get(each.key, each.since)) for each in alarms]


# The installation


def _of_installation() -> Iterator[Alarm]:
    yield from _silent()
    yield from _swept_late()
    free = health.free_bytes()
    if free < limit("disk_gib") * 2**30:
        yield Alarm("disk", "", f"Only {free / 2**30:.1f} GiB are free where data is kept.", reverse("admin:index"))
    yield from _failing()
    yield from _letters_about_none()


def _silent() -> Iterator[Alarm]:
    ages = pulses.ages()
    for name, process in _PROCESSES.items():
        age = ages.get(name)
        if age is None:
            yield Alarm(name, "", f"The {process} has never been heard of.", reverse("admin:index"))
        elif age > pulses.SILENT_AFTER:
            said = f"The {process} is silent: the last sign of life came {_in_words(age)} ago."
            yield Alarm(name, "", said, reverse("admin:index"), clock.now() - age)


def _swept_late() -> Iterator[Alarm]:
    sweep = Sweep.objects.first()
    if sweep and (age := clock.now() - sweep.swept_at) > timedelta(seconds=limit("sweep_seconds")):
        said = f"No web process has looked for what ran out for {_in_words(age)}."
        yield Alarm("sweep", "", said, reverse("admin:index"), sweep.swept_at)


def _failing() -> Iterator[Alarm]:
    minutes = int(limit("rate_minutes"))
    counted = tallies.lately(minutes)
    lately, where = f"In the last {many(minutes, 'minute')}", reverse("admin:index")
    if counted.errors >= limit("errors_least") and counted.errors_percent >= limit("errors_percent"):
        said = f"{lately} {counted.errors} of {counted.pages} pages ended in an error of ours"
        yield Alarm("errors", "", f"{said} ({counted.errors_percent:.0f} %).", where)
    if counted.busy >= limit("busy_least") and counted.busy_percent >= limit("busy_percent"):
        said = f"{lately} {counted.busy} texts were put off because we were busy, and {counted.texts} were stored"
        yield Alarm("busy", "", f"{said} ({counted.busy_percent:.0f} % put off).", where)


def _letters_about_none() -> Iterator[Alarm]:
    """Tell of letters that name no session, which belong to no study."""
    late = letters.late().filter(participation=None).order_by().aggregate(number=Count("pk"), oldest=Min("at"))
    if late["number"]:
        said = _waited(late["number"])
        yield Alarm("letters", "", said, reverse("admin:hits_letter_changelist"), late["oldest"])


def _waited(number: int) -> str:
    waited = f"{many(number, 'letter')} from workers waited for more than {letters.WORKING_DAYS} working days"
    return f"{waited} for an answer."


def _in_words(age: timedelta) -> str:
    seconds = int(age.total_seconds())
    return many(seconds, "second") if seconds < 120 else many(seconds // 60, "minute")


# Studies


def _of_studies(studies: Sequence[Study]) -> Iterator[Alarm]:
    by_id = {study.pk: study for study in studies}
    recruitments = list(Recruitment.objects.filter(study__in=by_id).select_related("study"))
    yield from _not_paired(by_id)
    yield from _not_settled(by_id)
    yield from _payments(by_id, recruitments)
    yield from _letters(by_id)
    for each in recruitments:
        yield from _recruiting(each)


def _alarm(name: str, study: Study, sentence: str, address: str, since: datetime | None = None) -> Alarm:
    return Alarm(name, f"study {study.pk}", sentence, address, since, study)


def _not_paired(studies: dict[int, Study]) -> Iterator[Alarm]:
    """Tell of studies in which several have waited beside each other for long: of why not, where that is known."""
    minutes = limit("unpaired_minutes")
    long = Seat.objects.filter(study__in=studies, state=SeatState.WAITING, is_simulated=False)
    long = long.filter(entered_at__lte=clock.now() - timedelta(minutes=minutes)).order_by("entered_at")
    waiting: defaultdict[int, list[Seat]] = defaultdict(list)
    for seat in presence.present(long):
        waiting[seat.study_id].append(seat)
    for pk, seats in waiting.items():
        if len(seats) < 2:
            continue
        room = Room(studies[pk])
        reasons = [room.why_not(*pair) for pair in combinations(seats[:COMPARED], 2)]
        said = f"{len(seats)} people have waited for more than {many(int(minutes), 'minute')} and are not paired"
        name, why = ("apart", f": {reasons[0]}") if all(reasons) else ("unpaired", ", though two of them may meet.")
        yield _alarm(name, studies[pk], said + why, f"{reverse('monitor', args=[pk])}#waiting", seats[1].entered_at)


def _not_settled(studies: dict[int, Study]) -> Iterator[Alarm]:
    late = clock.now() - timedelta(minutes=limit("unsettled_minutes"))
    ended = Participation.objects.filter(study__in=studies, is_simulated=False, ended_at__lt=late).order_by("-pk")
    rows = list(ended.values_list("pk", "study", "ended_at")[:NEWEST])
    settled = set(
        Settlement.objects.filter(participation__in=[row[0] for row in rows]).values_list("participation", flat=True)
    )
    open_since: defaultdict[int, list[datetime]] = defaultdict(list)
    for pk, study, at in rows:
        if at and pk not in settled:
            open_since[study].append(at)
    for pk, times in open_since.items():
        said = f"What {many(len(times), 'worker')} {'is' if len(times) == 1 else 'are'} owed was not worked out."
        yield _alarm("unsettled", studies[pk], said, reverse("monitor", args=[pk]), min(times))


def _payments(studies: dict[int, Study], recruitments: Iterable[Recruitment]) -> Iterator[Alarm]:
    rows = LedgerEntry.objects.filter(study__in=studies, state__in=_TROUBLED).order_by()
    failed, unknown = (Count("pk", Q(state=state)) for state in _TROUBLED)
    by_study = rows.values_list("study").annotate(failed=failed, unknown=unknown, since=Min("changed_at"))
    pages = {each.study_id: reverse("payments", args=[each.pk]) for each in recruitments}
    for pk, no, maybe, since in by_study:
        ledger = f"{reverse('admin:hits_ledgerentry_changelist')}?study__id__exact={pk}"
        said = f"Payments need you: {no} failed, {maybe} not known."
        yield _alarm("payments", studies[pk], said, pages.get(pk, ledger), since)


def _letters(studies: dict[int, Study]) -> Iterator[Alarm]:
    late = letters.late().filter(participation__study__in=studies).order_by()
    for pk, number, oldest in late.values_list("participation__study").annotate(Count("pk"), Min("at")):
        yield _alarm("letters", studies[pk], _waited(number), reverse("study-voices", args=[pk]), oldest)


def _recruiting(recruitment: Recruitment) -> Iterator[Alarm]:
    for name, said in _of_recruitment(recruitment):
        page = "review" if name == "behind" else "recruiting"
        where = f"Recruiting ({recruitment.get_environment_display().lower()})"
        address = reverse(page, args=[recruitment.pk])
        yield Alarm(name, f"recruiting {recruitment.pk}", f"{where}: {said}", address, None, recruitment.study)


def _of_recruitment(recruitment: Recruitment) -> Iterator[tuple[str, str]]:
    """Yield the names and the sentences; while nothing is done at all, that stands as an alarm of its own."""
    if recruitment.state in _SAYS_WHY and recruitment.why:
        yield "standing", f"{recruitment.get_state_display().lower()}. {recruitment.why}"
    looked_at, late = recruitment.looked_at or recruitment.created_at, timedelta(minutes=limit("unattended_minutes"))
    if recruitment.trouble:
        yield "hindered", recruitment.trouble
    elif recruitment.state in _LOOKED_AFTER and clock.now() - looked_at > late and not any(_silent()):
        yield "unattended", f"for {_in_words(clock.now() - looked_at)} it was not looked after."
    if recruitment.state in _OFFERING and lifecycle.is_behind(recruitment):
        yield "behind", f"more than {lifecycle.MANY_LATE} submissions have waited for a decision for over a day."
    if recruitment.state in _LOOKED_AFTER and recruitment.balance is not None:
        seats = recruitment.open_at_once if recruitment.state in _OFFERING else 0
        needed = ceilings.may_still_cost(recruitment, launching.cost_of_seats(recruitment, seats))
        if recruitment.balance < needed:
            held = f"the balance is low: {dollars(recruitment.balance)}, and what is owed and the seats on offer"
            yield "balance", f"{held} may still cost {dollars(needed)}."
