"""What is stored of what a person does about one worker? Who, when and why; nothing is deleted, what is undone says so.

Whatever a marketplace has to be told is a row first; the worker process carries it out.
"""

import uuid
from decimal import Decimal

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from collector.lib.sealed import Sealed
from collector.lib.text import dollars, many
from collector.studies.leaving import Undoable
from collector.studies.models import Outcome, Participation, Worker


class CompensationState(models.TextChoices):
    """How far a payment for who could not submit has come."""

    PLANNED = "planned", "being prepared"
    OFFERED = "offered", "on offer to this worker"
    SUBMITTED = "submitted", "submitted, being paid"
    DONE = "done", "paid"
    WITHDRAWN = "withdrawn", "taken back"
    FAILED = "failed", "could not be offered"


class Compensation(models.Model):
    """An amount for a worker without an assignment to pay it on: a HIT that only they see, and need only submit.

    ``key`` is in all names and tokens by which the marketplace knows it, so that what is repeated is the same.
    """

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    recruitment = models.ForeignKey("hits.Recruitment", on_delete=models.PROTECT, related_name="compensations")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="compensations")
    entry = models.OneToOneField("hits.LedgerEntry", on_delete=models.PROTECT, related_name="compensation")
    state = models.CharField(max_length=9, choices=CompensationState.choices, default=CompensationState.PLANNED)
    amount = models.DecimalField(max_digits=6, decimal_places=2, validators=[MinValueValidator(0)])
    reason = models.CharField(max_length=300, help_text="The worker reads it.")
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="Asked for it to be taken back, which happens unless the worker has taken it.",
    )  # fmt: skip
    mark_id = models.CharField(max_length=64, blank=True)
    type_id = models.CharField(max_length=64, blank=True)
    hit_id = models.CharField(max_length=64, blank=True)
    assignment_id = Sealed(default="", blank=True)
    trouble = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["recruitment", "state"])]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="submitted") | ~Q(assignment_id=""),
                name="what_is_submitted_has_an_assignment",
            ),
        ]

    def __str__(self) -> str:
        return f"compensation {self.pk} ({self.state})"


class Note(models.Model):
    """What somebody noted about a worker; never edited and never deleted."""

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="notes")
    text = models.TextField(max_length=2000)
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"note {self.pk} about worker {self.worker_id}"


class Block(models.Model):
    """A worker who is kept from everything we offer, on their marketplace record; lifted, it stays as history."""

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="blocks")
    reason = models.TextField(max_length=1000, help_text="The worker may read it.")
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True, help_text="When the marketplace was told.")
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    lifted_at = models.DateTimeField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True, help_text="When the marketplace was told that it is over.")
    trouble = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["worker"], condition=Q(lifted_at__isnull=True), name="one_block_a_worker"),
        ]

    def __str__(self) -> str:
        return f"block {self.pk} of worker {self.worker_id}"


class Withdrawal(Undoable):
    """A participation whose worker asked that their texts are not used; ``who`` is empty where they did it alone."""

    participation = models.ForeignKey(Participation, on_delete=models.PROTECT, related_name="withdrawals")
    was = models.CharField(max_length=20, choices=Outcome.choices, help_text="How it had ended, as pay goes by.")
    reason = models.CharField(max_length=300, help_text="How the worker asked for it; they do not read it.")
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["participation"], condition=Q(undone_at__isnull=True), name="one_withdrawal_a_participation"
            ),
        ]

    def __str__(self) -> str:
        return f"withdrawal {self.pk} of participation {self.participation_id}"


class Mark(models.Model):
    """A worker who holds the qualification that keeps them from further offers: at the cap, or excluded by a person."""

    recruitment = models.ForeignKey("hits.Recruitment", on_delete=models.CASCADE, related_name="marks")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="marks")
    at = models.DateTimeField()
    trouble = models.CharField(
        max_length=300, blank=True, help_text="Why the marketplace does not take it; the night tries again."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["recruitment", "worker"], name="one_mark_a_worker")]

    def __str__(self) -> str:
        return f"worker {self.worker_id} in {self.recruitment}"


