"""Do we and a marketplace agree on the time? Requests are signed with ours, and deadlines are in theirs."""

from collections.abc import Mapping
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime

from collector.lib import clock

APART = timedelta(minutes=5)
"""By so much Amazon lets a signature be off."""


def ahead(headers: Mapping[str, str]) -> timedelta | None:
    """Return how far our clock is ahead of an answer's ``date``, to a second; None where it tells none."""
    try:
        theirs = parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return None
    return clock.now() - (theirs if theirs.tzinfo else theirs.replace(tzinfo=UTC))


def objection(ahead: timedelta | None) -> str:
    """Say that the clocks are too far apart, and what to do; empty when they are not, or theirs is not known."""
    if ahead is None or abs(ahead) <= APART:
        return ""
    minutes, where = round(abs(ahead) / timedelta(minutes=1)), "ahead of" if ahead > timedelta(0) else "behind"
    return (
        f"This machine's clock is {minutes} minutes {where} the marketplace's, which takes requests for forged when "
        "they are more than 5 minutes off. Set the clock (on most systems: timedatectl set-ntp true) and try again."
    )
