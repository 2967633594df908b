"""Studies: what is asked, of whom, and who took part."""

from django.apps import AppConfig


class StudiesConfig(AppConfig):
    """Studies and workers."""

    name = "collector.studies"
    label = "studies"
