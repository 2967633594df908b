"""How does a researcher take work out of the data in the admin's lists, and see what has left?"""

from typing import Any, TypeVar

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ActionForm
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest

from collector.accounts import log, roles
from collector.accounts.roles import Deed
from collector.lib.admin import ModelAdmin
from collector.lib.text import many
from collector.studies.leaving import CannotLeave, Work, WorkQuerySet

_Made = TypeVar("_Made", bound=Work)


class WithReason(ActionForm):
    """Asks for the reason beside the choice of what to do."""

    reason = forms.CharField(required=False, max_length=300, label="Reason, to take out")


class InData(admin.SimpleListFilter):
    """What is in the data, and what a person has taken out or a worker withdrawn."""

    title = "in the data"
    parameter_name = "in_data"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the two choices."""
        return [("yes", "Yes"), ("no", "Taken out, or withdrawn")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Choose."""
        return queryset.filter(stays=self.value() == "yes") if self.value() else queryset


class LeavesData(ModelAdmin[_Made]):
    """Dialogs or viewings, with two actions that take them out of the data and put them back."""

    action_form = WithReason
    actions = ["take_out", "put_back"]

    def get_queryset(self, request: HttpRequest) -> Any:
        """Say of each whether it is in the data."""
        there = self._rows().in_data().filter(pk=OuterRef("pk"))
        return super().get_queryset(request).annotate(stays=Exists(there))

    def has_take_out_permission(self, request: HttpRequest) -> bool:
        """Tell who sees this action."""
        return roles.may(request.user, Deed.TAKE_OUT)

    def has_put_back_permission(self, request: HttpRequest) -> bool:
        """Tell who sees this action."""
        return roles.may(request.user, Deed.PUT_BACK)

    def _rows(self) -> WorkQuerySet[_Made]:
        rows: WorkQuerySet[_Made] = self.model._default_manager.all()  # type: ignore[assignment]
        return rows

    @admin.display(description="in the data", boolean=True)
    def is_in_data(self, work: _Made) -> bool:
        """Tell whether exports and figures hold it."""
        return bool(getattr(work, "stays", True))

    @admin.action(description="Take out of the data", permissions=["take_out"])
    def take_out(self, request: HttpRequest, chosen: QuerySet[_Made]) -> None:
        """Take out what is chosen, with the reason given."""
        reason = request.POST.get("reason", "")
        try:
            number = self._of(chosen).take_out(reason, _person(request))
        except CannotLeave as refused:
            self.message_user(request, str(refused), "error")
        else:
            self.message_user(request, f"{many(number, str(self.opts.verbose_name))} taken out of the data.")
            self._log(request, Deed.TAKE_OUT, chosen, reason)

    @admin.action(description="Put back into the data", permissions=["put_back"])
    def put_back(self, request: HttpRequest, chosen: QuerySet[_Made]) -> None:
        """Put back what is chosen."""
        number = self._of(chosen).put_back(_person(request))
        self._log(request, Deed.PUT_BACK, chosen)
        self.message_user(request, f"{many(number, str(self.opts.verbose_name))} put back into the data.")

    def _log(self, request: HttpRequest, deed: Deed, chosen: QuerySet[_Made], reason: str = "") -> None:
        for work in chosen:
            log.write(request, deed, str(work), work.counted_in()[0], reason)

    def _of(self, chosen: QuerySet[_Made]) -> WorkQuerySet[_Made]:
        return self._rows().filter(pk__in=list(chosen.values_list("pk", flat=True)))


class TakenOutInline(admin.TabularInline[Any, Any]):
    """When it was taken out, by whom and why."""

    fields = ["at", "who", "reason", "undone_at", "undone_by"]
    verbose_name_plural = "taken out of the data"


def _person(request: HttpRequest) -> User:
    return User.objects.get(username=request.user.get_username())
