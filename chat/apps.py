"""Chat: two workers talk about a video."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """Dialogs."""

    name = "chat"
