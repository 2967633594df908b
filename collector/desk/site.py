"""The admin, whose first page says how the studies stand before it lists the models."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.template.response import TemplateResponse

from collector.desk import standing


class Site(AdminSite):
    """Django's own site otherwise."""

    site_header = site_title = "Collector"
    index_title = "The researcher's desk"
    index_template = "desk/index.html"

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show open and recent studies, what needs a person among them, and then the models."""
        standings = standing.of(standing.shown())
        return super().index(request, {"standings": standings} | (extra_context or {}))
