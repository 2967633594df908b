"""What is stored of what a worker learns before the task? One Lesson a participation, and how far it came."""

from django.db import models

from collector.catalogue.models import Video
from collector.studies.models import Participation


class Step(models.TextChoices):
    """What a lesson may consist of, in its order; each is a page."""

    DEVICE = "device", "device check"
    STEPS = "steps", "three steps"
    ASK = "ask", "practice: ask"
    ASKED = "asked", "practice: what came of asking"
    ANSWER = "answer", "practice: answer"
    ANSWERED = "answered", "practice: what came of answering"
    QUIZ = "quiz", "quiz"
    DONE = "done", "done"


class Lesson(models.Model):
    """What a worker is taught before a task. What they passed is remembered for the next one by its digest."""

    participation = models.OneToOneField(Participation, on_delete=models.PROTECT, related_name="lesson")
    steps = models.JSONField(help_text="What it consists of, in order.")
    step = models.CharField(max_length=8, choices=Step.choices, help_text="How far the worker has come.")
    started_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)
    beeps = models.CharField(max_length=2, help_text="What the present clip plays; made anew with each try.")
    device_tries = models.PositiveSmallIntegerField("tries at the device", default=0)
    device_report = models.JSONField(default=dict, blank=True, help_text="The last try: what the page said.")
    device_passed_at = models.DateTimeField(null=True, blank=True)
    video = models.ForeignKey(
        Video, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Practised on."
    )
    practice = models.JSONField(default=dict, blank=True, help_text="Texts under way; gone when it is done.")
    practice_digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of what was to be practised.")
    asking_tries = models.PositiveSmallIntegerField("tries to ask", default=0)
    answering_tries = models.PositiveSmallIntegerField("tries to answer", default=0)
    practised_at = models.DateTimeField(null=True, blank=True)
    quiz_digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the quiz and its pass mark.")
    quiz_answers = models.JSONField(
        default=list, blank=True, help_text="A list a try: the option chosen for each question, counted from 0."
    )
    quiz_right = models.PositiveSmallIntegerField("right in the quiz", null=True, blank=True, help_text="Last try.")
    quiz_passed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["practice_digest"], name="practised"),
            models.Index(fields=["quiz_digest"], name="quizzed"),
        ]

    def __str__(self) -> str:
        return f"lesson {self.pk}"
