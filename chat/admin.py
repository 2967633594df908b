"""Dialogs, seats and reports in the admin: what happened is read only; a report is looked at and decided about."""

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from chat import networks, presence
from chat.models import About, Dialog, DialogEvent, DialogTakenOut, Report, Seat, SeatState, Utterance
from chat.reasons import Room
from collector.accounts import log
from collector.accounts.roles import Deed
from collector.lib import clock
from collector.lib.admin import ModelAdmin, ReadOnly, one_of
from collector.studies import videos
from collector.studies.leaving_admin import InData, LeavesData, TakenOutInline
from collector.studies.models import Outcome, StudyVideo


class UtteranceInline(ReadOnly, admin.TabularInline[Utterance, Dialog]):
    """The texts of a dialog."""

    model = Utterance
    fields = ["position", "text", "stored_at", "evidence"]


class EventInline(ReadOnly, admin.TabularInline[DialogEvent, Dialog]):
    """What happened besides."""

    model = DialogEvent
    fields = ["version", "kind", "seat", "at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[DialogEvent]:
        """Bring the seats along."""
        return super().get_queryset(request).select_related("seat")


class OutInline(ReadOnly, TakenOutInline):
    """When it was taken out of the data."""

    model = DialogTakenOut


@admin.register(Dialog)
class DialogAdmin(ReadOnly, LeavesData[Dialog]):
    """What was said."""

    list_display = ["id", "study", "video", "end", "started_at", "is_in_data"]
    list_filter = ["study", "is_complete", InData, "is_simulated", one_of("ended_why", Outcome.choices)]
    list_select_related = ["study", "video"]
    readonly_fields = ["replay", "network"]
    inlines = [UtteranceInline, EventInline, OutInline]

    @admin.display(description="replay")
    def replay(self, dialog: Dialog) -> SafeString:
        """Lead to the page that shows what each saw at each second."""
        return format_html('<a href="{}">Second by second</a>', reverse("replay-dialog", args=[dialog.pk]))

    @admin.display(description="end", ordering="ended_why")
    def end(self, dialog: Dialog) -> str:
        """Say how it ended."""
        return Outcome(dialog.ended_why).label if dialog.ended_why else "under way"

    @admin.display(description="came from")
    def network(self, dialog: Dialog) -> str:
        """Say whether both workers came from one address; for review only."""
        return networks.NOTE if networks.shared([dialog.pk]) else ""


@admin.register(Seat)
class SeatAdmin(ReadOnly, ModelAdmin[Seat]):
    """Who is where, and why two who wait have not met."""

    list_display = ["id", "study", "state", "role", "dialog", "is_here", "entered_at"]
    list_filter = ["state", "study", "is_simulated"]
    list_select_related = ["study", "dialog"]
    list_per_page = 50
    ordering = ["-pk"]
    readonly_fields = ["is_here", "alone"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Seat]:
        """Say of each whether its page is there."""
        there = presence.present(Seat.objects.filter(pk=OuterRef("pk")))
        return super().get_queryset(request).annotate(is_there=Exists(there))

    @admin.display(description="here", boolean=True)
    def is_here(self, seat: Seat) -> bool | None:
        """Tell whether the worker's page is there; nothing for closed seats."""
        if seat.state == SeatState.CLOSED:
            return None
        return bool(getattr(seat, "is_there", False))

    @admin.display(description="why not paired")
    def alone(self, seat: Seat) -> SafeString | str:
        """Say why a waiting seat has not been paired yet."""
        if seat.state != SeatState.WAITING:
            return ""
        return format_html_join("\n", "<p>{}</p>", ((reason,) for reason in Room(seat.study).why_alone(seat)))


@admin.register(Report)
class ReportAdmin(ModelAdmin[Report]):
    """What workers reported. Nobody is blamed, and no video given again, before a person has looked."""

    list_display = ["id", "about", "reason", "dialog", "video", "at", "looked_at"]
    list_filter = ["about", "reason", ("looked_at", admin.EmptyFieldListFilter), "dialog__study"]
    list_select_related = ["dialog__video"]
    readonly_fields = ["dialog", "video", "seat", "about", "reason", "at", "looked_at"]
    fields = ["about", "reason", "dialog", "video", "seat", "at", "looked_at", "note"]
    actions = ["mark_looked_at", "release_video"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Reports come from workers."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What was reported stays."""
        return False

    @admin.display(description="video", ordering="dialog__video")
    def video(self, report: Report) -> str:
        """Return the id of the dialog's video."""
        return report.dialog.video.image_id

    @admin.action(description="I have looked at these; what is held stays held", permissions=["change"])
    def mark_looked_at(self, request: HttpRequest, reports: QuerySet[Report]) -> None:
        """Note that a person has looked."""
        fresh = list(reports.filter(looked_at=None))
        number = reports.filter(looked_at=None).update(looked_at=clock.now())
        for report in fresh:
            log.write(request, Deed.LOOK_AT, str(report), report.dialog.study_id)
        self.message_user(request, f"{number} reports marked as looked at.")

    @admin.action(description="I have looked at these; give their videos again", permissions=["change"])
    def release_video(self, request: HttpRequest, reports: QuerySet[Report]) -> None:
        """Release the reported videos, in their studies and everywhere."""
        about_videos = reports.filter(about=About.VIDEO)
        chosen = about_videos.values("dialog__video").distinct()
        number = chosen.count()
        videos.release(StudyVideo.objects.filter(video__in=chosen))
        self.mark_looked_at(request, about_videos)
        self.message_user(request, f"{number} videos are given again.")
