"""Letters in the admin: which are answered, which wait, and which have waited too long. They are answered on the
worker's page.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from collector.lib import paging
from collector.lib.admin import ModelAdmin, ReadOnly
from collector.lib.text import many
from hits import letters
from hits.models import Letter


class IsAnswered(admin.SimpleListFilter):
    """Answered, waiting, or waiting for too long."""

    title = "answer"
    parameter_name = "answer"
    rows: dict[str, tuple[str, Callable[[], QuerySet[Letter]]]] = {
        "no": ("not answered", letters.unanswered),
        "late": (f"not within {letters.WORKING_DAYS} working days", letters.late),
        "yes": ("answered", lambda: Letter.objects.filter(answered_at__isnull=False)),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return what can be chosen."""
        return [(name, said) for name, (said, _) in self.rows.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Letter]) -> QuerySet[Letter]:
        """Return the chosen letters."""
        chosen = self.rows.get(self.value() or "")
        return queryset.filter(pk__in=chosen[1]().values("pk")) if chosen else queryset


@admin.register(Letter)
class LetterAdmin(ReadOnly, ModelAdmin[Letter]):
    """What workers wrote, the newest first."""

    list_display = ["begins", "sort", "whose", "study", "at", "answered_at"]
    list_filter = [IsAnswered, "participation__study"]
    list_select_related = ["participation__study"]
    fields = ["sort", "whose", "study", "text", "at", "mailed_at", "answer", "answered_at", "answered_by"]

    @admin.display(description="kind", ordering="assignment")
    def sort(self, letter: Letter) -> str:
        """Say whether it is a message or an appeal."""
        return letter.kind

    @admin.display(description="answer it", ordering="worker")
    def whose(self, letter: Letter) -> SafeString:
        """Return the link to where it is answered."""
        address = reverse("worker", args=[letter.worker_id])
        return format_html('<a href="{}#letters">worker {}</a>', address, letter.worker_id)

    @admin.display(description="study", ordering="participation__study")
    def study(self, letter: Letter) -> str:
        """Return what it is about."""
        return letter.participation.study.name if letter.participation else "–"

    @admin.display(description="text")
    def begins(self, letter: Letter) -> str:
        """Return how it begins."""
        return letter.text[:80] + ("…" if len(letter.text) > 80 else "")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> Any:
        """Say in the page's title how many wait, and for how long."""
        waiting, late = paging.at_most(letters.unanswered()), paging.at_most(letters.late())
        said = (
            f"{many(waiting, 'letter')} not answered, {late} of them for more than {letters.WORKING_DAYS} working days."
        )
        return super().changelist_view(request, {"subtitle": said} | (extra_context or {}))
