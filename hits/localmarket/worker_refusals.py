"""What may a worker not do, and what are they told? One enum, one table."""

from enum import StrEnum


class Reason(StrEnum):
    """Why a worker is refused."""

    ALREADY = "already"
    EXPIRED = "expired"
    NONE_LEFT = "none_left"
    NOT_ELIGIBLE = "not_eligible"
    TOO_MANY = "too_many"
    NOT_HELD = "not_held"
    SUBMITTED_BEFORE = "submitted_before"
    NO_ANSWER = "no_answer"
    UNKNOWN = "unknown"
    SIGN_IN = "sign_in"
    NOT_REQUESTABLE = "not_requestable"
    ASKED_BEFORE = "asked_before"


SENTENCES = {
    Reason.ALREADY: "You already work on this HIT, or have done it.",
    Reason.EXPIRED: "This HIT is no longer offered.",
    Reason.NONE_LEFT: "Other workers were faster: no assignment of this HIT is left.",
    Reason.NOT_ELIGIBLE: "You do not have the qualifications that this HIT asks for.",
    Reason.TOO_MANY: "You hold as many HITs as one may at once. Submit or return some first.",
    Reason.NOT_HELD: "You do not hold this assignment: it was returned, or its time was up.",
    Reason.SUBMITTED_BEFORE: "This assignment was already submitted. It counts once.",
    Reason.NO_ANSWER: "The task's page sent no answer beside the assignment's id, so nothing was submitted.",
    Reason.UNKNOWN: "There is nothing here under this id.",
    Reason.SIGN_IN: "Sign in as a worker first.",
    Reason.NOT_REQUESTABLE: "This qualification cannot be requested now.",
    Reason.ASKED_BEFORE: "You have already requested this qualification.",
}


class WorkerRefusal(Exception):
    """A worker asked for something they may not do."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(SENTENCES[reason])
        self.reason = reason

    @property
    def sentence(self) -> str:
        """What the worker reads."""
        return SENTENCES[self.reason]
