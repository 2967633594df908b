"""Releases in the admin: what was given away, and what of it has left the data since. Read only."""

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.expressions import Combinable
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from chat.models import Dialog
from collector.exports.pseudonyms import pair_key, worker_key
from collector.lib.admin import ModelAdmin, ReadOnly, number_of
from collector.lib.text import many
from collector.releases.models import Release
from collector.releases.prose import summaries
from collector.studies.models import Kind
from collector.summaries.models import Viewing

_VIDEO = "video__image_id"
_WHOSE = ("study__kind", "study__collection", "worker")
NAMED = 200
"""How many of what has left a page names before it counts the rest."""


@admin.register(Release)
class ReleaseAdmin(ReadOnly, ModelAdmin[Release]):
    """What was released. Marked is what holds work that has been withdrawn or taken out since."""

    list_display = ["name", "edition", "left", "held", "of_studies", "made_at", "who", "is_finished"]
    list_filter = ["studies"]
    list_per_page = 20
    fields = ["name", "edition", "of_studies", "in_formats", "made_at", "who", "sha256", "held", "left", "which"]
    readonly_fields = ["of_studies", "in_formats", "held", "left", "which"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Release]:
        """Count what each holds, and what of it has left."""
        rows = super().get_queryset(request).annotate(**_numbers(Dialog.objects.all(), Viewing.objects.all(), ""))
        gone = Dialog.objects.exclude(pk__in=Dialog.objects.in_data())
        gone_viewings = Viewing.objects.exclude(pk__in=Viewing.objects.in_data())
        rows = rows.annotate(**_numbers(gone, gone_viewings, "_left"))
        return rows.select_related("who").prefetch_related("studies")

    @admin.display(description="studies")
    def of_studies(self, release: Release) -> str:
        """Name the studies."""
        return ", ".join(study.name for study in release.studies.all())

    @admin.display(description="formats")
    def in_formats(self, release: Release) -> str:
        """Name the formats."""
        return ", ".join(release.formats)

    @admin.display(description="holds")
    def held(self, release: Release) -> str:
        """Say how much it holds."""
        return _counted(release, "")

    @admin.display(description="marked: left since")
    def left(self, release: Release) -> str:
        """Say how much of it has left the data since; nothing where all of it is still there."""
        return _counted(release, "_left")

    @admin.display(boolean=True, description="finished")
    def is_finished(self, release: Release) -> bool:
        """Tell whether its bundle was made to the end."""
        return bool(release.sha256)

    @admin.display(description="which, by their pseudonyms in its files")
    def which(self, release: Release) -> SafeString:
        """Name what has left, so that who has the bundle can be told."""
        dialogs = release.dialogs_left().order_by("pk").values_list(_VIDEO, "study__collection", "pk")
        named = [f"dialog {pair_key(collection, pk)} about {video}" for video, collection, pk in dialogs]
        viewings = (
            release.viewings_left().order_by("pk").values_list(*(f"participation__{name}" for name in _WHOSE), _VIDEO)
        )
        named += [
            f"{'marks' if kind == Kind.RELEVANCE else 'summary'} by {worker_key(collection, worker)} of {video}"
            for kind, collection, worker, video in viewings
        ]
        more = len(named) - NAMED
        lines = [*named[:NAMED], *([f"and {more} more"] if more > 0 else [])]
        return format_html_join(mark_safe("<br>"), "{}", ((line,) for line in lines))


def _numbers(dialogs: QuerySet[Dialog], viewings: QuerySet[Viewing], end: str) -> dict[str, Combinable]:
    """Return the annotations that count which of these a release holds, their names with this end."""
    judged = viewings.filter(participation__study__kind=Kind.RELEVANCE)
    summed = viewings.exclude(participation__study__kind=Kind.RELEVANCE)
    found = {"dialogs": dialogs, "summaries": summed, "annotations": judged}
    return {f"held_{name}{end}": number_of(rows, "releases") for name, rows in found.items()}


def _counted(release: Release, end: str) -> str:
    dialogs, summed, judged = (
        getattr(release, f"held_{name}{end}", 0) for name in ("dialogs", "summaries", "annotations")
    )
    parts = [
        many(dialogs, "dialog") if dialogs else "",
        summaries(summed) if summed else "",
        many(judged, "annotation") if judged else "",
    ]
    return ", ".join(part for part in parts if part)
