"""How does somebody come in from a marketplace's frame? By assignment and worker, which together name one attempt.

What the frame's address says is not proof: it lets somebody work, and pay follows what the marketplace says later.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.http import QueryDict

from collector.lib import clock
from collector.studies import versions
from collector.studies.admission import Admitted, Code, Identity, NotAdmitted, admit, token_of
from collector.studies.models import Outcome, Participation, Study, Worker
from hits.hours import in_duration
from hits.models import Assignment, Hit, Recruitment
from hits.offers import time_needed

NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
_ID = re.compile(r"[A-Z0-9]{1,64}")
_WORKER = re.compile(r"A[A-Z0-9]{1,63}")


@dataclass(frozen=True)
class Entry:
    """Who comes for which assignment."""

    assignment_id: str
    hit_id: str
    worker_id: str


def read(given: QueryDict) -> Entry | None:
    """Return the entry that an address names, None for a preview. Of doubled parameters the last counts.

    Raises NotAdmitted for ids that no marketplace gives.
    """
    names = ("assignmentId", "hitId", "workerId")
    assignment_id, hit_id, worker_id = (given.getlist(name)[-1] if name in given else "" for name in names)
    if assignment_id in ("", NOT_ACCEPTED):
        return None
    if not (_ID.fullmatch(assignment_id) and _ID.fullmatch(hit_id) and _WORKER.fullmatch(worker_id)):
        raise NotAdmitted(Code.BAD_IDENTITY)
    return Entry(assignment_id, hit_id, worker_id)


def identity(environment: str, entry: Entry) -> Identity:
    """Return who a marketplace says it is."""
    said = {"assignmentId": entry.assignment_id, "hitId": entry.hit_id}
    return Identity("mturk", environment, entry.worker_id, entry=said)


def worker_of(environment: str, worker_id: str) -> Worker:
    """Return the row of a marketplace's worker."""
    found, _ = Worker.objects.get_or_create(
        marketplace="mturk", environment=environment, external_id=worker_id, defaults={"created_at": clock.now()}
    )
    return found


def find(environment: str, entry: Entry) -> Assignment | None:
    """Return the attempt that this entry goes on with, if it has begun."""
    rows = Assignment.objects.select_related("participation__version", "participation__study", "hit__recruitment")
    return rows.filter(
        external_id=entry.assignment_id,
        worker__marketplace="mturk",
        worker__environment=environment,
        worker__external_id=entry.worker_id,
        participation__isnull=False,
    ).first()


def has_read(study: Study, environment: str, entry: Entry) -> bool:
    """Tell whether somebody has come to the end of a task of this study before, as it is shown now."""
    done = Participation.objects.filter(study=study, outcome=Outcome.COMPLETE, worker__marketplace="mturk")
    theirs = done.filter(worker__environment=environment, worker__external_id=entry.worker_id)
    last = theirs.select_related("study", "version").order_by("-pk").first()
    return last is not None and versions.is_known(last)


def check_hours(study: Study, environment: str) -> None:
    """Raise NotAdmitted outside the hours in which a study takes people in from this environment."""
    recruitment = Recruitment.objects.filter(study=study, environment=environment).first()
    closed_for = recruitment.hours.opens_in(clock.now()) if recruitment else None
    if closed_for is not None:
        raise NotAdmitted(Code.OUTSIDE_HOURS, opens_in=in_duration(closed_for))


def hit_of(study: Study, environment: str, entry: Entry) -> Hit:
    """Return the HIT that an entry names. Raises NotAdmitted where there is none, or too little of its time is left."""
    rows = Hit.objects.select_related("recruitment__study")
    hit = rows.filter(environment=environment, external_id=entry.hit_id, recruitment__study=study).first()
    if hit is None:
        raise NotAdmitted(Code.UNKNOWN_LINK)
    if _is_too_late(hit):
        raise NotAdmitted(Code.TOO_LATE)
    return hit


def begin(
    study: Study, environment: str, entry: Entry, *, address: str = "", arrived_at: datetime | None = None
) -> Admitted:
    """Admit somebody who has confirmed consent, and note their assignment. The same entry again goes on.

    ``address`` is that of their network, as for ``admit``. Raises NotAdmitted.
    """
    if (known := find(environment, entry)) and known.participation:
        return Admitted(known.participation, token_of(known.participation), is_new=False)
    hit = hit_of(study, environment, entry)
    with transaction.atomic():
        who = identity(environment, entry)
        admitted = admit(study, who, address=address, arrived_at=arrived_at)
        if not admitted.is_new and admitted.participation.entry != who.entry:
            # They returned the first and took another: what they do is submitted, and paid, on the newest.
            admitted.participation.entry = who.entry
            admitted.participation.save(update_fields=["entry"])
        Assignment.objects.update_or_create(
            external_id=entry.assignment_id,
            worker_id=admitted.participation.worker_id,
            defaults={"hit": hit, "participation": admitted.participation, "linked_by": "entry"},
            create_defaults={
                "hit": hit,
                "participation": admitted.participation,
                "linked_by": "entry",
                "first_seen_at": clock.now(),
            },
        )
    return admitted


def is_too_late(assignment: Assignment) -> bool:
    """Tell whether too little of an assignment's time is left to begin a dialog."""
    return _is_too_late(assignment.hit)


def _is_too_late(hit: Hit) -> bool:
    """Tell whether it is certain no more that a dialog's time is left: it could not be submitted.

    The marketplace says when a HIT was accepted only once it is submitted. Who holds it now accepted it after it was
    last seen free, so their time is counted from there: never more than is left, and less by one round of asking.
    """
    over = (hit.free_at or hit.planned_at) + timedelta(minutes=hit.recruitment.assignment_minutes)
    return over - clock.now() < time_needed(hit.recruitment.study)
