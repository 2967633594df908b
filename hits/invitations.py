"""What does somebody read before they take part? The same page for a link and for a marketplace's frame."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from collector.studies import versions
from collector.studies.models import Study
from collector.studies.pages import texts

NOT_TICKED = "Please tick the box if you want to take part."


def invitation(request: HttpRequest, study: Study, hidden: dict[str, str], error: str = "") -> HttpResponse:
    """Show what the study is and ask for consent; ``hidden`` is posted with it and says who comes."""
    context = {"study": study, "version": texts(versions.preview(study)), "hidden": hidden, "error": error}
    return render(request, "hits/join.html", context, status=400 if error else 200)
