"""See the package's own docstring."""

from django.apps import AppConfig


class ExportsConfig(AppConfig):
    """The exports app."""

    name = "collector.exports"
    label = "exports"
