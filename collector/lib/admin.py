"""How does the admin show what may be hundreds of thousands of rows, and what may a researcher do with it?"""

from collections.abc import Iterable
from typing import Any, TypeVar

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views import main
from django.core.paginator import Paginator
from django.db.models import Count, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from collector.lib import paging

_Row = TypeVar("_Row", bound=Model)
PERSONAL = frozenset({"external_id", "external_digest", "entry", "document", "network"})
"""Fields that hold an id of a worker, or what leads to one."""


class ReadOnly:
    """Mixed into an admin class, before Django's own: rows come from workers, and what happened is not edited."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Refuse filters in the address by which an id could be guessed letter by letter."""
        is_told = not PERSONAL.isdisjoint(lookup.split("__"))
        return not is_told and bool(super().lookup_allowed(lookup, value, request))  # type: ignore[misc]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes."""
        return False


class ChangeList(main.ChangeList):
    """A list that reads one page, and whether there is another; so its last page is not known before it is reached."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the page, in the place of counting all rows first."""
        page = paging.read(self.queryset, self.page_num, self.list_per_page)
        if page.number != self.page_num or (page.number > 1 and not page.rows):
            raise IncorrectLookupParameters
        self.result_list = page.rows
        self.result_count, self.full_result_count = page.known, None
        self.show_full_result_count, self.show_admin_actions = False, True
        self.can_show_all, self.multi_page = False, page.has_next or page.number > 1
        self.paginator = Paginator(range(page.known), self.list_per_page)


class ModelAdmin(admin.ModelAdmin[_Row]):
    """Django's own otherwise: no list counts its rows, nor those of its filters' choices."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[main.ChangeList]:
        """Return the list that counts nothing."""
        return ChangeList


def one_of(field: str, choices: Iterable[tuple[str, str]]) -> type[admin.SimpleListFilter]:
    """Return the filter of a field by known choices; Django's would read all rows to find those that there are."""

    class OneOf(admin.SimpleListFilter):
        title = field.replace("_", " ")
        parameter_name = field

        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
            return list(choices)

        def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
            return queryset.filter(**{field: self.value()}) if self.value() else queryset

    return OneOf


def number_of(rows: QuerySet[Any], by: str) -> Coalesce:
    """Return the annotation that counts those rows whose ``by`` is the row of the list: of the rows of a page alone."""
    mine = rows.filter(**{by: OuterRef("pk")}).order_by().values(by).annotate(number=Count("pk"))
    return Coalesce(Subquery(mine.values("number")), 0)
