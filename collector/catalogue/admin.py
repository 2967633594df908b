"""The researcher's pages of videos: what they look like, what is in them, what was acted.

Videos come in by ``import_videos``, which measures them; here only what the source said can be edited.
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from collector.catalogue.models import Script, Video
from collector.lib.admin import ModelAdmin

THUMBNAIL = 120
"""Pixels; the width of a frame in the list."""
_CONVERTED = ("original_checksum", "transcoding")


class SoundFilter(admin.SimpleListFilter):
    """Videos with sound, with a silent track, or with none."""

    title = "sound"
    parameter_name = "sound"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the choices."""
        return [("yes", "With sound"), ("silent", "Silent track"), ("none", "No audio track")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Video]) -> QuerySet[Video]:
        """Return the videos of the choice."""
        match self.value():
            case "yes":
                return queryset.filter(has_sound=True)
            case "silent":
                return queryset.filter(is_silent=True)
            case "none":
                return queryset.filter(audio_codec="")
        return queryset


class ScriptInline(admin.StackedInline[Script, Video]):
    """The script, which only Answerers see."""

    model = Script
    can_delete = False


@admin.register(Video)
class VideoAdmin(ModelAdmin[Video]):
    """Thumbnails in the list; player, frames and script on the page of one video."""

    list_display = ["image_id", "thumbnails", "script_start", "split", "seconds", "sound", "is_playable"]
    list_filter = ["split", SoundFilter, "is_playable", "is_publishable"]
    search_fields = ["image_id", "script__text"]
    list_per_page = 50
    inlines = [ScriptInline]
    fieldsets = [
        (None, {"fields": ["image_id", "player", "stills", "split", "licence", "is_publishable"]}),
        ("Measured", {"fields": ["seconds", "picture", "sound", "codecs", "is_playable", "playable_note", "size"]}),
        ("From the source", {"fields": ["length", "metadata", "checksum", *_CONVERTED, "created_at", "updated_at"]}),
    ]
    readonly_fields = [
        "image_id", "player", "stills", "seconds", "picture", "sound", "codecs", "is_playable", "playable_note",
        "size", "length", "metadata", "checksum", *_CONVERTED, "created_at",
        "updated_at",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Video]:
        """Bring script and frames along."""
        return super().get_queryset(request).select_related("script").prefetch_related("frames")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Videos are imported, so that they are measured."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Video | None = None) -> bool:
        """Videos stay: dialogs are about them. Take one out of its study instead."""
        return False

    @admin.display(description="frames")
    def thumbnails(self, video: Video) -> SafeString:
        """Show the three frames, small."""
        return _frames(video, THUMBNAIL)

    @admin.display(description="frames")
    def stills(self, video: Video) -> SafeString:
        """Show the three frames, larger."""
        return _frames(video, 240)

    @admin.display(description="video")
    def player(self, video: Video) -> SafeString:
        """Play the video."""
        width = min(video.width, 640)
        return format_html(
            '<video controls preload="metadata" width="{}" src="{}"></video>', width, _address("video", video.pk)
        )

    @admin.display(description="script")
    def script_start(self, video: Video) -> str:
        """Show how the script begins."""
        text = video.script.text if hasattr(video, "script") else ""
        return text if len(text) <= 100 else f"{text[:99]}…"

    @admin.display(description="seconds", ordering="duration")
    def seconds(self, video: Video) -> str:
        """Show the measured length."""
        return f"{video.duration:.1f}"

    @admin.display(description="sound")
    def sound(self, video: Video) -> str:
        """Say whether there is anything to hear."""
        if video.has_sound:
            return "yes"
        return "silent track" if video.is_silent else "no"

    @admin.display(description="picture")
    def picture(self, video: Video) -> str:
        """Say how large it is shown."""
        turned = f", turned by {video.rotation}°" if video.rotation else ""
        return f"{video.width} × {video.height} pixels{turned}"

    @admin.display(description="codecs")
    def codecs(self, video: Video) -> str:
        """Name the codecs of picture and sound."""
        return " and ".join(filter(None, [video.video_codec, video.audio_codec]))


def _frames(video: Video, width: int) -> SafeString:
    rows = (
        (_address("frame", frame.pk), width, round(width * frame.height / frame.width), f"Frame {frame.slot}")
        for frame in video.frames.all()
    )
    return format_html_join(" ", '<img src="{}" width="{}" height="{}" alt="{}" loading="lazy">', rows)


def _address(kind: str, pk: int) -> str:
    return reverse("catalogue-file", args=[kind, pk])
