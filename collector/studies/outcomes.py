"""How did a participation end, and what is the worker told? Written once, in the transaction that ends it."""

from typing import Any

from django.db import transaction
from django.db.models import F
from django.dispatch import Signal

from collector.lib import clock
from collector.studies import kinds, promises
from collector.studies.models import Fault, Outcome, Participation, Why

participation_ended = Signal()
"""A hint, sent after commit with ``participation_id``; what must happen is found by a sweep."""

# Filled in by what the study pays: see words_of.
_PAID = "{paid}"
_STORED = "What you wrote until then is stored{kept}."
_IN_VAIN = (Outcome.NO_PARTNER, Outcome.STUDY_ENDED, Outcome.SCREENED_OUT)
_ENDS: dict[Outcome, tuple[str, str]] = {
    Outcome.COMPLETE: ("Thank you, all done", f"Your part is complete and stored. {_PAID}"),
    Outcome.PARTNER_LEFT: ("Your partner has left", f"That is not your doing, and what you wrote is stored. {_PAID}"),
    Outcome.LEFT: ("You have left", f"{_STORED} Thank you for your time."),
    Outcome.TIMED_OUT: ("The time is over", f"Nothing was written for too long. {_STORED}"),
    Outcome.NO_PARTNER: ("Nobody came", f"We found no partner for you this time. {_PAID}"),
    Outcome.STUDY_ENDED: ("The study has ended", f"It ended while you took part. {_PAID}"),
    Outcome.SCREENED_OUT: ("Thank you", f"This task does not fit today. {_PAID}"),
    Outcome.TECHNICAL_FAILURE: ("Something failed on our side", f"That is not your doing. {_PAID}"),
    Outcome.WITHDRAWN: ("You have withdrawn", "What you wrote is not used. {earned}"),
}
_ENDS_WHY: dict[tuple[Outcome, Why], tuple[str, str]] = {
    (Outcome.PARTNER_LEFT, Why.PARTNER_GONE): (
        "Your partner is gone",
        f"They left or lost the connection. That is not your doing, and what you wrote is stored. {_PAID}",
    ),
    (Outcome.PARTNER_LEFT, Why.PARTNER_LOST): (
        "Your partner did not come back",
        f"They lost the connection. That is not your doing, and what you wrote is stored. {_PAID}",
    ),
    (Outcome.PARTNER_LEFT, Why.PARTNER_IDLE): (
        "Your partner did not go on",
        f"They wrote nothing for too long. That is not your doing, and what you wrote is stored. {_PAID}",
    ),
    (Outcome.PARTNER_LEFT, Why.PARTNER_REPORTED): (
        "This dialog was ended",
        f"One of you reported a problem with the other. A person will look at it; until then nobody is blamed. {_PAID}",
    ),
    (Outcome.TECHNICAL_FAILURE, Why.VIDEO_REPORTED): (
        "This dialog was ended",
        f"A problem with the video was reported. That is nobody's doing, and what you wrote is stored. {_PAID}",
    ),
    (Outcome.LEFT, Why.CONNECTION_LOST): (
        "Your connection was lost for too long",
        f"Your partner could not wait any longer. {_STORED}",
    ),
    (Outcome.LEFT, Why.NEVER_CAME): ("Your place was given up", "You were away for too long before it began."),
    (Outcome.SCREENED_OUT, Why.DEVICE_FAILED): (
        "Thank you for trying",
        f"Your device or its sound does not fit this task today. That counts against nobody. {_PAID}",
    ),
    (Outcome.SCREENED_OUT, Why.QUIZ_FAILED): (
        "Thank you for your time",
        f"Too few answers of the quiz were right, so this task goes to others. That is no rejection. {_PAID}",
    ),
    (Outcome.TIMED_OUT, Why.SUMMARY_OVER): ("The time is over", f"No summary came within its time. {_STORED}"),
    (Outcome.TIMED_OUT, Why.DIALOG_OVER): (
        "The time for this dialog is over",
        f"You both used all of it; that is nobody's fault{{in_full}}. {_PAID}",
    ),
    (Outcome.STUDY_ENDED, Why.STUDY_PAUSED): (
        "The study takes a break",
        f"It was paused while you waited, so no partner will come now. {_PAID}",
    ),
    (Outcome.STUDY_ENDED, Why.STUDY_CLOSED): (
        "The study has ended",
        f"It was closed while you waited, so no partner will come any more. {_PAID}",
    ),
    (Outcome.STUDY_ENDED, Why.NO_VIDEO_LEFT): (
        "All dialogs are there",
        f"While you waited the last video was given to others, so none is left to talk about. {_PAID}",
    ),
    (Outcome.STUDY_ENDED, Why.ALL_SEEN): (
        "You have seen every video",
        f"No video is left that is new to you. Thank you for all your work! {_PAID}",
    ),
}
_ENDS_ALONE: dict[tuple[Outcome, Why], tuple[str, str]] = {
    (Outcome.TECHNICAL_FAILURE, Why.VIDEO_REPORTED): (
        "This task was ended",
        f"You reported a problem with the video; a person will look at it. That is nobody's doing. {_PAID}",
    ),
    (Outcome.TIMED_OUT, Why.SUMMARY_OVER): (
        "The time is over",
        "No summary came within its time. {earned}",
    ),
    (Outcome.TIMED_OUT, Why.DIALOG_OVER): (
        "The time is over",
        "The task was not finished within its time. {earned}",
    ),
    (Outcome.LEFT, Why.NEVER_CAME): ("Your place was given up", "You did not begin within the time for this task."),
    (Outcome.STUDY_ENDED, Why.STUDY_PAUSED): (
        "The study takes a break",
        f"It was paused before you had your video. {_PAID}",
    ),
    (Outcome.STUDY_ENDED, Why.STUDY_CLOSED): (
        "The study has ended",
        f"It was closed before you had your video. {_PAID}",
    ),
    (Outcome.STUDY_ENDED, Why.NO_VIDEO_LEFT): (
        "All {units} are there",
        f"While you read, the last video was given to others. {_PAID}",
    ),
}
"""Where there was no partner."""


