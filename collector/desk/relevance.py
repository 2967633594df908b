"""The page of a relevance study: how far it is, what it costs, how people agree, and what they made of each item."""

from dataclasses import dataclass

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from collector.accounts.roles import Deed, allowed
from collector.exports import dense
from collector.relevance import agreement
from collector.relevance.agreement import Judged
from collector.studies.models import Kind, Study

SHOWN = 50


@dataclass(frozen=True)
class Row:
    """One item as the table has it; shares in percent, None before anybody has judged it."""

    judged: Judged
    given: int | None
    """Who found the answer correct that was given."""
    correct: int | None
    """Of the answers, those that half of the people or more found correct."""


@allowed(Deed.SEE)
@require_safe
def relevance(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a study's items and how people agree about them."""
    study = get_object_or_404(Study, pk=pk, kind=Kind.RELEVANCE)
    every = list(agreement.judged(study.pk, texts=False))
    page = Paginator(every, SHOWN).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "items": len(every),
        "done": sum(each.people for each in every),
        "cost": dense.cost_of(study, len(every)),
        "alpha": agreement.alpha_of(every),
        "agreement": agreement.in_words(every),
        "page": page,
        "rows": [_row(each) for each in page],
    }
    return render(request, "desk/relevance.html", context)


def _row(judged: Judged) -> Row:
    if not judged.people:
        return Row(judged, None, None)
    given = round(100 * judged.correct[judged.item.gt_index] / judged.people)
    return Row(judged, given, sum(2 * number >= judged.people for number in judged.correct))
