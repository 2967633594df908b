"""The summaries application."""

from django.apps import AppConfig


class SummariesConfig(AppConfig):
    """Summary studies."""

    name = "collector.summaries"

    def ready(self) -> None:
        """Have deadlines swept, and moved by a downtime, together with those of dialogs."""
        from chat import deadlines
        from collector.summaries import sweeping

        deadlines.swept.connect(sweeping.on_sweep, dispatch_uid="summaries")
        deadlines.downtime.connect(sweeping.on_downtime, dispatch_uid="summaries")
