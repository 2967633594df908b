"""Items and who judged them in the admin: read only, as they are made by a command and by workers."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from collector.lib.admin import ModelAdmin, ReadOnly, number_of
from collector.relevance.models import Item, Judging
from collector.studies.models import Outcome


@admin.register(Item)
class ItemAdmin(ReadOnly, ModelAdmin[Item]):
    """Rounds whose answers are judged."""

    list_display = ["id", "study", "video", "round", "dialog", "people"]
    list_filter = ["study"]
    list_select_related = ["study", "dialog__video"]
    fields = ["study", "dialog", "round", "answers"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Item]:
        """Count who judged them."""
        whole = {"viewing__participation__outcome": Outcome.COMPLETE, "viewing__participation__is_simulated": False}
        return super().get_queryset(request).annotate(people=number_of(Judging.objects.filter(**whole), "item"))

    @admin.display(description="video", ordering="dialog__video__image_id")
    def video(self, item: Item) -> str:
        """Return the id of the video."""
        return item.dialog.video.image_id

    @admin.display(description="judged by")
    def people(self, item: Item) -> int:
        """Return how many people judged it."""
        return getattr(item, "people", 0)

    @admin.display(description="answers")
    def answers(self, item: Item) -> SafeString:
        """Return the answers as a list, the one that was given marked."""
        rows = [(text, " (given)" if number == item.gt_index else "") for number, text in enumerate(item.options)]
        items = format_html_join("", "<li>{}<strong>{}</strong></li>", rows)
        return format_html("<ol>{}</ol>", items)


@admin.register(Judging)
class JudgingAdmin(ReadOnly, ModelAdmin[Judging]):
    """Who judged which item."""

    list_display = ["id", "item", "viewing", "outcome", "correct"]
    list_filter = ["item__study", "viewing__participation__outcome"]
    list_select_related = ["item", "viewing__participation"]

    @admin.display(description="outcome")
    def outcome(self, judging: Judging) -> str:
        """Return how it ended."""
        return judging.viewing.participation.get_outcome_display()

    @admin.display(description="found correct")
    def correct(self, judging: Judging) -> int:
        """Return how many answers they found correct."""
        return sum(mark is True for mark in judging.marks)
