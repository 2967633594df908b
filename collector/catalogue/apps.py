"""The catalogue: videos, their scripts and their frames."""

from django.apps import AppConfig


class CatalogueConfig(AppConfig):
    """Videos."""

    name = "collector.catalogue"
    label = "catalogue"
