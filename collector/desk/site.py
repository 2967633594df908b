"""The admin, whose first page says how the studies stand before it lists the models."""

from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode

from collector.accounts import roles, two_factor
from collector.accounts.roles import Deed
from collector.desk import standing
from collector.operations import alarms


class Site(AdminSite):
    """Django's own site otherwise."""

    site_header = site_title = "Collector"
    index_title = "The researcher's desk"
    index_template = "desk/index.html"
    site_url = None  # the address without a path leads here

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        self.disable_action("delete_selected")  # what is deleted is deleted one by one, each with its line in the log

    def has_permission(self, request: HttpRequest) -> bool:
        """Let nobody in whose second factor is asked for and has not been shown."""
        return super().has_permission(request) and not two_factor.is_owed(request.user)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Ask for the password, or who has given it for the code."""
        if super().has_permission(request) and two_factor.is_owed(request.user):
            wanted = urlencode({"next": request.GET.get("next", reverse("admin:index"))})
            return redirect(f"{reverse('two-factor-code')}?{wanted}")
        return super().login(request, extra_context)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show what needs a person, open and recent studies, and then the models."""
        context: dict[str, Any] = {"version": settings.VERSION}
        if roles.may(request.user, Deed.SEE):
            shown = standing.shown()
            others = [study for study in alarms.watched() if study not in shown]
            elsewhere = [each for found in alarms.of_studies(others).values() for each in found] if others else []
            context |= {"standings": standing.of(shown), "alarms": [*alarms.of_installation(), *elsewhere]}
        return super().index(request, context | (extra_context or {}))
