"""What does the marketplace store beside work: itself, money, qualifications, messages, faults, events.

Imported by ``models``, which Django reads; use the names from there.
"""

from typing import Any

from django.db import models
from django.db.models import Q

from hits.localmarket.identifiers import new_id


class Market(models.Model):
    """The one row that says how this market behaves."""

    clock_offset = models.FloatField(default=0)
    """Seconds ahead of the real time."""
    submission_lag = models.PositiveIntegerField(default=0)
    """Seconds until requesters see a submission."""
    creation_lag = models.PositiveIntegerField(default=0)
    """Seconds in which a new HIT can be expired but not changed."""
    events_lost = models.PositiveIntegerField(default=0)
    events_doubled = models.PositiveIntegerField(default=0)
    events_reordered = models.PositiveIntegerField(default=0)
    """Percent of the events."""
    silent_after_expiry = models.BooleanField(default=False)
    """Whether a HIT's assignments tell nothing once it has expired, as the real service was seen to do."""
    strict_frame = models.BooleanField(default=False)
    """Whether a task's frame is of no origin, so that it has neither cookies nor storage."""
    reuse_assignment_ids = models.BooleanField(default=False)
    """Whether a returned assignment's id goes to the next worker, as was seen."""

    def __str__(self) -> str:
        return "Market"

    @classmethod
    def get(cls) -> "Market":
        """Return the one row, made when there is none."""
        return cls.objects.get_or_create(pk=1)[0]


class Movement(models.Model):
    """One line of the books; appended, never changed. The balances are sums over these."""

    class Kind(models.TextChoices):
        """Why money moved."""

        DEPOSIT = "deposit"
        HOLD = "hold"
        RELEASE = "release"
        REWARD = "reward"
        REWARD_FEE = "reward_fee"
        BONUS = "bonus"
        BONUS_FEE = "bonus_fee"

    at = models.DateTimeField()
    kind = models.CharField(max_length=16, choices=Kind)
    available_cents = models.BigIntegerField()
    """What it adds to the requester's available balance."""
    held_cents = models.BigIntegerField(default=0)
    """What it adds to what is on hold."""
    worker_cents = models.BigIntegerField(default=0)
    """What it adds to the worker's earnings."""
    worker = models.ForeignKey("localmarket.Worker", models.PROTECT, null=True, related_name="movements")
    hit = models.ForeignKey("localmarket.Hit", models.PROTECT, null=True, related_name="movements")
    assignment = models.ForeignKey("localmarket.Assignment", models.PROTECT, null=True, related_name="movements")
    note = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.available_cents}"


class QualificationType(models.Model):
    """A qualification that the requester made."""

    type_id = models.CharField(max_length=64, unique=True, default=new_id)
    created_at = models.DateTimeField()
    name = models.CharField(max_length=200)
    keywords = models.TextField(blank=True)
    description = models.TextField()
    is_active = models.BooleanField(default=True)
    retry_delay = models.PositiveBigIntegerField(null=True)
    auto_granted = models.BooleanField(default=False)
    auto_granted_value = models.IntegerField(default=1)
    deleted_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class Qualification(models.Model):
    """What a worker holds of a type, or held until it was revoked."""

    type = models.ForeignKey(QualificationType, models.CASCADE, related_name="qualifications")
    worker = models.ForeignKey("localmarket.Worker", models.CASCADE, related_name="qualifications")
    value = models.IntegerField()
    granted_at = models.DateTimeField()
    is_granted = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["type", "worker"], name="localmarket_one_qualification_a_worker")
        ]

    def __str__(self) -> str:
        return f"{self.worker}: {self.value}"


class QualificationRequest(models.Model):
    """A worker's wish to hold a qualification."""

    request_id = models.CharField(max_length=64, unique=True, default=new_id)
    type = models.ForeignKey(QualificationType, models.CASCADE, related_name="requests")
    worker = models.ForeignKey("localmarket.Worker", models.CASCADE, related_name="qualification_requests")
    submitted_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    is_accepted = models.BooleanField(default=False)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["type", "worker"], condition=Q(decided_at=None), name="localmarket_one_open_request"
            )
        ]

    def __str__(self) -> str:
        return self.request_id


class Block(models.Model):
    """A worker who may not see this requester's HITs."""

    worker = models.OneToOneField("localmarket.Worker", models.CASCADE, related_name="block")
    reason = models.TextField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.worker)


class Message(models.Model):
    """A message in a worker's box."""

    worker = models.ForeignKey("localmarket.Worker", models.CASCADE, related_name="messages")
    at = models.DateTimeField()
    subject = models.CharField(max_length=200)
    text = models.TextField()
    is_read = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.subject


class Token(models.Model):
    """A UniqueRequestToken that was used, and what came of it."""

    purpose = models.CharField(max_length=40)
    token = models.CharField(max_length=64)
    at = models.DateTimeField()
    outcome = models.CharField(max_length=64)

    class Meta:
        indexes = [models.Index(fields=["purpose", "token"])]

    def __str__(self) -> str:
        return self.token


class Fault(models.Model):
    """What goes wrong with the next calls of an operation."""

    class Kind(models.TextChoices):
        """How it goes wrong."""

        ERROR = "error"
        LOST = "lost"
        THROTTLED = "throttled"
        SLOW = "slow"

    operation = models.CharField(max_length=64)
    """A name of an operation, or ``*`` for any."""
    kind = models.CharField(max_length=16, choices=Kind)
    remaining = models.PositiveIntegerField()
    seconds = models.FloatField(default=0)

    def __str__(self) -> str:
        return f"{self.operation}: {self.kind}"


class Delivery(models.Model):
    """One event document on its way to the address that asked for it."""

    document_id = models.CharField(max_length=64)
    destination = models.TextField()
    document: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField()
    attempts = models.PositiveIntegerField(default=0)
    next_at = models.FloatField()
    """In seconds of the real time: the network does not know the market's clock."""
    waits_for_next = models.BooleanField(default=False)
    """Whether a later one is sent first."""
    state = models.CharField(max_length=10, default="waiting")
    """waiting, sent, lost (on purpose) or failed."""

    class Meta:
        indexes = [models.Index(fields=["state", "next_at"])]

    def __str__(self) -> str:
        return self.document_id
