"""The summaries application."""

from django.apps import AppConfig


class SummariesConfig(AppConfig):
    """Summary studies."""

    name = "collector.summaries"

    def ready(self) -> None:
        """Have deadlines swept, and moved by a downtime, together with those of dialogs; hear of withdrawals."""
        from chat import deadlines
        from collector.studies import leaving
        from collector.summaries import sweeping, watching

        deadlines.swept.connect(sweeping.on_sweep, dispatch_uid="summaries")
        leaving.withdrawal_changed.connect(watching.on_withdrawal, dispatch_uid="summaries")
        deadlines.downtime.connect(sweeping.on_downtime, dispatch_uid="summaries")
