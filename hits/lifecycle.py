"""How many seats are on offer, and what has become of them? Topped up, synchronised, expired; never more than wanted.

The marketplace is the truth about submissions; it is asked, and what its events say only hastens the asking.
"""

import logging
from datetime import timedelta

from django.db.models import Count, Q, QuerySet

from collector.lib import clock, paging
from collector.studies import kinds
from collector.studies.models import Outcome, Participation, State, Study
from hits import marking, qualifications, receipts, seats
from hits.entering import worker_of
from hits.marketplace.base import Gone, Marketplace, MarketplaceError, Published, Submission
from hits.models import (
    Assignment,
    AssignmentState,
    Decision,
    Hit,
    HitState,
    Recruitment,
    RecruitmentState,
)
from hits.offers import base_reward, task_url, wanted_of

log = logging.getLogger(__name__)

LIFETIME = timedelta(hours=24)
RENEW_BEFORE = timedelta(hours=6)
REST = timedelta(hours=1)
FEW = 50
"""So many HITs that wait for a person are asked about each time; of more, each once an hour."""
LATE, MANY_LATE = timedelta(days=1), 10
"""With more than so many submissions undecided for so long, fewer seats are offered."""
LEAST_LIFETIME = timedelta(seconds=30)
"""No marketplace takes less."""
_SAID = ("state", "submitted_at", "auto_approval_at", "fields", "document")
"""What of an assignment the marketplace tells."""
IDS = ("WorkerId", "AssignmentId")
"""What a submission says that its row keeps sealed."""
_OFFERING = (RecruitmentState.PILOT, RecruitmentState.RUNNING)


def open_hits(recruitment: Recruitment) -> QuerySet[Hit]:
    """Return the HITs that the marketplace knows and that are not closed."""
    return Hit.objects.filter(recruitment=recruitment, state=HitState.OPEN)


def is_offering(recruitment: Recruitment) -> bool:
    """Tell whether seats may be on offer now: by the state, and by the hours."""
    return recruitment.state in _OFFERING and _is_in_hours(recruitment)


def _is_in_hours(recruitment: Recruitment) -> bool:
    return recruitment.hours.closes_in(clock.now()) is not None


def _lifetime(recruitment: Recruitment) -> timedelta:
    """Return how long a seat is offered from now on: until the hours end, also if nobody is there to expire it."""
    left = LIFETIME if recruitment.hours.is_always else recruitment.hours.closes_in(clock.now()) or LEAST_LIFETIME
    return max(LEAST_LIFETIME, min(LIFETIME, left))


def seats_wanted(recruitment: Recruitment) -> int:
    """Return how many workers are still wanted, those inside not counted; 0 when nothing is offered.

    Counted by whole dialogs: half of one that came to nothing would call in a worker whom nobody meets.
    """
    if not is_offering(recruitment):
        return 0
    dialogs = recruitment.dialogs_wanted
    if recruitment.state == RecruitmentState.PILOT:
        dialogs = min(dialogs, recruitment.pilot_dialogs)
    inside = Q(ended_at__isnull=True)
    counts = Participation.objects.filter(study=recruitment.study_id, is_simulated=False).aggregate(
        inside=Count("pk", inside), summarising=Count("pk", inside & Q(rounds_done__gte=recruitment.study.rounds))
    )
    # Who writes the summary of a dialog has a partner who is done: they stand for two.
    workers, missing = kinds.of(recruitment.study.kind).workers, dialogs - complete_dialogs(recruitment)
    return max(0, workers * missing - int(counts["inside"]) - (workers - 1) * int(counts["summarising"]))


def is_behind(recruitment: Recruitment) -> bool:
    """Tell whether those who decide are behind: much has waited for over a day that nothing approves by itself."""
    rows = Assignment.objects.filter(hit__recruitment=recruitment, state=AssignmentState.SUBMITTED, decision="")
    return paging.at_most(rows.filter(approve_at=None, submitted_at__lt=clock.now() - LATE), MANY_LATE) > MANY_LATE


