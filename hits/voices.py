"""What is stored of what workers say to us? Letters with their answers, and how it was; nothing is edited."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from collector.studies.models import Participation, Worker

MOST_STARS = 5


class Letter(models.Model):
    """What a worker wrote to the researcher on their own page, and the answer; with an assignment it is an appeal."""

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="letters")
    participation = models.ForeignKey(
        Participation, on_delete=models.PROTECT, null=True, blank=True, related_name="letters",
        help_text="What it is about, where the worker said so.",
    )  # fmt: skip
    assignment = models.OneToOneField(
        "hits.Assignment", on_delete=models.PROTECT, null=True, blank=True, related_name="appeal",
        help_text="The rejected work that it asks to look at again: once.",
    )  # fmt: skip
    text = models.TextField(max_length=2000)
    at = models.DateTimeField()
    mailed_at = models.DateTimeField(null=True, blank=True, help_text="When it was mailed to the researcher.")
    answer = models.TextField(max_length=3000, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["worker", "at"]), models.Index(fields=["answered_at", "at"])]
        constraints = [
            models.CheckConstraint(
                condition=Q(answered_at__isnull=True, answer="") | (Q(answered_at__isnull=False) & ~Q(answer="")),
                name="an_answered_letter_has_an_answer",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} of worker {self.worker_id}"

    @property
    def kind(self) -> str:
        """Return what it is, in a word."""
        return "message" if self.assignment_id is None else "appeal"


class Feedback(models.Model):
    """How a worker found one participation: one to five, and a line if they like; said once."""

    participation = models.OneToOneField(Participation, on_delete=models.PROTECT, related_name="feedback")
    stars = models.PositiveSmallIntegerField()
    line = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "feedback"
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(stars__gte=1, stars__lte=MOST_STARS), name="one_to_five_stars"),
        ]

    def __str__(self) -> str:
        return f"{self.stars} of {MOST_STARS} for participation {self.participation_id}"
