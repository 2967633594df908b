"""Dialogs in the admin: read only, with their texts."""

from django.contrib import admin

from chat.models import Dialog, Utterance
from collector.lib.admin import ReadOnly


class UtteranceInline(ReadOnly, admin.TabularInline[Utterance, Dialog]):
    """The texts of a dialog."""

    model = Utterance
    fields = ["position", "text", "stored_at"]


@admin.register(Dialog)
class DialogAdmin(ReadOnly, admin.ModelAdmin[Dialog]):
    """What was said."""

    list_display = ["id", "study", "video", "is_complete", "ended_why", "started_at", "ended_at", "is_simulated"]
    list_filter = ["study", "is_complete", "is_simulated", "ended_why"]
    list_select_related = ["study", "video"]
    inlines = [UtteranceInline]
