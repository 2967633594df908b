"""The page of the log: who did what, the newest first, by person, deed and study. Nothing on it can be changed."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from collector.accounts.models import LogLine
from collector.accounts.roles import Deed, allowed
from collector.privacy import removing
from collector.studies.models import Study

SHOWN = 100
NOBODY = "nobody"
"""Stands in the address for commands, and for who did not sign in."""


@allowed(Deed.LOG)
@require_safe
def log(request: HttpRequest) -> HttpResponse:
    """Show so many lines before the one that the address names, or the newest; none is counted."""
    chosen = {name: request.GET[name] for name in ("who", "deed", "study") if request.GET.get(name)}
    found = list(_rows(chosen, request.GET).select_related("who").order_by("-pk")[: SHOWN + 1])
    lines = found[:SHOWN]
    studies = dict(Study.objects.values_list("pk", "name"))
    context = {
        "chosen": chosen,
        "lines": [(line, studies.get(line.study or 0)) for line in lines],
        "older": urlencode(chosen | {"before": lines[-1].pk}) if len(found) > SHOWN else "",
        "is_newest": "before" not in request.GET,
        "people": User.objects.order_by("username"),
        "deeds": sorted(Deed.choices, key=lambda choice: str(choice[1])),
        "studies": studies.items(),
        "nobody": NOBODY,
        "removed": removing.last_in_words(),
    }
    return render(request, "desk/log.html", context)


def _rows(chosen: dict[str, str], asked: QueryDict) -> QuerySet[LogLine]:
    """Return the lines that are asked for; none where a number is no number."""
    wanted: dict[str, Any] = {}
    if deed := chosen.get("deed"):
        wanted["deed"] = deed
    if (who := chosen.get("who")) == NOBODY:
        wanted["who"] = None
    elif who:
        wanted["who"] = _number(who)
    if study := chosen.get("study"):
        wanted["study"] = _number(study)
    if before := asked.get("before"):
        wanted["pk__lt"] = _number(before)
    return LogLine.objects.filter(**wanted)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0
