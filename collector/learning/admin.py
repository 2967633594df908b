"""Lessons in the admin: who came how far, after how many tries. Read only."""

from django.contrib import admin

from collector.learning.models import Lesson
from collector.lib.admin import ModelAdmin, ReadOnly


@admin.register(Lesson)
class LessonAdmin(ReadOnly, ModelAdmin[Lesson]):
    """What each worker was taught, and what came of it. Texts of a practice are not shown, and deleted after it."""

    list_display = ["participation", "step", "outcome", "device_tries", "quiz_tries", "quiz_right", "started_at"]
    list_filter = ["participation__study", "step", "participation__outcome", "participation__why"]
    list_select_related = ["participation"]
    exclude = ["beeps", "practice", "practice_digest", "quiz_digest"]

    @admin.display(description="outcome")
    def outcome(self, lesson: Lesson) -> str:
        """Return how the participation ended, and why where that was here."""
        return lesson.participation.get_why_display() or lesson.participation.get_outcome_display()

    @admin.display(description="tries at the quiz")
    def quiz_tries(self, lesson: Lesson) -> int:
        """Return how often the quiz was answered."""
        return len(lesson.quiz_answers)
