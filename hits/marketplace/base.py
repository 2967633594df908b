"""What must a marketplace be able to do? The contract that all adapters fulfil, and the words they share.

State comes from ``submissions``; events only hasten asking. Money moves through the ledger, which calls ``pay`` and
``find``. An adapter holds no state of ours and writes no row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, Protocol

from hits.ledger import Payer


class MarketplaceError(Exception):
    """What a marketplace refused or did not answer, in a sentence.

    ``is_final``: trying again is of no use. ``nothing_done``: it is certain that the last try had no effect.
    """

    def __init__(self, code: str, sentence: str, *, is_final: bool, nothing_done: bool = False) -> None:
        super().__init__(sentence)
        self.code, self.sentence, self.is_final, self.nothing_done = code, sentence, is_final, nothing_done


class NotPossible(MarketplaceError):
    """What this marketplace cannot do at all."""

    def __init__(self, marketplace: str, what: str) -> None:
        super().__init__("not_possible", f"{marketplace} cannot {what}.", is_final=True, nothing_done=True)


class Gone(MarketplaceError):
    """What the marketplace has no more: deleted, or disposed of by itself after months."""

    def __init__(self, sentence: str) -> None:
        super().__init__("gone", sentence, is_final=True)


@dataclass(frozen=True)
class Capabilities:
    """What a marketplace can do; pages offer nothing else and say what is not verified."""

    has_hits: bool = False
    has_preview: bool = False
    is_framed: bool = False
    checks_qualifications: bool = False
    pays: bool = False
    rejects: bool = False
    excludes: bool = False
    blocks: bool = False
    writes: bool = False
    has_balance: bool = False
    tells_events: bool = False


@dataclass(frozen=True)
class Offer:
    """What workers see in the list. Amounts in US dollars, times in seconds."""

    title: str
    description: str
    keywords: str
    reward: Decimal
    duration: int
    auto_approval: int
    requirements: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Published:
    """A HIT as the marketplace has it."""

    hit_id: str
    expires_at: datetime | None
    requirements: tuple[dict[str, Any], ...] = ()
    available: int = 0
    pending: int = 0
    completed: int = 0
    annotation: str = ""
    url: str = ""
    reward: Decimal = Decimal(0)


@dataclass(frozen=True)
class Submission:
    """One submitted assignment as the marketplace has it.

    ``fields`` is what the page sent with it, ``document`` all that the marketplace says, as JSON, times in UTC.
    """

    assignment_id: str
    hit_id: str
    worker_id: str
    state: Literal["submitted", "approved", "rejected"]
    submitted_at: datetime | None = None
    auto_approval_at: datetime | None = None
    fields: dict[str, str] = field(default_factory=dict)
    document: dict[str, Any] = field(default_factory=dict)


class Marketplace(Payer, Protocol):
    """A place where workers come from. Every call may raise MarketplaceError; all but ``notify`` may be repeated."""

    name: str
    environment: str
    endpoint: str
    capabilities: Capabilities

    def balance(self) -> Decimal | None:
        """Return US dollars that can be spent, None where that is not known."""

    def ahead(self) -> timedelta | None:
        """Return how far our clock is ahead of the marketplace's, by its last answer; None where that is not known."""

    def offer(self, offer: Offer) -> str:
        """Return the id of the offer's type, the same for the same offer."""

    def tell(self, type_id: str, address: str) -> None:
        """Have events of an offer's HITs posted to an address."""

    def publish(self, type_id: str, url: str, token: str, annotation: str, lifetime: int) -> Published:
        """Publish one HIT of one assignment at ``url``; the same token again returns the same HIT."""

    def look(self, hit_id: str) -> Published:
        """Return a HIT as it is now. Raises Gone when there is none any more."""

    def hits(self) -> Iterator[Published]:
        """Yield all HITs of this account, whoever published them."""

    def renew(self, hit_id: str, until: datetime) -> None:
        """Offer a HIT until then."""

    def expire(self, hit_id: str) -> None:
        """Offer a HIT no more; who is inside may finish."""

    def submissions(self, hit_id: str) -> Iterator[Submission]:
        """Yield all that was submitted for a HIT."""

    def approve(self, assignment_id: str, message: str = "", *, in_spite_of_rejection: bool = False) -> None:
        """Approve a submission, which pays its reward."""

    def reject(self, assignment_id: str, reason: str) -> None:
        """Reject a submission; only a person decides so."""

    def make_mark(self, name: str, description: str) -> str:
        """Return the id of a new mark (a qualification of ours), or of the one with this name."""

    def mark_name(self, mark_id: str) -> str:
        """Return what a mark is called there. Raises MarketplaceError when there is none."""

    def exclude(self, mark_id: str, worker_id: str) -> None:
        """Give a worker a mark, without mail."""

    def include(self, mark_id: str, worker_id: str) -> None:
        """Take a mark away."""

    def marked(self, mark_id: str) -> Iterator[str]:
        """Yield the ids of all workers who hold a mark."""

    def block(self, worker_id: str, reason: str) -> None:
        """Keep a worker from all that this account offers; it stands on their record. Only a person decides so."""

    def unblock(self, worker_id: str) -> None:
        """Let a worker back; one who is not blocked is fine."""

    def notify(self, worker_ids: Sequence[str], subject: str, text: str) -> Iterator[tuple[str, str]]:
        """Write to workers; yield each with an empty text, or with why it did not reach them.

        What raises was tried once only, since they would read it twice; those yielded before have been written to.
        """

    def bonuses(self, hit_id: str) -> Iterator[Decimal]:
        """Yield the bonuses that were paid on a HIT."""
