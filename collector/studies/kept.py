"""What is kept of people, why, and for how long? The one table: workers read it, it is carried out by it.

``collector.privacy.removing`` removes what each rule names, by the rule's key; docs/privacy.md shows the same table.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_noop

from collector.lib import clock

EVIDENCE_DAYS = 30
ID_DAYS = 180
_DAYS_OF_A_YEAR = 365.25


@dataclass(frozen=True)
class Rule:
    """One line. ``until`` may name {days} or {years}; without ``days`` it is kept until a worker asks."""

    key: str
    what: str
    why: str
    until: str
    days: float | None = None
    is_of_workers: bool = True

    @property
    def before(self) -> datetime:
        """What has ended before this moment was kept long enough."""
        if self.days is None:
            raise ValueError(f"{self.key} is kept until somebody asks.")
        return clock.now() - timedelta(days=self.days)

    def in_words(self) -> tuple[str, str, str]:
        """Return what, why and how long, in the language that is spoken."""
        return gettext(self.what), gettext(self.why), self._how_long(gettext(self.until))

    def in_english(self) -> tuple[str, str, str]:
        """Return the same in English."""
        return self.what, self.why, self._how_long(self.until)

    def _how_long(self, until: str) -> str:
        return until.format(days=f"{self.days or 0:g}", years=settings.LEDGER_YEARS)


def rules() -> list[Rule]:
    """Return the table."""
    return [
        Rule(
            "work",
            gettext_noop(
                "What you write or mark, when you sent it, which parts of the video you played, and how your task went."
            ),
            gettext_noop("It is what the study collects. It is published, under a number that does not name you."),
            gettext_noop("Until you withdraw, or ask us to erase it. What is published by then stays published."),
        ),
        Rule(
            "evidence",
            gettext_noop(
                "How your texts were written, where the study says that this is kept, and the check of your device."
            ),
            gettext_noop("To see how texts came about, and what kept people from taking part."),
            gettext_noop("{days} days."),
            EVIDENCE_DAYS,
        ),
        Rule(
            "network",
            gettext_noop("A mark made of your network address with a secret key. The address itself is not kept."),
            gettext_noop("To see whether both partners of a dialog sat in one place."),
            gettext_noop("{days} days."),
            EVIDENCE_DAYS,
        ),
        Rule(
            "ids",
            gettext_noop("Your id on the marketplace and the ids of your submissions, encrypted."),
            gettext_noop("To know you again, to pay you and to answer you."),
            gettext_noop("{days} days after your last payment, or your last task if nothing was paid."),
            ID_DAYS,
        ),
        Rule(
            "letters",
            gettext_noop("What you and we write to each other, how you say it was, and what we note about you."),
            gettext_noop("To answer you, and to decide fairly."),
            gettext_noop("As long as your id."),
            ID_DAYS,
        ),
        Rule(
            "ledger",
            gettext_noop(
                "What you were paid and what for, under a number that does not name you; of payments by hand also "
                "their number at the bank."
            ),
            gettext_noop("Because tax law asks for it."),
            gettext_noop("{years} years."),
            settings.LEDGER_YEARS * _DAYS_OF_A_YEAR,
        ),
        Rule(
            "sign_ins",
            "When researchers signed in or failed to, with a mark made of the network address with a secret key.",
            "To keep out who guesses passwords.",
            "{days} days.",
            EVIDENCE_DAYS,
            is_of_workers=False,
        ),
    ]


def of_workers() -> list[tuple[str, str, str]]:
    """Return the lines that workers read, in the language that is spoken."""
    return [rule.in_words() for rule in rules() if rule.is_of_workers]


class KeptVersion(models.Model):
    """The table as workers could read it. Never changed."""

    number = models.PositiveIntegerField(unique=True)
    content = models.JSONField(help_text="What, why and how long, in English.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the content.")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"version {self.number}"


def current() -> KeptVersion:
    """Return the version of what the table says now, made when it is new."""
    content = [rule.in_english() for rule in rules() if rule.is_of_workers]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    last = KeptVersion.objects.order_by("-number").first()
    made = {"number": last.number + 1 if last else 1, "content": content, "created_at": clock.now()}
    return KeptVersion.objects.get_or_create(digest=digest, defaults=made)[0]
