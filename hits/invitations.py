"""What does somebody read before they take part? The same page for a link and for a marketplace's frame."""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_noop

from collector.lib import clock
from collector.lib.rates import Allowances
from collector.studies import versions
from collector.studies.admission import Code, NotAdmitted
from collector.studies.models import Study
from collector.studies.pages import texts

LONGEST_READING = timedelta(minutes=30)
"""Reading counts as work for so long: a page that lay open over night was not read over night."""
_SIGNER = signing.Signer(salt="collector.opened")
JOINS = Allowances(burst=settings.JOINS_PER_MINUTE, rate=settings.JOINS_PER_MINUTE / 60)
"""How many may confirm consent from one address: people in a lab share one, a script has one, too."""
NOT_TICKED = gettext_noop("Please tick the box if you want to take part.")


def invitation(
    request: HttpRequest, study: Study, hidden: dict[str, str], error: str = "", *, is_known: bool = False
) -> HttpResponse:
    """Show what the study is and ask for consent; ``hidden`` is posted with it and says who comes.

    Who is known to have read the very same before finds the instructions folded.
    """
    opened = arrived_at(request) or clock.now()
    hidden = hidden | {"opened": _SIGNER.sign(f"{opened.timestamp():.0f}")}
    context = {"study": study, "version": texts(versions.preview(study)), "hidden": hidden, "error": error}
    context["is_known"] = is_known
    return render(request, "hits/join.html", context, status=400 if error else 200)


def arrived_at(request: HttpRequest) -> datetime | None:
    """Return when the invitation was opened that is confirmed now, None where the form does not say it."""
    opened = opened_at(request.POST.get("opened", ""))
    return max(opened, clock.now() - LONGEST_READING) if opened else None


def opened_at(mark: str) -> datetime | None:
    """Return when this installation gave out the invitation that holds such a mark; None when it did not."""
    try:
        return datetime.fromtimestamp(int(_SIGNER.unsign(mark)), UTC)
    except (signing.BadSignature, ValueError):
        return None


def address_of(request: HttpRequest, *, is_counted: bool = True) -> str:
    """Return the address that consent is confirmed from. Raises NotAdmitted when too many come from it at once."""
    address = str(request.META.get("REMOTE_ADDR", ""))
    if is_counted and not JOINS.take(address):
        raise NotAdmitted(Code.TOO_MANY)
    return address