class MessageState(models.TextChoices):
    """How far a message has come. Sending it twice cannot be told from two messages, so what is unknown stays so."""

    PLANNED = "planned", "about to be sent"
    SENDING = "sending", "being sent"
    SENT = "sent"
    FAILED = "failed", "not sent"
    UNKNOWN = "unknown", "perhaps sent"


class Message(models.Model):
    """What somebody wrote to a worker through the marketplace, and what became of it."""

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="messages")
    subject = models.CharField(max_length=200)
    text = models.TextField(max_length=4096)
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    state = models.CharField(max_length=7, choices=MessageState.choices, default=MessageState.PLANNED)
    changed_at = models.DateTimeField()
    trouble = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state"])]

    def __str__(self) -> str:
        return f"message {self.pk} to worker {self.worker_id}"


class Reconciliation(models.Model):
    """What comparing a recruitment's books with the marketplace's has found; the last one is shown."""

    recruitment = models.ForeignKey("hits.Recruitment", on_delete=models.CASCADE, related_name="reconciliations")
    at = models.DateTimeField()
    ledger = models.DecimalField(max_digits=10, decimal_places=2, help_text="Paid, but by hand, in our books.")
    marketplace = models.DecimalField(max_digits=10, decimal_places=2, help_text="Paid, in the marketplace's books.")
    open_amount = models.DecimalField(max_digits=10, decimal_places=2, help_text="Being sent, or not known.")
    unknown_amount = models.DecimalField(max_digits=10, decimal_places=2, help_text="Paid for work we do not know.")
    gone = models.PositiveIntegerField(default=0, help_text="HITs that the marketplace keeps no more, left out.")
    marks_given = models.PositiveIntegerField(default=0)
    marks_taken = models.PositiveIntegerField(default=0)
    strays_kept = models.PositiveIntegerField(default=0, help_text="HITs of ours that no row carried, left on offer.")
    strays_expired = models.PositiveIntegerField(default=0, help_text="HITs of ours that no row carried, taken back.")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"reconciliation {self.pk} of recruitment {self.recruitment_id}"

    @property
    def difference(self) -> Decimal:
        """By how much the marketplace has paid more than our ledger says; zero when both agree."""
        return self.marketplace - self.ledger

    @property
    def strays_in_words(self) -> str:
        """Say what became of HITs that our books did not know; empty when there was none."""
        number = self.strays_kept + self.strays_expired
        if not number:
            return ""
        return (
            f"{many(number, 'HIT')} of ours on offer that our books did not know, since an answer was lost: "
            f"{self.strays_kept} left on offer, {self.strays_expired} expired."
        )

    @property
    def in_words(self) -> str:
        """Say what differs and where to look; empty when nothing does. HITs that are gone are in neither book."""
        if not self.difference:
            return ""
        how = "more" if self.difference > 0 else "less"
        said = (
            f"The marketplace has paid {dollars(abs(self.difference))} {how} than our ledger says: "
            f"{dollars(self.marketplace)}, not {dollars(self.ledger)}."
        )
        if self.unknown_amount:
            unknown = dollars(self.unknown_amount)
            said += f" {unknown} of it went to submissions that we know nothing of: see the review."
        if self.open_amount:
            said += f" {dollars(self.open_amount)} is being sent or not known yet, and may explain it by tomorrow."
        if self.difference > self.unknown_amount + self.open_amount:
            said += " Look for work that was approved, or bonuses that were sent, on the marketplace's own pages."
        elif self.difference < 0:
            said += " Look in the ledger for what is called paid, and is not there."
        return said


class SecondOpinion(models.Model):
    """What a second person would have decided about a submission, without having seen what was decided."""

    assignment = models.ForeignKey("hits.Assignment", on_delete=models.CASCADE, related_name="opinions")
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approves = models.BooleanField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "who"], name="one_opinion_a_person")]

    def __str__(self) -> str:
        return f"opinion {self.pk}"
