"""What does a preflight say? Checks, each with its state, a sentence, and what to do beside it."""

from collections import Counter
from datetime import datetime
from enum import StrEnum

import msgspec

from collector.lib.text import many


class State(StrEnum):
    """How a check came out."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    UNKNOWN = "unknown"

    @property
    def label(self) -> str:
        """The state in a word or two: it never stands by its colour alone."""
        return {"good": "Good", "warn": "Look at it", "bad": "Mend it", "unknown": "Not known"}[self.value]


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at."""

    about: str
    state: State
    says: str
    fix: str = ""
    """What to do about it, in a sentence; empty where there is nothing to do."""
    place: str = ""
    """The address of the page where that is done, if it is one of ours."""


class Part(msgspec.Struct, frozen=True):
    """Checks that belong together."""

    name: str
    checks: list[Check]


class Report(msgspec.Struct, frozen=True):
    """What one preflight found, and when."""

    at: datetime
    parts: list[Part]

    def count(self, state: State) -> int:
        """Return how many checks came out so."""
        return Counter(check.state for part in self.parts for check in part.checks)[state]

    @property
    def in_words(self) -> str:
        """The sum of it in a sentence."""
        good, warn, bad, unknown = (self.count(state) for state in State)
        found = [f"{many(good, 'check')} passed"]
        if bad:
            found.append(f"{bad} to mend")
        if warn:
            found.append(f"{warn} to look at")
        if unknown:
            found.append(f"{unknown} that cannot be told from here")
        return (", ".join(found[:-1]) + " and " if found[1:] else "") + found[-1] + "."


def good(about: str, says: str) -> Check:
    """Return a check that passed."""
    return Check(about, State.GOOD, says)


def warn(about: str, says: str, fix: str, place: str = "") -> Check:
    """Return a check that a person should look at."""
    return Check(about, State.WARN, says, fix, place)


def bad(about: str, says: str, fix: str, place: str = "") -> Check:
    """Return a check that would stop workers, or cheat them."""
    return Check(about, State.BAD, says, fix, place)


def unknown(about: str, says: str, fix: str = "", place: str = "") -> Check:
    """Return a check that cannot be made from here, or not yet."""
    return Check(about, State.UNKNOWN, says, fix, place)
