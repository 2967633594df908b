"""How did a participation end, and what is the worker told? Written once, in the transaction that ends it."""

from typing import Any

from django.db import transaction
from django.db.models import F
from django.dispatch import Signal
from django.utils.translation import gettext, gettext_noop

from collector.lib import clock
from collector.studies import kinds, promises
from collector.studies.models import Fault, Outcome, Participation, Why

participation_ended = Signal()
"""A hint, sent after commit with ``participation_id``; what must happen is found by a sweep."""

# {paid}, {earned} and {in_full} say what the study pays: words_of fills it in.
_IN_VAIN = (Outcome.NO_PARTNER, Outcome.STUDY_ENDED, Outcome.SCREENED_OUT)
_ENDS: dict[Outcome, tuple[str, str]] = {
    Outcome.COMPLETE: (gettext_noop("Thank you, all done"), gettext_noop("Your part is complete and stored. {paid}")),
    Outcome.PARTNER_LEFT: (
        gettext_noop("Your partner has left"),
        gettext_noop("That is not your doing, and what you wrote is stored. {paid}"),
    ),
    Outcome.LEFT: (
        gettext_noop("You have left"),
        gettext_noop("What you wrote until then is stored. {earned} Thank you for your time."),
    ),
    Outcome.TIMED_OUT: (
        gettext_noop("The time is over"),
        gettext_noop("Nothing was written for too long. What you wrote until then is stored. {earned}"),
    ),
    Outcome.NO_PARTNER: (gettext_noop("Nobody came"), gettext_noop("We found no partner for you this time. {paid}")),
    Outcome.STUDY_ENDED: (gettext_noop("The study has ended"), gettext_noop("It ended while you took part. {paid}")),
    Outcome.SCREENED_OUT: (gettext_noop("Thank you"), gettext_noop("This task does not fit today. {paid}")),
    Outcome.TECHNICAL_FAILURE: (
        gettext_noop("Something failed on our side"),
        gettext_noop("That is not your doing. {paid}"),
    ),
    Outcome.WITHDRAWN: (gettext_noop("You have withdrawn"), gettext_noop("What you wrote is not used. {earned}")),
}
_ENDS_WHY: dict[tuple[Outcome, Why], tuple[str, str]] = {
    (Outcome.PARTNER_LEFT, Why.PARTNER_GONE): (
        gettext_noop("Your partner is gone"),
        gettext_noop("They left or lost the connection. That is not your doing, and what you wrote is stored. {paid}"),
    ),
    (Outcome.PARTNER_LEFT, Why.PARTNER_LOST): (
        gettext_noop("Your partner did not come back"),
        gettext_noop("They lost the connection. That is not your doing, and what you wrote is stored. {paid}"),
    ),
    (Outcome.PARTNER_LEFT, Why.PARTNER_IDLE): (
        gettext_noop("Your partner did not go on"),
        gettext_noop("They wrote nothing for too long. That is not your doing, and what you wrote is stored. {paid}"),
    ),
    (Outcome.PARTNER_LEFT, Why.PARTNER_REPORTED): (
        gettext_noop("This dialog was ended"),
        gettext_noop(
            "One of you reported a problem with the other. A person will look at it; until then nobody is "
            "blamed. {paid}"
        ),
    ),
    (Outcome.TECHNICAL_FAILURE, Why.VIDEO_REPORTED): (
        gettext_noop("This dialog was ended"),
        gettext_noop(
            "A problem with the video was reported. That is nobody's doing, and what you wrote is stored. {paid}"
        ),
    ),
    (Outcome.LEFT, Why.CONNECTION_LOST): (
        gettext_noop("Your connection was lost for too long"),
        gettext_noop("Your partner could not wait any longer. What you wrote until then is stored. {earned}"),
    ),
    (Outcome.LEFT, Why.NEVER_CAME): (
        gettext_noop("Your place was given up"),
        gettext_noop("You were away for too long before it began."),
    ),
    (Outcome.SCREENED_OUT, Why.DEVICE_FAILED): (
        gettext_noop("Thank you for trying"),
        gettext_noop("Your device or its sound does not fit this task today. That counts against nobody. {paid}"),
    ),
    (Outcome.SCREENED_OUT, Why.QUIZ_FAILED): (
        gettext_noop("Thank you for your time"),
        gettext_noop(
            "Too few answers of the quiz were right, so this task goes to others. That is no rejection. {paid}"
        ),
    ),
    (Outcome.TIMED_OUT, Why.SUMMARY_OVER): (
        gettext_noop("The time is over"),
        gettext_noop("No summary came within its time. What you wrote until then is stored. {earned}"),
    ),
    (Outcome.TIMED_OUT, Why.DIALOG_OVER): (
        gettext_noop("The time for this dialog is over"),
        gettext_noop("You both used all of it; that is nobody's fault. {in_full}"),
    ),
    (Outcome.STUDY_ENDED, Why.STUDY_PAUSED): (
        gettext_noop("The study takes a break"),
        gettext_noop("It was paused while you waited, so no partner will come now. {paid}"),
    ),
    (Outcome.STUDY_ENDED, Why.STUDY_CLOSED): (
        gettext_noop("The study has ended"),
        gettext_noop("It was closed while you waited, so no partner will come any more. {paid}"),
    ),
    (Outcome.STUDY_ENDED, Why.NO_VIDEO_LEFT): (
        gettext_noop("All dialogs are there"),
        gettext_noop("While you waited the last video was given to others, so none is left to talk about. {paid}"),
    ),
    (Outcome.STUDY_ENDED, Why.ALL_SEEN): (
        gettext_noop("You have seen every video"),
        gettext_noop("No video is left that is new to you. Thank you for all your work! {paid}"),
    ),
}
_ENDS_ALONE: dict[tuple[Outcome, Why], tuple[str, str]] = {
    (Outcome.TECHNICAL_FAILURE, Why.VIDEO_REPORTED): (
        gettext_noop("This task was ended"),
        gettext_noop("You reported a problem with the video; a person will look at it. That is nobody's doing. {paid}"),
    ),
    (Outcome.TIMED_OUT, Why.SUMMARY_OVER): (
        gettext_noop("The time is over"),
        gettext_noop("No summary came within its time. {earned}"),
    ),
    (Outcome.TIMED_OUT, Why.DIALOG_OVER): (
        gettext_noop("The time is over"),
        gettext_noop("The task was not finished within its time. {earned}"),
    ),
    (Outcome.LEFT, Why.NEVER_CAME): (
        gettext_noop("Your place was given up"),
        gettext_noop("You did not begin within the time for this task."),
    ),
    (Outcome.STUDY_ENDED, Why.STUDY_PAUSED): (
        gettext_noop("The study takes a break"),
        gettext_noop("It was paused before you had your video. {paid}"),
    ),
    (Outcome.STUDY_ENDED, Why.STUDY_CLOSED): (
        gettext_noop("The study has ended"),
        gettext_noop("It was closed before you had your video. {paid}"),
    ),
    (Outcome.STUDY_ENDED, Why.NO_VIDEO_LEFT): (
        gettext_noop("All that was wanted is there"),
        gettext_noop("While you read, the last video was given to others. {paid}"),
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
    again = gettext("You can open the invitation again at any time.") if ended == Outcome.NO_PARTNER else ""
    otherwise = again if ended in _IN_VAIN else content["pay_note"]
    said = {
        "paid": gettext("You are paid for it as announced.") if pays else otherwise,
        "earned": gettext("You lose no pay that you have earned.") if pays else "",
        "in_full": gettext("You are paid in full.") if pays else otherwise,
    }
    return gettext(heading), " ".join(gettext(sentence).format(**said).split())


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
