"""The page of what a study's workers say: how they found it, and what they wrote that waits for an answer."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from collector.accounts.roles import Deed, allowed
from collector.lib import paging
from collector.studies.models import Study
from hits import feedback, letters

SHOWN = 100


@allowed(Deed.SEE)
@require_safe
def voices(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the letters about a study that nobody has answered, the oldest first, and its feedback."""
    study = get_object_or_404(Study, pk=pk)
    waiting = letters.unanswered().filter(participation__study=study)
    rows = waiting.select_related("participation__study", "assignment__hit").order_by("pk")
    context = {
        "study": study,
        "letters": rows[:SHOWN],
        "late": paging.at_most(letters.late().filter(participation__study=study)),
        "working_days": letters.WORKING_DAYS,
        "is_mailed": letters.is_mailed(),
        "said": feedback.of_study(study),
        "newest": feedback.NEWEST,
        "most": max(feedback.STARS),
    }
    return render(request, "desk/voices.html", context)
