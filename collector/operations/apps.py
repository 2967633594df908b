"""See the package's own docstring."""

from django.apps import AppConfig
from django.conf import settings


class OperationsConfig(AppConfig):
    """The operations app."""

    name = "collector.operations"
    label = "operations"

    def ready(self) -> None:
        """Send errors where somebody wants them."""
        if settings.SENTRY_DSN:
            from collector.operations import reporting  # it takes a tenth of a second to load

            reporting.start()
