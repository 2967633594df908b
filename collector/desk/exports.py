"""The page of exports: ask for a dataset, see how far it is, load what was made. The commands' own code makes it."""

from collections.abc import Mapping
from http import HTTPStatus

import msgspec
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe
from kombu.exceptions import OperationalError

from collector.accounts import log
from collector.accounts.roles import Deed, allowed
from collector.catalogue import media
from collector.catalogue.models import Split
from collector.desk.summaries import QUEUE_AWAY
from collector.exports import made, summaries, tasks, visdial
from collector.exports.cutting import DRAWN
from collector.exports.formats import FORMATS
from collector.exports.orders import Asked, CannotExport
from collector.lib import jobs
from collector.studies.models import Study

FLAGS = ("without_summary", "simulated", "undisclosed_last")
FIELDS = ("format", "study", "split", "truncate", "test", "seed", "pool", "vectors", *FLAGS)
DRAW = "drawn"
"""What stands in the field of rounds when one is to be drawn for each dialog."""


@allowed(Deed.SEE)
@require_safe
def exports(request: HttpRequest) -> HttpResponse:
    """Show the form, filled as the address says, and what was made."""
    found = list(made.every())
    context = {
        "study": Study.objects.filter(slug=request.GET.get("study", "")).first(),
        "typed": {name: request.GET.get(name, "") for name in FIELDS},
        "formats": [(name, form.about) for name, form in FORMATS.items()],
        "summary_formats": list(summaries.FORMATS),
        "studies": Study.objects.all(),
        "splits": Split.values,
        "pools": ((visdial.SPLIT, "the same split"), (visdial.ALL, "all splits")),
        "vectors": list(made.vectors()),
        "found": [(each, urlencode(_fields(each.order.asked)), _retry(each)) for each in found],
        "is_under_way": any(each.job.is_under_way for each in found),
        "days": settings.EXPORT_DAYS,
    }
    return render(request, "desk/exports.html", context)


def _fields(asked: Asked) -> dict[str, str]:
    """Return the fields of the form that ask for this."""
    fields = {name: "yes" if value is True else str(value) for name, value in msgspec.to_builtins(asked).items()}
    if asked.truncate == DRAWN:
        fields["truncate"] = DRAW
    if asked.vectors:
        fields["vectors"] = asked.vectors.rpartition("/")[2]
    return fields


def _retry(export: made.Export) -> dict[str, str]:
    """Return the fields with which a refused export would go; none where that is not known."""
    return _fields(export.order.asked) | export.job.offer if export.job.offer else {}


@allowed(Deed.EXPORT)
@require_POST
def make(request: HttpRequest) -> HttpResponse:
    """Ask the worker process for an export; what cannot be asked for is said, with the form as it was."""
    typed = {name: request.POST[name].strip() for name in FIELDS if request.POST.get(name, "").strip()}
    try:
        asked = _asked(typed)
        number = made.ask(asked, request.user.get_username())
    except CannotExport as error:
        messages.error(request, str(error))
        return redirect(f"{reverse('exports')}?{urlencode(typed)}")
    _log(request, Deed.EXPORT, f"export {number}", asked)
    try:
        tasks.make_export.delay(number)
    except OperationalError:
        jobs.refuse(made.root() / number, QUEUE_AWAY)
    return redirect("exports")


def _log(request: HttpRequest, deed: Deed, what: str, asked: Asked) -> None:
    study = Study.objects.filter(slug=asked.study).first()
    said = f"{asked.format}, {study or 'all studies'}, {asked.split or 'all splits'}"
    log.write(request, deed, what, study.pk if study else None, said)


def _asked(typed: Mapping[str, str]) -> Asked:
    """Return what the form asks for. Raises CannotExport."""
    format_, split, test, pool = (typed.get(name, "") for name in ("format", "split", "test", "pool"))
    for value, known in (
        (format_, [*FORMATS, *summaries.FORMATS]),
        (split, ["", *Split.values]),
        (test, ["", *Split.values]),
        (pool, ["", visdial.SPLIT, visdial.ALL]),
    ):
        if value not in known:
            raise CannotExport(f"{value!r} is none of {', '.join(each for each in known if each)}.")
    truncate, vectors = typed.get("truncate"), typed.get("vectors")
    if vectors and vectors not in made.vectors():
        raise CannotExport(f"There is no file {vectors!r} of word vectors in the folder vectors of the media folder.")
    return Asked(
        format_,
        typed.get("study", ""),
        split,
        *("without_summary" in typed, "simulated" in typed, "undisclosed_last" in typed),
        truncate=DRAWN if truncate == DRAW else _number("--truncate", truncate),
        test=test or None,
        seed=_number("--seed", typed.get("seed")),
        pool=pool or None,
        vectors=str(made.vectors()[vectors]) if vectors else None,
    )


def _number(option: str, typed: str | None) -> int | None:
    if typed is None:
        return None
    if not (typed.isascii() and typed.isdecimal() and len(typed) <= 9):
        raise CannotExport(f"{option} takes a whole number of at most nine digits, not {typed[:40]!r}.")
    return int(typed)


@allowed(Deed.REMOVE_EXPORT)
@require_POST
def remove(request: HttpRequest, number: str) -> HttpResponse:
    """Remove an export with its file."""
    if made.remove(number):
        log.write(request, Deed.REMOVE_EXPORT, f"export {number}")
        messages.success(request, "It is removed.")
    return redirect("exports")


@require_safe
@allowed(Deed.LOAD)
async def file(request: HttpRequest, number: str) -> HttpResponseBase:
    """Give the file of an export, in pieces."""
    export = await sync_to_async(made.read)(number)
    if export is None or export.file is None or export.path is None:
        raise Http404("There is no such file; it may have been removed.")
    await sync_to_async(_log)(request, Deed.LOAD, export.file.name, export.order.asked)
    response = await media.serve(request, export.path, "application/octet-stream")
    if response.status_code in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
        response["Content-Disposition"] = f'attachment; filename="{export.file.name}"'
    return response
