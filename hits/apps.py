"""Hits: where workers come from, and the money."""

from django.apps import AppConfig


class HitsConfig(AppConfig):
    """Marketplaces."""

    name = "hits"