def words_of(outcome: str, why: str, content: dict[str, Any]) -> tuple[str, str]:
    """Return the heading and the sentence with which a worker is told how it ended.

    ``content`` is that of their version: nobody is told of pay that the study does not give.
    """
    ended = Outcome(outcome)
    about = kinds.of(content["kind"])
    known = _ENDS_WHY | _ENDS_ALONE if about.is_alone else _ENDS_WHY
    heading, sentence = (known.get((ended, Why(why))) if why else None) or _ENDS[ended]
    if ended == Outcome.SCREENED_OUT:
        pays = promises.screening_pay(content) > 0
    else:
        pays = promises.pays_waiting(content) if ended in _IN_VAIN else promises.pays(content)
    again = "You can open the invitation again at any time." if ended == Outcome.NO_PARTNER else ""
    otherwise = again if ended in _IN_VAIN else content["pay_note"]
    said = {
        "paid": "You are paid for it as announced." if pays else otherwise,
        "kept": ", and you lose no pay that you have earned" if pays else "",
        "earned": "You lose no pay that you have earned." if pays else "",
        "in_full": ", and you are paid in full" if pays else "",
        "units": about.units,
    }
    return heading.format(**said), sentence.format(**said).strip()


def end_all(participation_ids: list[int], outcome: Outcome, fault: Fault = Fault.NOBODY) -> None:
    """End those of some participations that are open, without a wait or a reason. Call as ``end``."""
    running = Participation.objects.filter(pk__in=participation_ids, ended_at__isnull=True)
    if running.update(ended_at=clock.now(), outcome=outcome, fault=fault, why="", reason=""):
        transaction.on_commit(lambda: _hint(participation_ids))


def _hint(participation_ids: list[int]) -> None:
    for each in participation_ids:
        participation_ended.send_robust(Participation, participation_id=each)


def end(
    participation_id: int,
    outcome: Outcome,
    fault: Fault = Fault.NOBODY,
    *,
    why: Why | str = "",
    reason: str = "",
    waited_seconds: int = 0,
) -> bool:
    """End a participation; return False when it had ended already. Call inside the transaction that knows why.

    ``waited_seconds`` are those of the wait that ends with it.
    """
    changes: dict[str, object] = {
        "ended_at": clock.now(), "outcome": outcome, "fault": fault, "why": why, "reason": reason,
        "waited_seconds": F("waited_seconds") + waited_seconds,
    }  # fmt: skip
    ended = Participation.objects.filter(pk=participation_id, ended_at__isnull=True).update(**changes)
    if ended:
        transaction.on_commit(lambda: _hint([participation_id]))
    return bool(ended)
