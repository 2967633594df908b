"""What is stored of a summary study? A Viewing of one video by one worker, its Summary, and what was reported."""

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q

from collector.catalogue.models import Video
from collector.studies.leaving import TakenOut, Work, WorkQuerySet
from collector.studies.models import Outcome, Participation
from collector.studies.redacting import Redaction, a_part_has_a_length


class ViewingQuerySet(WorkQuerySet["Viewing"]):
    """Some viewings."""

    def in_data(self) -> Self:
        """Return those that were not taken out, and of which the worker has not withdrawn."""
        taken_out = ViewingTakenOut.objects.filter(viewing=OuterRef("pk"), undone_at=None)
        return self.filter(~Exists(taken_out)).exclude(participation__outcome=Outcome.WITHDRAWN)

    def of_use(self) -> Self:
        """Return people's that are complete or running."""
        complete = Q(participation__outcome=Outcome.COMPLETE)
        return self.filter(Q(ended_at=None) | complete, participation__is_simulated=False)


class Viewing(Work):
    """One worker's video, from the moment it was given. The worker's participation says how it ended."""

    objects = ViewingQuerySet.as_manager()
    participation = models.OneToOneField(Participation, on_delete=models.PROTECT, related_name="viewing")
    video = models.ForeignKey(Video, on_delete=models.PROTECT, related_name="viewings")
    started_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, blank=True, help_text="When the whole task is over.")
    watched_at = models.DateTimeField(null=True, blank=True, help_text="When the video had played to its end once.")
    watched = models.JSONField(default=list, blank=True, help_text="Played ranges as [start, end] in seconds.")
    summary_due_at = models.DateTimeField(null=True, blank=True, help_text="When the time for the summary is over.")
    draft = models.TextField(blank=True, help_text="What is typed and not sent yet; gone with the end.")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(draft="", due_at__isnull=True, summary_due_at__isnull=True),
                name="nothing_is_open_after_the_end",
            )
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(ended_at__isnull=True), name="viewings_due"),
            models.Index(fields=["summary_due_at"], condition=Q(ended_at__isnull=True), name="summaries_due"),
        ]

    def __str__(self) -> str:
        return f"viewing {self.pk}"

    def counted_in(self) -> tuple[int, int]:
        """Return the ids of the study and the video for which it is counted."""
        return self.participation.study_id, self.video_id


class ViewingTakenOut(TakenOut):
    """That a person took a viewing's summary out of the data."""

    viewing = models.ForeignKey(Viewing, on_delete=models.PROTECT, related_name="taken_out")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["viewing"], condition=Q(undone_at__isnull=True), name="a_viewing_is_taken_out_once"
            )
        ]


class Summary(models.Model):
    """What a worker who has watched a video says happens in it."""

    viewing = models.OneToOneField(Viewing, on_delete=models.PROTECT, related_name="summary")
    key = models.CharField(max_length=40, help_text="Made by the sender's browser; makes resending safe.")
    text = models.TextField()
    typed_at = models.DateTimeField(null=True, blank=True, help_text="When it was sent, by the sender's clock.")
    stored_at = models.DateTimeField()
    evidence = models.JSONField(default=dict, blank=True, help_text="How it was written: pasted, typing time.")

    class Meta:
        verbose_name_plural = "summaries"

    def __str__(self) -> str:
        return self.text[:60]


class SummaryRedaction(Redaction):
    """A decision about a part of a summary."""

    summary = models.ForeignKey(Summary, on_delete=models.CASCADE, related_name="redactions")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            a_part_has_a_length("a_part_of_a_summary"),
            models.UniqueConstraint(
                fields=["summary", "start", "end"],
                condition=Q(undone_at__isnull=True),
                name="one_decision_a_part_of_a_summary",
            ),
        ]


class VideoReport(models.Model):
    """What a worker reported about a video."""

    viewing = models.ForeignKey(Viewing, on_delete=models.PROTECT, related_name="reports")
    reason = models.CharField(max_length=20)
    at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When a person had looked at it.")
    note = models.TextField(blank=True, help_text="What came of it.")

    def __str__(self) -> str:
        return self.reason.replace("_", " ")
