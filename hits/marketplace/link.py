"""An invitation link as a marketplace: for panels, classes and colleagues. It cannot check who somebody is."""

import secrets
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from django.core import signing

from collector.studies.admission import Identity
from hits.ledger import Answer, Paid
from hits.marketplace.base import Capabilities, NotPossible, Offer, Published, Submission
from hits.models import LedgerEntry

NAME = "link"
NOT_VERIFIED = (
    "Who comes through the invitation link is not verified: it checks no qualification, no country and no identity."
)
_SIMULATED = "collector.simulated"
_BY_HAND = "It is paid by hand: write a statement, pay what it lists, and read it back."


def entry(participant: str, environment: str = "live") -> Identity:
    """Return who comes through the link: the panel's id, or somebody new when it brings none.

    Raises NotAdmitted for ids that no panel gives.
    """
    external_id = participant or "anon-" + secrets.token_urlsafe(12)
    return Identity(NAME, environment, external_id)


def simulated(participant: str, signature: str) -> Identity | None:
    """Return the identity of a program, when the signature shows that this installation runs it."""
    try:
        if signing.Signer(salt=_SIMULATED).unsign(signature) != participant:
            return None
    except signing.BadSignature:
        return None
    return Identity(NAME, "simulated", participant, is_simulated=True)


class Link:
    """The link in the contract's words: it shows a door, and everything else about it is done by people."""

    name = NAME
    environment = "live"
    endpoint = ""
    capabilities = Capabilities()

    def balance(self) -> Decimal | None:
        """Return None: there is no account."""
        return None

    def ahead(self) -> timedelta | None:
        """Return None: it has no clock but ours."""
        return None

    def offer(self, offer: Offer) -> str:
        """Refuse: people spread a link themselves."""
        raise _not_possible("offer work in a list")

    def tell(self, type_id: str, address: str) -> None:
        """Refuse: what happens here is our own."""
        raise _not_possible("tell of events")

    def publish(self, type_id: str, url: str, token: str, annotation: str, lifetime: int) -> Published:
        """Refuse: it has no HITs."""
        raise _not_possible("publish HITs")

    def look(self, hit_id: str) -> Published:
        """Refuse: it has no HITs."""
        raise _not_possible("show HITs")

    def hits(self) -> Iterator[Published]:
        """Refuse: it has no HITs."""
        raise _not_possible("list HITs")

    def renew(self, hit_id: str, until: datetime) -> None:
        """Refuse: it has no HITs."""
        raise _not_possible("renew HITs")

    def expire(self, hit_id: str) -> None:
        """Refuse: a link is closed by closing its study."""
        raise _not_possible("expire HITs")

    def submissions(self, hit_id: str) -> Iterator[Submission]:
        """Refuse: nothing is submitted anywhere else."""
        raise _not_possible("list submissions")

    def approve(self, assignment_id: str, message: str = "", *, in_spite_of_rejection: bool = False) -> None:
        """Refuse: nothing is submitted anywhere else."""
        raise _not_possible("approve submissions")

    def reject(self, assignment_id: str, reason: str) -> None:
        """Refuse: nobody is rejected who came by invitation."""
        raise _not_possible("reject submissions")

    def make_mark(self, name: str, description: str) -> str:
        """Refuse: the cap is checked at the door."""
        raise _not_possible("mark workers")

    def mark_name(self, mark_id: str) -> str:
        """Refuse: the cap is checked at the door."""
        raise _not_possible("mark workers")

    def exclude(self, mark_id: str, worker_id: str) -> None:
        """Refuse: the cap is checked at the door."""
        raise _not_possible("mark workers")

    def include(self, mark_id: str, worker_id: str) -> None:
        """Refuse: the cap is checked at the door."""
        raise _not_possible("mark workers")

    def marked(self, mark_id: str) -> Iterator[str]:
        """Refuse: the cap is checked at the door."""
        raise _not_possible("mark workers")

    def block(self, worker_id: str, reason: str) -> None:
        """Refuse: there is no account that could be blocked; who is excluded is not let in."""
        raise _not_possible("block workers")

    def unblock(self, worker_id: str) -> None:
        """Refuse: nobody is blocked here."""
        raise _not_possible("let workers back")

    def notify(self, worker_ids: Sequence[str], subject: str, text: str) -> Iterator[tuple[str, str]]:
        """Refuse: we know no address; whoever gave them the link can write to them."""
        raise _not_possible("carry messages to workers")

    def bonuses(self, hit_id: str) -> Iterator[Decimal]:
        """Refuse: it has no HITs, and what is paid by hand stands in our own books only."""
        raise _not_possible("list payments")

    def pay(self, entry: LedgerEntry) -> Paid:
        """Send nothing: the entry stays planned, and so on the statement that a person pays by."""
        return Paid(Answer.LATER, trouble=_BY_HAND)

    def find(self, entry: LedgerEntry) -> Paid | None:
        """Return None: nothing was ever sent, and what a person has paid is written down by that person."""
        return None


def _not_possible(what: str) -> NotPossible:
    return NotPossible("An invitation link", what)
