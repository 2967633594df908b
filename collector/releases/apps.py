"""See the package's own docstring."""

from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    """The releases app."""

    name = "collector.releases"
    label = "releases"
