"""Studies: what is asked, of whom, and who took part."""

from django.apps import AppConfig
from django.conf import settings

from collector.lib import catalogues


class StudiesConfig(AppConfig):
    """Studies and workers."""

    name = "collector.studies"
    label = "studies"

    def ready(self) -> None:
        """Have the translations of workers' pages where Django reads them."""
        catalogues.compile_stale(settings.LOCALE_PATHS[0], dict(settings.LANGUAGES))
