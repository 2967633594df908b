"""Dialogs in the admin: read only, with their texts."""

from django.contrib import admin
from django.http import HttpRequest

from chat.models import Dialog, Utterance


class UtteranceInline(admin.TabularInline[Utterance, Dialog]):
    """The texts of a dialog."""

    model = Utterance
    extra = 0
    fields = ["position", "text", "stored_at"]
    readonly_fields = ["position", "text", "stored_at"]
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Texts come from workers only."""
        return False


@admin.register(Dialog)
class DialogAdmin(admin.ModelAdmin[Dialog]):
    """What was said."""

    list_display = ["id", "study", "video", "is_complete", "ended_why", "started_at", "ended_at", "is_simulated"]
    list_filter = ["study", "is_complete", "is_simulated", "ended_why"]
    list_select_related = ["study", "video"]
    inlines = [UtteranceInline]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Dialogs come from pairing only."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Dialog | None = None) -> bool:
        """What was said is not edited."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Dialog | None = None) -> bool:
        """What was said is not deleted."""
        return False
