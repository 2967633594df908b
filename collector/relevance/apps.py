"""The relevance application."""

from django.apps import AppConfig


class RelevanceConfig(AppConfig):
    """Relevance studies."""

    name = "collector.relevance"
