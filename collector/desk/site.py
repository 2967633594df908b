"""The admin, whose first page says how the studies stand before it lists the models."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.template.response import TemplateResponse

from collector.accounts import roles
from collector.accounts.roles import Deed
from collector.desk import standing


class Site(AdminSite):
    """Django's own site otherwise."""

    site_header = site_title = "Collector"
    index_title = "The researcher's desk"
    index_template = "desk/index.html"
    site_url = None  # the address without a path leads here

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        self.disable_action("delete_selected")  # what is deleted is deleted one by one, each with its line in the log

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show open and recent studies, what needs a person among them, and then the models."""
        standings = standing.of(standing.shown()) if roles.may(request.user, Deed.SEE) else []
        return super().index(request, {"standings": standings} | (extra_context or {}))
