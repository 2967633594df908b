"""Viewings and reports in the admin: what happened is read only; a report is looked at and decided about."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from collector.accounts import log
from collector.accounts.roles import Deed
from collector.lib import clock
from collector.lib.admin import ModelAdmin, ReadOnly
from collector.studies import videos
from collector.studies.leaving_admin import InData, LeavesData, TakenOutInline
from collector.studies.models import StudyVideo
from collector.summaries.models import Summary, VideoReport, Viewing, ViewingTakenOut


class SummaryInline(ReadOnly, admin.StackedInline[Summary, Viewing]):
    """The summary of a viewing."""

    model = Summary
    fields = ["text", "stored_at", "evidence"]


class OutInline(ReadOnly, TakenOutInline):
    """When the summary was taken out of the data."""

    model = ViewingTakenOut


@admin.register(Viewing)
class ViewingAdmin(ReadOnly, LeavesData[Viewing]):
    """Who watches what, and what came of it. A draft is nobody's but the worker's."""

    list_display = ["id", "video", "participation", "started_at", "ended_at", "is_in_data"]
    list_filter = ["participation__study", InData, "participation__outcome"]
    list_select_related = ["video", "participation"]
    fields = ["replay", "participation", "video", "started_at", "watched_at", "watched", "ended_at"]
    readonly_fields = ["replay"]
    inlines = [SummaryInline, OutInline]

    @admin.display(description="replay")
    def replay(self, viewing: Viewing) -> SafeString:
        """Lead to the page that shows what the worker saw at each second."""
        return format_html('<a href="{}">Second by second</a>', reverse("replay-viewing", args=[viewing.pk]))


@admin.register(VideoReport)
class VideoReportAdmin(ModelAdmin[VideoReport]):
    """What watchers reported. No video is given again before a person has looked."""

    list_display = ["id", "reason", "video", "at", "looked_at"]
    list_filter = ["reason", ("looked_at", admin.EmptyFieldListFilter)]
    list_select_related = ["viewing__video"]
    readonly_fields = ["viewing", "video", "reason", "at", "looked_at"]
    fields = ["reason", "viewing", "video", "at", "looked_at", "note"]
    actions = ["mark_looked_at", "release_video"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Reports come from workers."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What was reported stays."""
        return False

    @admin.display(description="video", ordering="viewing__video")
    def video(self, report: VideoReport) -> str:
        """Return the id of the video."""
        return report.viewing.video.image_id

    @admin.action(description="I have looked at these; what is held stays held", permissions=["change"])
    def mark_looked_at(self, request: HttpRequest, reports: QuerySet[VideoReport]) -> None:
        """Note that a person has looked."""
        fresh = list(reports.filter(looked_at=None))
        number = reports.filter(looked_at=None).update(looked_at=clock.now())
        for report in fresh:
            log.write(request, Deed.LOOK_AT, str(report), report.viewing.participation.study_id)
        self.message_user(request, f"{number} reports marked as looked at.")

    @admin.action(description="I have looked at these; give their videos again", permissions=["change"])
    def release_video(self, request: HttpRequest, reports: QuerySet[VideoReport]) -> None:
        """Release the reported videos, in their studies and everywhere."""
        videos.release(StudyVideo.objects.filter(video__in=reports.values("viewing__video")))
        self.mark_looked_at(request, reports)
