"""Chat: two workers talk about a video."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """Dialogs."""

    name = "chat"

    def ready(self) -> None:
        """Hear of withdrawals."""
        from chat import endings
        from collector.studies import leaving

        leaving.withdrawal_changed.connect(endings.on_withdrawal, dispatch_uid="chat")
