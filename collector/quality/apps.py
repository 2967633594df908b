"""The quality application."""

from django.apps import AppConfig


class QualityConfig(AppConfig):
    """Quality flags."""

    name = "collector.quality"
