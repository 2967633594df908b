"""See the package's own docstring."""

from django.apps import AppConfig


class DeskConfig(AppConfig):
    """The desk app."""

    name = "collector.desk"
    label = "desk"
