"""What looks personal in the texts of a study? Shown part by part; a person decides what must not leave."""

from contextlib import suppress

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from collector.accounts import log, roles
from collector.accounts.roles import Deed, allowed
from collector.exports import personal
from collector.exports.personal import CannotDecide
from collector.lib.text import many
from collector.studies import kinds
from collector.studies.models import Study

SHOWN = 50


@allowed(Deed.REDACT)
@require_safe
def finds(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what nobody has decided about, and the newest decisions."""
    study = get_object_or_404(Study, pk=pk)
    is_simulated = request.GET.get("simulated") == "yes"
    after = request.GET.get("after", "")
    begin = int(after) if after.isascii() and after.isdigit() and len(after) < 10 else 0
    found, looked_at = personal.undecided_after(study, begin, simulated=is_simulated)
    context = {
        "study": study,
        "about": kinds.of(study.kind),
        "finds": found[:SHOWN],
        "has_more": len(found) > SHOWN,
        "begin": begin,
        "looked_at": looked_at,
        "decisions": personal.decisions([study], SHOWN),
        "is_simulated": is_simulated,
    }
    return render(request, "desk/personal.html", context)


@allowed(Deed.SEE)
@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Take down what a person decides, or take it back."""
    study = get_object_or_404(Study, pk=pk)
    deed = Deed.UNDO_REDACTION if request.POST.get("what") == "undo" else Deed.REDACT
    roles.require(request, deed)
    person = User.objects.get(username=request.user.get_username())
    try:
        said = _do(request, study, person)
        messages.success(request, said)
        log.write(request, deed, f"texts of {study.name}", study.pk, said)
    except CannotDecide as refused:
        messages.error(request, str(refused))
    kept = {name: request.POST[name] for name in ("simulated", "after") if request.POST.get(name)}
    response = redirect("personal", study.pk)
    response["Location"] += f"?{urlencode(kept)}" if kept else ""
    return response


def _do(request: HttpRequest, study: Study, person: User) -> str:
    what = request.POST.get("what")
    if what == "decide":
        return _decide(request, person)
    if what == "words":
        return _redact_words(request, study, person)
    if what == "undo":
        of, _, number = request.POST.get("decision", "").partition(" ")
        with suppress(KeyError, ValueError):
            if personal.undo(of, int(number), person):
                return "The decision is taken back."
        raise CannotDecide("This decision was taken back before.")
    raise Http404


def _decide(request: HttpRequest, person: User) -> str:
    """Take down what was chosen for each find, and for the others what the pressed button says."""
    rest = request.POST.get("rest", "")
    number = 0
    for key in request.POST.getlist("find"):
        choice = request.POST.get(f"choice {key}") or rest
        if choice in ("redact", "leave"):
            personal.decide(key, person, redact=choice == "redact")
            number += 1
    return f"{many(number, 'find')} decided."


def _redact_words(request: HttpRequest, study: Study, person: User) -> str:
    number, words = request.POST.get("number", "").strip(), request.POST.get("words", "").strip()
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise CannotDecide(f"{number[:40]!r} is no number. Give that of the list of dialogs, or of viewings.")
    return f"Redacted in {many(personal.redact_words(study, int(number), words, person), 'place')}."
