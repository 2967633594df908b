"""What was asked in a study, of whom, for what pay, and what became of it? The part of a datasheet about one study."""

from statistics import median
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet

from chat.models import Dialog, Seat
from collector.analysis import wages
from collector.exports.selection import Selection
from collector.releases import holding
from collector.releases.models import Release
from collector.relevance import agreement
from collector.studies import versions
from collector.studies.exclusions import Exclusion
from collector.studies.models import Kind, Outcome, Participation, Study
from collector.summaries.models import Viewing
from hits import ledger, offers, qualifications, seconding
from hits.launching import NOT_CAPPED
from hits.models import Assignment, AssignmentState, EntryState, LedgerEntry, Recruitment

Facts = dict[str, Any]
LINK = "link"
"""The marketplace of who came through the invitation link."""


def of_study(study: Study, release: Release, *, simulated: bool) -> Facts:
    """Return the facts of one study; of people only, but for what the release holds of simulated work."""
    people = Participation.objects.filter(study=study, is_simulated=False)
    period = people.aggregate(first=Min("arrived_at"), last=Max("ended_at"))
    return {
        "name": study.name,
        "slug": study.slug,
        "kind": study.kind,
        "is_imported": study.dialogs.filter(origin__isnull=False).exists(),
        "versions": _versions(study),
        "workers": people.values("worker").distinct().count(),
        "came_through": _ways(people),
        "offers": [_offer(each) for each in Recruitment.objects.filter(study=study, started_at__isnull=False)],
        "first_at": _iso(period["first"]),
        "last_at": _iso(period["last"]),
        "outcomes": _counts(people.exclude(outcome=""), "outcome"),
        "released": _released(study, release),
        "relevances": _relevances(study, release) if study.kind == Kind.RELEVANCE else None,
        "left_out": _left_out(study, simulated=simulated),
        "incomplete": _incomplete(study),
        "wages": [_wage(row) for row in wages.by_role(wages.spent(study, most=None))],
        "owed": f"{ledger.sum_of(_entries(study)):.2f}",
        "paid": f"{ledger.sum_of(_entries(study).filter(state=EntryState.PAID)):.2f}",
        "review": _review(study),
        "withdrawals": people.filter(outcome=Outcome.WITHDRAWN).count(),
        "excluded_workers": Exclusion.objects.filter(Q(study=study) | Q(collection=study.collection_id), ended_at=None)
        .filter(worker__participations__study=study)
        .values("worker")
        .distinct()
        .count(),
    }


def _iso(at: Any) -> str:
    return at.isoformat(timespec="seconds") if at else ""


def _versions(study: Study) -> list[Facts]:
    """Return every version of what workers were shown; of a study that nobody has entered, what it says now."""
    made = study.versions.annotate(people=Count("participation", Q(participation__is_simulated=False))).order_by(
        "number"
    )
    found = [
        {
            "number": each.number,
            "since": _iso(each.created_at),
            "people": each.people,
            "content": versions.content_of(each),
        }
        for each in made
    ]
    return found or [{"number": 1, "since": "", "people": 0, "content": versions.preview(study).content}]


def _ways(people: QuerySet[Participation]) -> list[Facts]:
    rows = people.values("worker__marketplace", "worker__environment").order_by(
        "worker__marketplace", "worker__environment"
    )
    counted = rows.annotate(workers=Count("worker", distinct=True), participations=Count("pk"))
    return [
        {
            "marketplace": row["worker__marketplace"],
            "environment": row["worker__environment"],
            "workers": row["workers"],
            "participations": row["participations"],
            "is_verified": row["worker__marketplace"] != LINK,
        }
        for row in counted
    ]


def _offer(recruitment: Recruitment) -> Facts:
    wanted = offers.wanted_of(recruitment)
    return {
        "environment": recruitment.environment,
        "title": recruitment.title,
        "description": recruitment.description,
        "keywords": recruitment.keywords,
        "qualifications": qualifications.in_words(wanted, {recruitment.mark_id: NOT_CAPPED}),
        "countries": list(wanted.countries),
        "base_reward": f"{offers.base_reward(recruitment.study):.2f}",
        "assignment_minutes": recruitment.assignment_minutes,
    }


