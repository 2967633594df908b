"""What does a line of the log say of a deed about a worker? The study it was in, and what was typed, but no texts."""

from typing import Any

from django.http import HttpRequest, QueryDict

from collector.accounts import log
from collector.accounts.roles import Deed
from collector.studies.exclusions import Exclusion
from collector.studies.models import Participation, Study, Worker
from hits.models import Compensation, LedgerEntry, Letter, Recruitment, Withdrawal

_STUDY_OF: dict[str, tuple[Any, str]] = {
    "participation": (Participation, "study"),
    "recruitment": (Recruitment, "study"),
    "entry": (LedgerEntry, "study"),
    "compensation": (Compensation, "recruitment__study"),
    "withdrawal": (Withdrawal, "participation__study"),
    "letter": (Letter, "participation__study"),
    "exclusion": (Exclusion, "study"),
}
"""Fields of the forms that hold a row's number, and where that row has its study."""
_SAID = ("participation", "amount", "reason", "texts")


def write(request: HttpRequest, deed: Deed, worker: Worker) -> None:
    """Add what was done about a worker."""
    posted = request.POST
    said = [f"{name} {posted[name]}" for name in _SAID if posted.get(name)]
    if target := posted.get("target", ""):
        said.insert(0, target.replace("-", " "))
    log.write(request, deed, str(worker), _study(posted), "; ".join(said))


def _study(posted: QueryDict) -> int | None:
    kind, _, number = posted.get("target", "").partition("-")
    if kind == "study" and number.isdecimal():
        return Study.objects.filter(pk=int(number)).values_list("pk", flat=True).first()
    for name, (model, path) in _STUDY_OF.items():
        if (number := posted.get(name, "")).isdecimal():
            found: int | None = model.objects.filter(pk=int(number)).values_list(path, flat=True).first()
            return found
    return None
