"""A worker asks what we have about them, or to be erased: both are done on their page, and logged."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from collector.accounts.roles import Deed, allowed
from collector.desk import about_worker
from collector.privacy import erasing, person
from collector.privacy.erasing import CannotErase
from collector.studies.models import Worker


@allowed(Deed.LOAD_PERSON)
@require_POST
@never_cache
def load(request: HttpRequest, pk: int) -> HttpResponse:
    """Give out all that is stored about a worker, for them; it holds their id."""
    shown = get_object_or_404(Worker, pk=pk)
    about_worker.write(request, Deed.LOAD_PERSON, shown)
    headers = {"Content-Disposition": f"attachment; filename=worker-{shown.pk}.zip"}
    return HttpResponse(person.archive(shown), content_type="application/zip", headers=headers)


def erase(shown: Worker, who: User, posted: QueryDict) -> str:
    """Erase them with the choice that was posted, and say so. Raises CannotErase."""
    if (texts := posted.get("texts")) not in ("remove", "keep"):
        raise CannotErase("Choose what becomes of their texts.")
    erasing.erase(shown, who, keep_texts=texts == "keep", confirmed=posted.get("confirmed") == "yes")
    return "Erased: nothing here leads to the person any more."
