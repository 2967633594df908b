"""An invitation link as a marketplace: for panels, classes and colleagues. It cannot check who somebody is."""

import secrets
from dataclasses import dataclass

from django.core import signing

from collector.studies.admission import Identity

NAME = "link"
_SIMULATED = "collector.simulated"


@dataclass(frozen=True)
class Goodbye:
    """Where a worker goes at the end: a code to copy, or an address to go to."""

    code: str
    url: str


def entry(participant: str, environment: str = "live") -> Identity:
    """Return who comes through the link: the panel's id, or somebody new when it brings none.

    Raises NotAdmitted for ids that no panel gives.
    """
    external_id = participant or "anon-" + secrets.token_urlsafe(12)
    return Identity(NAME, environment, external_id, entry={"participant": external_id})


def simulated(participant: str, signature: str) -> Identity | None:
    """Return the identity of a program, when the signature shows that this installation runs it."""
    try:
        if signing.Signer(salt=_SIMULATED).unsign(signature) != participant:
            return None
    except signing.BadSignature:
        return None
    return Identity(NAME, "simulated", participant, is_simulated=True, entry={"participant": participant})
