"""May somebody whose task has ended do the next one at once, and how many more? Without reading and agreeing again."""

from collector.studies import versions
from collector.studies.admission import Admitted, Identity, admit, under_cap
from collector.studies.models import Outcome, Participation, State
from hits.marketplace import link

_NOT_AFTER = (Outcome.SCREENED_OUT, Outcome.WITHDRAWN)


def left(participation: Participation) -> int:
    """Return how many more tasks the worker may do under the cap; none where the study takes nobody now."""
    is_open = participation.study.state == State.OPEN and participation.outcome not in _NOT_AFTER
    return under_cap(participation.study, participation.worker_id) if is_open else 0


def may_go_on(participation: Participation) -> bool:
    """Tell whether the next task can begin from here.

    On a marketplace the next task is another HIT, and where workers are sent back somewhere, another submission. Who
    would read and agree to something else than before opens the invitation.
    """
    study = participation.study
    is_ours = participation.worker.marketplace == link.NAME and not study.completion_url
    return is_ours and left(participation) > 0 and versions.is_known(participation)


def begin(participation: Participation, address: str) -> Admitted | None:
    """Admit the worker of an ended participation once more, or find what they have begun; None where they may not.

    Raises NotAdmitted.
    """
    if participation.ended_at is None:
        return None
    worker = participation.worker
    who = Identity(worker.marketplace, worker.environment, worker.external_id, worker.is_simulated, participation.entry)
    return admit(participation.study, who, address=address) if may_go_on(participation) else None