def seats_at_once(recruitment: Recruitment) -> int:
    """Return how many seats may be on offer: half as many while those who decide are behind, but two can meet."""
    return max(2, recruitment.open_at_once // 2) if is_behind(recruitment) else recruitment.open_at_once


def top_up(recruitment: Recruitment, market: Marketplace) -> int:
    """Offer as many seats as are wanted, a few at a time; return how many were published.

    Rows come first: what is interrupted here is published by the next call, under the same token.
    """
    missing = min(seats_at_once(recruitment), seats_wanted(recruitment)) - seats.free(recruitment).count()
    now = clock.now()
    Hit.objects.bulk_create(
        Hit(
            recruitment=recruitment,
            environment=recruitment.environment,
            endpoint=market.endpoint,
            reward=base_reward(recruitment.study),
            planned_at=now,
        )
        for _ in range(missing)
    )
    if not is_offering(recruitment):
        return 0
    planned = Hit.objects.filter(recruitment=recruitment, state=HitState.PLANNED).order_by("pk")
    return sum(_publish(recruitment, hit, market) for hit in planned)


def _publish(recruitment: Recruitment, hit: Hit, market: Marketplace) -> bool:
    """Publish a planned HIT. Passing trouble leaves it planned; a refusal pauses the recruiting and says why."""
    before = clock.now()
    try:
        made = _publish_again(recruitment, hit, market, _lifetime(recruitment))
        found = market.look(made.hit_id)
    except MarketplaceError as error:
        # What was published a moment ago may not be seen yet, and is not gone: it is looked for under its token.
        is_final = error.is_final and not isinstance(error, Gone)
        _note_trouble(hit, error, is_final=is_final)
        if is_final:
            pause(recruitment, error.sentence)
        return False
    asked = qualifications.requirements(wanted_of(recruitment), recruitment.environment)
    if said := qualifications.differences(asked, list(found.requirements)):
        market.expire(made.hit_id)
        Hit.objects.filter(pk=hit.pk).update(state=HitState.CLOSED, external_id=made.hit_id, trouble=said[0][:300])
        pause(recruitment, f"The marketplace stored other qualifications than were asked for: {'; '.join(said)}.")
        return False
    Hit.objects.filter(pk=hit.pk).update(
        state=HitState.OPEN,
        external_id=made.hit_id,
        published_at=clock.now(),
        expires_at=made.expires_at,
        free_at=before,
        trouble="",
    )
    return True


def _note_trouble(hit: Hit, error: MarketplaceError, *, is_final: bool) -> None:
    state = HitState.FAILED if is_final else HitState.PLANNED
    Hit.objects.filter(pk=hit.pk).update(trouble=error.sentence[:300], state=state)


def _publish_again(recruitment: Recruitment, hit: Hit, market: Marketplace, lifetime: timedelta) -> Published:
    """Publish a HIT, or find it where that was done before and the answer was lost."""
    seconds = int(lifetime.total_seconds())
    return market.publish(recruitment.type_id, task_url(recruitment), hit.token, hit.annotation, seconds)


def completing(study: Study) -> QuerySet[Participation]:
    """Return the participations of people that completed one of what the study wants: a dialog has one summary."""
    people = Participation.objects.filter(study=study, is_simulated=False)
    if kinds.of(study.kind).is_alone:
        return people.filter(outcome=Outcome.COMPLETE)
    return people.filter(wrote_summary=True)


def complete_dialogs(recruitment: Recruitment) -> int:
    """Return how many dialogs of the study, or what else it wants, people have completed that are in the data."""
    done = completing(recruitment.study).filter(outcome=Outcome.COMPLETE)
    # Also without this worker's doing: a dialog leaves when the partner withdraws, or a person takes it out.
    left = done.filter(seats__dialog__is_complete=True, seats__dialog__is_counted=False).distinct().count()
    return done.count() - left - done.filter(viewing__is_counted=False).count()


def after_pause(recruitment: Recruitment) -> RecruitmentState:
    """Return the state in which paused recruiting goes on: a pilot that was not finished is still to be looked at."""
    if recruitment.started_at is None:
        return RecruitmentState.DRAFT
    is_pilot = complete_dialogs(recruitment) < recruitment.pilot_dialogs
    return RecruitmentState.PILOT if is_pilot else RecruitmentState.RUNNING


def pause(recruitment: Recruitment, why: str) -> None:
    """Offer nothing more until a person has looked."""
    recruitment.state, recruitment.why = RecruitmentState.PAUSED, why[:300]
    recruitment.save(update_fields=["state", "why"])
    log.warning("Recruiting for %s is paused: %s", recruitment, why)


def expire_all(recruitment: Recruitment, market: Marketplace) -> int:
    """Offer no open seat any more; people inside may finish. Returns how many were expired."""
    _find_strays(recruitment, market)
    number = 0
    for hit in open_hits(recruitment).exclude(expires_at__lte=clock.now()):
        market.expire(hit.external_id)
        Hit.objects.filter(pk=hit.pk).update(expires_at=clock.now())
        number += 1
    return number


def _find_strays(recruitment: Recruitment, market: Marketplace) -> None:
    """Find what was published though its answer was lost: under its token it is that HIT, or a new one to expire.

    A token that is forgotten by now was used so long ago that its HIT has expired by itself.
    """
    planned = Hit.objects.filter(recruitment=recruitment, state=HitState.PLANNED)
    if not recruitment.type_id:
        planned.update(state=HitState.CLOSED)
    for hit in planned.order_by("pk"):
        try:
            made = _publish_again(recruitment, hit, market, LEAST_LIFETIME)
        except MarketplaceError as error:
            _note_trouble(hit, error, is_final=error.is_final)
            if error.is_final:
                continue
            raise
        planned.filter(pk=hit.pk).update(
            state=HitState.OPEN, external_id=made.hit_id, published_at=clock.now(), expires_at=made.expires_at
        )


def sync(recruitment: Recruitment, market: Marketplace) -> int:
    """Ask for the state of all open HITs and take their submissions over; return how many submissions were news."""
    news = 0
    for hit in open_hits(recruitment).exclude(pk__in=_at_rest(recruitment)).order_by("pk"):
        before = clock.now()
        try:
            found = market.look(hit.external_id)
        except Gone as gone:
            Hit.objects.filter(pk=hit.pk).update(state=HitState.CLOSED, trouble=gone.sentence[:300])
            continue
        for submission in market.submissions(hit.external_id):
            news += _take(hit, submission)
        now = clock.now()
        is_over = found.available == 0 and found.pending == 0
        is_expired = found.expires_at is not None and found.expires_at <= now and found.pending == 0
        undecided = hit.assignments.filter(state=AssignmentState.SUBMITTED).exists()
        Hit.objects.filter(pk=hit.pk).update(
            pending=found.pending,
            free_at=before if found.available and not found.pending else hit.free_at,
            expires_at=found.expires_at,
            synced_at=now,
            state=HitState.CLOSED if (is_over or is_expired) and not undecided else HitState.OPEN,
        )
        needs_renewal = found.available and found.expires_at and found.expires_at - now < RENEW_BEFORE
        until = now + _lifetime(recruitment)
        is_longer = found.expires_at is not None and until - found.expires_at > timedelta(minutes=5)
        if needs_renewal and is_longer and not is_expired and is_offering(recruitment):
            market.renew(hit.external_id, until)
    return news


def _at_rest(recruitment: Recruitment) -> QuerySet[Hit]:
    """Return the HITs that wait for a person only, where they are many: asking each time is too much."""
    now = clock.now()
    waiting = Q(assignments__state=AssignmentState.SUBMITTED, assignments__decision="")
    not_due = Q(assignments__approve_at=None) | Q(assignments__approve_at__gt=now)
    rows = Hit.objects.filter(waiting & not_due, recruitment=recruitment, assignments__auto_approval_at__gt=now)
    at_rest = rows.filter(pending=0, synced_at__gt=now - REST)
    return at_rest if at_rest.count() > FEW else Hit.objects.none()


def _take(hit: Hit, said: Submission) -> bool:
    """Take over one submission. One that we do not know is kept: linked by its receipt, or left for a person."""
    if hit.assignments.filter(external_digest="").exclude(state=AssignmentState.SEEN).exists():
        return False  # it is this one, whose worker was erased since: their ids are not to come back
    worker = worker_of(hit.environment, said.worker_id)
    row, _ = Assignment.objects.get_or_create(external_id=said.assignment_id, worker=worker, defaults={"hit": hit})
    was = (row.state, row.participation_id)
    row.state = AssignmentState(said.state)
    row.submitted_at, row.auto_approval_at, row.fields = said.submitted_at, said.auto_approval_at, said.fields
    row.document = {name: each for name, each in said.document.items() if name not in IDS}
    if row.participation_id is None:
        row.participation_id = receipts.participation_of(said.fields.get("receipt", ""), worker.pk)
        row.linked_by = "receipt" if row.participation_id else ""
    # Only what the marketplace says: a person may decide about this row at the same moment.
    row.save(update_fields=[*_SAID, "participation", "linked_by"])
    _apply_policy(row, hit.recruitment.approve_after_hours)
    if row.participation is not None:
        _pay_on(row.participation, row)
    return was != (row.state, row.participation_id)


def _apply_policy(row: Assignment, hours: int | None) -> None:
    """Have complete work approved so long after its submission, where no person has decided; withdrawn work at once."""
    outcome = row.participation.outcome if row.participation else ""
    if outcome == Outcome.WITHDRAWN:
        hours = 0  # withdrawing before submitting costs nothing, and nothing is left to judge
    is_complete = outcome in (Outcome.COMPLETE, Outcome.WITHDRAWN)
    if hours is None or row.submitted_at is None or not is_complete or row.approve_at is not None:
        return
    undecided = Assignment.objects.filter(pk=row.pk, decision=Decision.OPEN, approve_at=None)
    undecided.update(approve_at=row.submitted_at + timedelta(hours=hours))


def _pay_on(participation: Participation, submitted: Assignment) -> None:
    """Have a participation paid on what was submitted, where the worker had opened another assignment since."""
    entered = participation.entry.get("assignmentId")
    others = participation.assignments.exclude(pk=submitted.pk).exclude(state=AssignmentState.SEEN)
    if entered != submitted.external_id and not others.exists():
        participation.entry |= {"assignmentId": submitted.external_id, "hitId": submitted.hit.external_id}
        participation.save(update_fields=["entry"])


def look_after(recruitment: Recruitment, market: Marketplace) -> None:
    """Do all that is due: ask for news, end a pilot or the whole, mark who may come no more, offer seats."""
    sync(recruitment, market)
    _move_on(recruitment, market)
    marking.carry_out(recruitment, market)
    if recruitment.study.state == State.OPEN and is_offering(recruitment):
        top_up(recruitment, market)
        seats.take_back(recruitment, market)
    else:
        expire_all(recruitment, market)


def _move_on(recruitment: Recruitment, market: Marketplace) -> None:
    complete, wanted = complete_dialogs(recruitment), kinds.of(recruitment.study.kind).units
    if recruitment.state in _OFFERING and complete >= recruitment.dialogs_wanted:
        recruitment.state, recruitment.why = RecruitmentState.DONE, f"All {wanted} that were wanted are there."
    elif recruitment.state == RecruitmentState.PILOT and complete >= recruitment.pilot_dialogs:
        recruitment.state, recruitment.why = RecruitmentState.PILOTED, "Look at the pilot's times, wage and flags."
    else:
        return
    recruitment.save(update_fields=["state", "why"])
    expire_all(recruitment, market)
