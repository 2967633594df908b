"""Which role may do which deed? The one table, and the one check that every page of the desk goes through.

A role is a group of Django's of the same name; each may do what those before it may. A superuser is an owner.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from django.contrib.auth.decorators import user_passes_test
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import TextChoices
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from collector.accounts import two_factor

View = TypeVar("View", bound=Callable[..., Any])


class Role(StrEnum):
    """What somebody is here, from the least to the most."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    RESEARCHER = "researcher"
    OWNER = "owner"


class Deed(TextChoices):
    """What is done on the desk; also the words of the log."""

    SEE = "see", "look at pages"
    APPROVE = "approve", "approve"
    REJECT = "reject", "reject"
    UNDO_REJECTION = "undo-rejection", "take a rejection back"
    SECOND = "second", "take a second look"
    NOTE = "note", "note about a worker"
    LOOK_AT = "look-at", "look at a report"
    TAKE_OUT = "take-out", "take out of the data"
    PUT_BACK = "put-back", "put back into the data"
    REDACT = "redact", "redact, or leave"
    UNDO_REDACTION = "undo-redaction", "take a redaction back"
    TRY = "try", "try a study"
    CHECK = "check", "check a study"
    REHEARSE = "rehearse", "rehearse a study"
    OPEN = "open", "open a study"
    DRAIN = "drain", "drain a study"
    PAUSE = "pause", "pause a study"
    CLOSE = "close", "close a study"
    SEATS = "seats", "change the seats on offer"
    LAUNCH = "launch", "launch, or go on"
    GO_ON = "go-on", "end a pilot"
    EXPIRE = "expire", "pause and expire"
    ADD = "add", "add"
    CHANGE = "change", "change"
    RULES = "rules", "change quality rules"
    WORD_LISTS = "word-lists", "change word lists"
    COUNT = "count", "have figures counted"
    EXPORT = "export", "export"
    REMOVE_EXPORT = "remove-export", "remove an export"
    LOAD = "load", "load a file of data"
    FIND_WORKER = "find-worker", "find a worker by id"
    REVEAL = "reveal", "show a worker's id"
    LOAD_IDS = "load-ids", "load a file with workers' ids"
    LOAD_PERSON = "load-person", "load all about a worker"
    ERASE = "erase", "erase a worker"
    LETTERS = "letters", "read letters"
    ANSWER = "answer", "answer a letter"
    WRITE = "write", "write to a worker"
    EXCLUDE = "exclude", "exclude a worker"
    INCLUDE = "include", "include a worker again"
    BLOCK = "block", "block a worker"
    UNBLOCK = "unblock", "let a worker back"
    WITHDRAW = "withdraw", "withdraw at a worker's wish"
    UNDO_WITHDRAWAL = "undo-withdrawal", "take a withdrawal back"
    BONUS = "bonus", "pay a bonus"
    TAKE_BACK_BONUS = "take-back-bonus", "take a bonus back"
    CORRECT = "correct", "pay more than the rules"
    COMPENSATE = "compensate", "compensate"
    TAKE_BACK_COMPENSATION = "take-back-compensation", "take a compensation back"
    OFFER_AGAIN = "offer-again", "offer a compensation again"
    RETRY = "retry", "try a payment again"
    PAID_BY_HAND = "paid-by-hand", "note as paid by hand"
    LOG = "log", "read the log"
    DELETE = "delete", "delete"
    ROLE = "role", "give a role"
    TWO_FACTOR = "two-factor", "change one's own second factor"
    RESET_TWO_FACTOR = "reset-two-factor", "take a second factor away"
    SIGN_IN_FAILED = "sign-in-failed", "sign-in that failed"


NOBODYS = (Deed.SIGN_IN_FAILED, Deed.TWO_FACTOR)
"""Only happens, or is everybody's own."""
_D = Deed
MAY: dict[Role, tuple[Deed, ...]] = {
    Role.VIEWER: (_D.SEE, _D.LOAD),
    Role.REVIEWER: (
        _D.APPROVE, _D.REJECT, _D.UNDO_REJECTION, _D.SECOND, _D.NOTE, _D.LOOK_AT, _D.TAKE_OUT, _D.PUT_BACK, _D.REDACT,
        _D.UNDO_REDACTION,
    ),
    Role.RESEARCHER: (
        # studies and what comes of them
        _D.TRY, _D.CHECK, _D.REHEARSE, _D.OPEN, _D.DRAIN, _D.PAUSE, _D.CLOSE, _D.SEATS, _D.LAUNCH, _D.GO_ON,
        _D.EXPIRE, _D.ADD, _D.CHANGE, _D.RULES, _D.WORD_LISTS, _D.COUNT, _D.EXPORT, _D.REMOVE_EXPORT,
        # people
        _D.FIND_WORKER, _D.REVEAL, _D.LOAD_IDS, _D.LOAD_PERSON, _D.LETTERS, _D.ANSWER, _D.WRITE, _D.EXCLUDE, _D.INCLUDE,
        _D.BLOCK, _D.UNBLOCK, _D.WITHDRAW, _D.UNDO_WITHDRAWAL,
        # money
        _D.BONUS, _D.TAKE_BACK_BONUS, _D.CORRECT, _D.COMPENSATE, _D.TAKE_BACK_COMPENSATION, _D.OFFER_AGAIN, _D.RETRY,
        _D.PAID_BY_HAND,
        _D.LOG,
    ),
    Role.OWNER: (_D.DELETE, _D.ERASE, _D.ROLE, _D.RESET_TWO_FACTOR),
}  # fmt: skip
"""What each role may do beyond those before it."""
_LEAST = {deed: role for role, deeds in MAY.items() for deed in deeds}
_ORDER = list(Role)


def role_of(user: User | AnonymousUser) -> Role | None:
    """Return the role of an account; None where it has none, or is shut out. Asked once for each request."""
    if not isinstance(user, User) or not user.is_active or not user.is_staff:
        return None
    if user.is_superuser:
        return Role.OWNER
    if not hasattr(user, "_role"):
        names = set(user.groups.values_list("name", flat=True))
        user._role = next((role for role in reversed(_ORDER) if role in names), None)  # type: ignore[attr-defined]
    return user._role  # type: ignore[attr-defined,no-any-return]


def may(user: User | AnonymousUser, deed: Deed) -> bool:
    """Tell whether somebody may do something."""
    role = role_of(user)
    return role is not None and deed in _LEAST and _ORDER.index(_LEAST[deed]) <= _ORDER.index(role)


def require(request: HttpRequest, deed: Deed) -> None:
    """Raise PermissionDenied, with a sentence, where the person who asks may not do this."""
    _require(request.user, deed)


def _require(user: User | AnonymousUser, deed: Deed) -> None:
    if may(user, deed):
        return
    role = role_of(user)
    yours = f"Yours is {role}." if role else "You have none."
    raise PermissionDenied(f"To {deed.label} takes the role {_LEAST[deed]}. {yours} Ask an owner.")


def allowed(deed: Deed) -> Callable[[View], View]:
    """Let only those see a view, plain or asynchronous, who may do ``deed``; others are asked for password and code."""

    def passes(user: User | AnonymousUser) -> bool:
        if not (user.is_active and user.is_staff) or two_factor.is_owed(user):
            return False
        _require(user, deed)
        return True

    return user_passes_test(passes, login_url="admin:login")


def context(request: HttpRequest) -> dict[str, Any]:
    """Tell templates what may be done: ``{% if "launch" in may %}``. Asks nothing where no template does."""
    return {"may": SimpleLazyObject(lambda: frozenset(each for each in Deed if may(request.user, each)))}
