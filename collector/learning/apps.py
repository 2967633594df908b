"""The learning application."""

from django.apps import AppConfig


class LearningConfig(AppConfig):
    """What comes before the task."""

    name = "collector.learning"

    def ready(self) -> None:
        """Give new participations their lessons, and end those that are given up."""
        from chat import deadlines
        from collector.learning import lessons
        from collector.studies import admission

        admission.admitting.connect(lessons.on_admitting, dispatch_uid="learning")
        deadlines.swept.connect(lessons.on_sweep, dispatch_uid="learning")
