"""Whose page is this? Tokens that say which participation, or which worker, a page belongs to, without a cookie.

A participation's token is a signature over its id and generation; it stands in the path of worker pages and in the
first frame of the socket. A worker's token opens the page of all that they did; it is of a kind of its own, so that
neither opens the other's pages. Both are kept out of logs by :class:`Redact`.
"""

import logging
import re
from dataclasses import dataclass

from django.core import signing

_PARTICIPATION, _WORKER = "collector.participation", "collector.worker"
_PATH = re.compile(r"(/(?:w|mine)/)[^/\s?\"']+")
_IDENTITY = re.compile(r"([?&](?:participant|workerId|assignmentId|hitId|PROLIFIC_PID|SESSION_ID)=)[^&\s\"']+")


class BadToken(Exception):
    """The token was not made by us, or was cut or changed on its way."""


@dataclass(frozen=True)
class Token:
    """What a token says: the participation's primary key and the generation it was minted for."""

    participation: int
    generation: int


@dataclass(frozen=True)
class WorkerToken:
    """What a worker's token says: the worker's primary key, and the participation whose last page led here, or 0."""

    worker: int
    participation: int


def mint(participation: int, generation: int) -> str:
    """Return a token of about 40 URL-safe characters."""
    return _sign(_PARTICIPATION, participation, generation)


def read(token: str) -> Token:
    """Return what ``token`` says, or raise BadToken."""
    return Token(*_unsign(_PARTICIPATION, token))


def mint_for_worker(worker: int, participation: int = 0) -> str:
    """Return the token of a worker's own page, as long as a participation's."""
    return _sign(_WORKER, worker, participation)


def read_of_worker(token: str) -> WorkerToken:
    """Return what a worker's ``token`` says, or raise BadToken."""
    return WorkerToken(*_unsign(_WORKER, token))


def _sign(kind: str, first: int, second: int) -> str:
    return signing.Signer(salt=kind, sep=".").sign(f"{first}-{second}")


def _unsign(kind: str, token: str) -> tuple[int, int]:
    try:
        first, second = signing.Signer(salt=kind, sep=".").unsign(token).split("-")
        return int(first), int(second)
    except (signing.BadSignature, ValueError):
        raise BadToken from None


def redact(line: str) -> str:
    """Return ``line`` without tokens and marketplace ids."""
    return _IDENTITY.sub(r"\1…", _PATH.sub(r"\1…", line))


class Redact(logging.Filter):
    """Keep tokens and worker ids out of log lines, arguments and all."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record's message in place; every record passes."""
        message = record.getMessage()
        if (clean := redact(message)) != message:
            record.msg, record.args = clean, ()
        return True
