"""In which state is a HIT? A pure function of its counts; imports nothing of Django."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """How many of a HIT's assignments are where.

    ``pending`` are accepted, or submitted and not yet visible. ``handed_in`` are visible submissions, decided or not.
    """

    most: int
    pending: int = 0
    handed_in: int = 0
    decided: int = 0

    @property
    def available(self) -> int:
        """How many more workers it could take; counted on after its expiry, too."""
        return self.most - self.pending - self.handed_in


def status_of(counts: Counts, *, expired: bool, reviewing: bool, disposed: bool) -> str:
    """Return a HIT's status as it stands on the wire.

    A HIT that has expired while somebody works on it is Unassignable until they end.
    """
    if disposed:
        return "Disposed"
    if counts.available > 0 and not expired:
        return "Assignable"
    if counts.pending > 0:
        return "Unassignable"
    return "Reviewing" if reviewing else "Reviewable"
