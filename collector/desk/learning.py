"""The page of what comes before a study's task: where workers stop, and which questions of the quiz they miss."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from collector.accounts.roles import Deed, allowed
from collector.learning import figures
from collector.studies.models import Study


@allowed(Deed.SEE)
@require_safe
def learning(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how far workers came, part by part, and how each question was answered."""
    study = get_object_or_404(Study, pk=pk)
    context = {"study": study, "parts": figures.parts(study), "questions": figures.questions(study)}
    context["newest"] = figures.NEWEST
    return render(request, "desk/learning.html", context)
