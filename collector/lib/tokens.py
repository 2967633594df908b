"""Whose page is this? Tokens that say which participation a page belongs to, without a cookie.

A token is a signature over the participation's id and generation. It stands in the path of worker pages and in the
first frame of the socket, and is kept out of logs by :class:`Redact`.
"""

import logging
import re
from dataclasses import dataclass

from django.core import signing

_SALT = "collector.participation"
_PATH = re.compile(r"(/w/)[^/\s?\"']+")
_IDENTITY = re.compile(r"([?&](?:participant|workerId|assignmentId|hitId|PROLIFIC_PID|SESSION_ID)=)[^&\s\"']+")


class BadToken(Exception):
    """The token was not made by us, or was cut or changed on its way."""


@dataclass(frozen=True)
class Token:
    """What a token says: the participation's primary key and the generation it was minted for."""

    participation: int
    generation: int


def mint(participation: int, generation: int) -> str:
    """Return a token of about 40 URL-safe characters."""
    return signing.Signer(salt=_SALT, sep=".").sign(f"{participation}-{generation}")


def read(token: str) -> Token:
    """Return what ``token`` says, or raise BadToken."""
    try:
        participation, generation = signing.Signer(salt=_SALT, sep=".").unsign(token).split("-")
        return Token(int(participation), int(generation))
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