def _counts(rows: QuerySet[Any], name: str) -> dict[str, int]:
    return dict(rows.order_by(name).values_list(name).annotate(number=Count("pk")))


def _released(study: Study, release: Release) -> Facts:
    """Return how much of the study the release holds, of how many people, and how much by one of them."""
    seats = Seat.objects.filter(study=study, dialog__releases=release).order_by()
    viewings = release.viewings.filter(participation__study=study).order_by()
    each = [
        *seats.values_list("worker").annotate(number=Count("pk")).values_list("number", flat=True),
        *viewings.values_list("participation__worker").annotate(number=Count("pk")).values_list("number", flat=True),
    ]
    return {
        "dialogs": release.dialogs.filter(study=study).count(),
        "alone": viewings.count(),
        "workers": len(each),
        "median_by_one_worker": median(each) if each else 0,
        "most_by_one_worker": max(each, default=0),
    }


def _relevances(study: Study, release: Release) -> Facts:
    """Return how many items were judged by as many people as wanted, and how these agree."""
    judged = holding.judged_in(release, study)
    return {
        "items": len(judged),
        "people_an_item": study.dialogs_per_video,
        "alpha": agreement.alpha_of(judged),
        "agreement": agreement.in_words(judged),
        "are_of_visdial_here": False,
    }


def _left_out(study: Study, *, simulated: bool) -> dict[str, int]:
    """Return how many dialogs, or summaries, the release does not hold, by reason."""
    if study.kind == Kind.DIALOG:
        reasons = Selection(study.slug, simulated=simulated).left_out()
        return {reason.partition(" (")[0]: number for reason, number in reasons.items() if number}
    done = Viewing.objects.filter(participation__study=study)
    done = done.filter(participation__outcome__in=[Outcome.COMPLETE, Outcome.WITHDRAWN])
    people = done if simulated else done.filter(participation__is_simulated=False)
    withdrawn = people.filter(participation__outcome=Outcome.WITHDRAWN).count()
    reasons = {
        "withdrawn by a worker": withdrawn,
        "taken out by a person": people.exclude(pk__in=Viewing.objects.in_data()).count() - withdrawn,
        "simulated": done.count() - people.count(),
    }
    return {reason: number for reason, number in reasons.items() if number}


def _incomplete(study: Study) -> dict[str, int]:
    """Return how people's incomplete dialogs ended: the outcome of the one who ended it."""
    ended = Dialog.objects.filter(study=study, is_simulated=False, ended_at__isnull=False, is_complete=False)
    return _counts(ended, "ended_why")


def _wage(row: wages.Row) -> Facts:
    return {
        "role": row.name,
        "participations": row.workers,
        "median_minutes": f"{row.minutes:.1f}",
        "median_waited_minutes": f"{row.waited_minutes:.1f}",
        "median_hourly": f"{row.wage:.2f}",
        "tenth_hourly": f"{row.low_wage:.2f}",
    }


def _entries(study: Study) -> QuerySet[LedgerEntry]:
    return LedgerEntry.objects.filter(study=study, worker__is_simulated=False).exclude(state=EntryState.UNDONE)


def _review(study: Study) -> Facts:
    """Return what became of what was submitted to a marketplace, and by how many people it was decided."""
    rows = Assignment.objects.filter(hit__recruitment__study=study, submitted_at__isnull=False)
    agreement = seconding.agreement(study)
    return {
        "submitted": rows.count(),
        "approved": rows.filter(state=AssignmentState.APPROVED).count(),
        "rejected": rows.filter(state=AssignmentState.REJECTED).count(),
        "decided_by_people": rows.filter(decided_by__isnull=False).count(),
        "reviewers": rows.filter(decided_by__isnull=False).values("decided_by").distinct().count(),
        "looked_at_twice": agreement.number,
        "agreed": agreement.same,
        "kappa": None if agreement.kappa is None else round(agreement.kappa, 3),
    }
