"""See the package's own docstring."""

from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    """The analysis app; it has commands and no models."""

    name = "collector.analysis"
    label = "analysis"
