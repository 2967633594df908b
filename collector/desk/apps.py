"""See the package's own docstring."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class AdminConfig(admin.AdminConfig):
    """Django's admin with our site."""

    default = False
    default_site = "collector.desk.site.Site"


class DeskConfig(AppConfig):
    """The desk app."""

    name = "collector.desk"
    label = "desk"
