"""What does the marketplace store about work: workers, HIT types, HITs, assignments.

Money is whole cents. Only ``lifecycle`` and its neighbours change states; requirements, policies and notification
specifications are kept as the documents that came over the wire.
"""

from typing import Any

from django.db import models
from django.db.models import Q

from hits.localmarket.identifiers import new_id
from hits.localmarket.records import (
    Block,
    Delivery,
    Fault,
    Market,
    Message,
    Movement,
    Qualification,
    QualificationRequest,
    QualificationType,
    Token,
)

__all__ = [
    "Assignment", "Block", "Delivery", "Fault", "Hit", "HitType", "Market", "Message", "Movement", "Qualification",
    "QualificationRequest", "QualificationType", "Token", "Worker",
]  # fmt: skip


class HitType(models.Model):
    """What HITs of one group share."""

    type_id = models.CharField(max_length=64, unique=True, default=new_id)
    group_id = models.CharField(max_length=64, unique=True, default=new_id)
    digest = models.CharField(max_length=64, unique=True)
    """Of all values: equal values are the same type."""
    created_at = models.DateTimeField()
    title = models.CharField(max_length=128)
    description = models.TextField()
    keywords = models.TextField(blank=True)
    reward_cents = models.PositiveBigIntegerField()
    auto_approval_seconds = models.PositiveIntegerField()
    duration_seconds = models.PositiveIntegerField()
    requirements: "models.JSONField[list[dict[str, Any]], list[dict[str, Any]]]" = models.JSONField(default=list)
    notification: "models.JSONField[dict[str, Any] | None, dict[str, Any] | None]" = models.JSONField(null=True)
    notification_active = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.title


class Hit(models.Model):
    """One offer: up to ``max_assignments`` different workers may do it."""

    class Status(models.TextChoices):
        """As on the wire."""

        ASSIGNABLE = "Assignable"
        UNASSIGNABLE = "Unassignable"
        REVIEWABLE = "Reviewable"
        REVIEWING = "Reviewing"
        DISPOSED = "Disposed"

    hit_id = models.CharField(max_length=64, unique=True, default=new_id)
    type = models.ForeignKey(HitType, models.PROTECT, related_name="hits")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    """When anything last happened to it or its assignments."""
    expires_at = models.DateTimeField()
    question = models.TextField()
    annotation = models.CharField(max_length=255, blank=True)
    max_assignments = models.PositiveIntegerField()
    status = models.CharField(max_length=16, choices=Status, default=Status.ASSIGNABLE)
    reviewing = models.BooleanField(default=False)
    expiry_told = models.BooleanField(default=False)
    """Whether the expiry has taken effect; back to false when extended into the future."""
    held_cents = models.PositiveBigIntegerField(default=0)
    assignment_policy: "models.JSONField[dict[str, Any] | None, dict[str, Any] | None]" = models.JSONField(null=True)
    hit_policy: "models.JSONField[dict[str, Any] | None, dict[str, Any] | None]" = models.JSONField(null=True)

    class Meta:
        indexes = [models.Index(fields=["status"]), models.Index(fields=["expiry_told", "expires_at"])]

    def __str__(self) -> str:
        return self.hit_id


class Assignment(models.Model):
    """One worker's acceptance of a HIT. The API sees it only once submitted."""

    class Status(models.TextChoices):
        """The first three are invisible to requesters, who see a count of the accepted ones."""

        ACCEPTED = "Accepted"
        RETURNED = "Returned"
        ABANDONED = "Abandoned"
        SUBMITTED = "Submitted"
        APPROVED = "Approved"
        REJECTED = "Rejected"

    GONE = (Status.RETURNED, Status.ABANDONED)
    HANDED_IN = (Status.SUBMITTED, Status.APPROVED, Status.REJECTED)

    assignment_id = models.CharField(max_length=64, default=new_id)
    hit = models.ForeignKey(Hit, models.CASCADE, related_name="assignments")
    worker = models.ForeignKey("localmarket.Worker", models.PROTECT, related_name="assignments")
    status = models.CharField(max_length=16, choices=Status, default=Status.ACCEPTED)
    accepted_at = models.DateTimeField()
    deadline = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    """When it was returned or abandoned."""
    submitted_at = models.DateTimeField(null=True)
    visible_at = models.DateTimeField(null=True)
    """When requesters see the submission; later than the submission where the control page sets a lag."""
    is_visible = models.BooleanField(default=False)
    auto_approval_at = models.DateTimeField(null=True)
    approved_at = models.DateTimeField(null=True)
    rejected_at = models.DateTimeField(null=True)
    answer = models.TextField(blank=True)
    feedback = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment_id"],
                condition=~Q(status__in=["Returned", "Abandoned"]),
                name="localmarket_one_live_assignment_an_id",
            ),
            models.UniqueConstraint(
                fields=["hit", "worker"],
                condition=~Q(status__in=["Returned", "Abandoned"]),
                name="localmarket_one_live_assignment_a_worker_and_hit",
            ),
        ]
        indexes = [
            models.Index(fields=["status", "deadline"]),
            models.Index(fields=["status", "auto_approval_at"]),
            models.Index(fields=["status", "is_visible"]),
            models.Index(fields=["assignment_id"]),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id} ({self.status})"


class Worker(models.Model):
    """Somebody who works here: invented, with a record from before this market's time."""

    worker_id = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=60)
    country = models.CharField(max_length=2)
    subdivision = models.CharField(max_length=2, blank=True)
    approved_before = models.PositiveIntegerField(default=0)
    rejected_before = models.PositiveIntegerField(default=0)
    is_master = models.BooleanField(default=False)
    is_adult = models.BooleanField(default=False)
    """Whether they agreed to see adult content."""

    def __str__(self) -> str:
        return f"{self.name} ({self.worker_id})"

    def decided(self) -> tuple[int, int]:
        """Return how much of this worker's work was approved and rejected, ever."""
        counts = dict(
            self.assignments.filter(status__in=["Approved", "Rejected"])
            .values_list("status")
            .annotate(models.Count("id"))
        )
        return self.approved_before + counts.get("Approved", 0), self.rejected_before + counts.get("Rejected", 0)

    @property
    def number_approved(self) -> int:
        """How many assignments were approved."""
        return self.decided()[0]

    @property
    def percent_approved(self) -> int:
        """The approval rate in whole percent; 100 until a hundred assignments are decided."""
        approved, rejected = self.decided()
        return 100 if approved + rejected < 100 else 100 * approved // (approved + rejected)
