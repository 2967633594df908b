"""Django's registration of the package."""

from django.apps import AppConfig


class PrivacyConfig(AppConfig):
    """What is kept of people."""

    name = "collector.privacy"
    default_auto_field = "django.db.models.BigAutoField"
