"""Django's handle on the local marketplace."""

from django.apps import AppConfig


class LocalMarketConfig(AppConfig):
    """The local marketplace."""

    name = "hits.localmarket"
    label = "localmarket"
