"""What is stored of marketplaces and money?

The ledger is append-only: an entry's amount, reason and worker never change; only how far its payment has come does.
"""

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from collector.studies.models import Participation, Study, Worker


class EntryKind(models.TextChoices):
    """What an amount is for."""

    REWARD = "reward"
    WAITING = "waiting"
    SUMMARY = "summary", "summary bonus"
    QUALITY = "quality", "quality bonus"
    COMPENSATION = "compensation"
    CORRECTION = "correction"


class EntryState(models.TextChoices):
    """How far the payment of an entry has come."""

    PLANNED = "planned"
    SENDING = "sending"
    PAID = "paid"
    FAILED = "failed"
    UNKNOWN = "unknown"


class LedgerEntry(models.Model):
    """One amount owed to a worker for one reason, and how far its payment has come.

    ``key`` names the reason and is unique: what is planned twice exists once. The token of a payment is made from the
    row's id, so that sending again is the same payment.
    """

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="ledger")
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="ledger")
    participation = models.ForeignKey(
        Participation, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger"
    )
    kind = models.CharField(max_length=12, choices=EntryKind.choices)
    key = models.CharField(max_length=100, unique=True)
    amount = models.DecimalField(max_digits=8, decimal_places=2, validators=[MinValueValidator(0)])
    why = models.CharField(max_length=300, help_text="In words; the worker may read it.")
    who = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, help_text="Empty: the pay rules."
    )
    at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=EntryState.choices, default=EntryState.PLANNED)
    changed_at = models.DateTimeField()
    first_sent_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    reference = models.CharField(max_length=100, blank=True, help_text="What the marketplace calls the payment.")
    trouble = models.CharField(max_length=300, blank=True, help_text="Why it failed or is not known, in a sentence.")

    class Meta:
        verbose_name_plural = "ledger entries"
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="an_entry_has_an_amount"),
            models.CheckConstraint(
                condition=~Q(state__in=["sending", "unknown"]) | Q(first_sent_at__isnull=False),
                name="what_was_sent_says_when",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "changed_at"]),
            models.Index(fields=["worker", "at"]),
            models.Index(fields=["study", "state"]),
        ]

    def __str__(self) -> str:
        return f"${self.amount} {self.get_kind_display()}, {self.state}"

    @property
    def token(self) -> str:
        """The token of this payment: the same for ever, whatever is retried."""
        return f"collector-entry-{self.pk}"


class Settlement(models.Model):
    """A participation whose pay has been worked out: what it is owed stands in the ledger."""

    participation = models.OneToOneField(Participation, on_delete=models.PROTECT, related_name="settlement")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"settlement of participation {self.participation_id}"
