"""A person takes a dialog or a summary out of the data, and puts it back; nobody's pay depends on it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from chat.models import Dialog
from collector.accounts import log, roles
from collector.accounts.roles import Deed, allowed
from collector.studies.leaving import CannotLeave
from collector.summaries.models import Viewing

_MODELS: dict[str, Any] = {"dialog": Dialog.objects, "summary": Viewing.objects}
_STUDIES = {"dialog": "study", "summary": "participation__study"}


@allowed(Deed.SEE)
@require_POST
def leave(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Take one out with a reason, or put it back; return to the page it was asked on."""
    if kind not in _MODELS or not (rows := _MODELS[kind].filter(pk=pk)):
        raise Http404
    deed = Deed.PUT_BACK if request.POST.get("what") == "put-back" else Deed.TAKE_OUT
    roles.require(request, deed)
    person, reason = User.objects.get(username=request.user.get_username()), request.POST.get("reason", "")
    try:
        if deed == Deed.PUT_BACK:
            rows.put_back(person)
            messages.success(request, f"The {kind} is in the data again, unless a worker has withdrawn.")
        else:
            rows.take_out(reason, person)
            messages.success(request, f"The {kind} is out of the data, and its video is given again.")
        log.write(request, deed, f"{kind} {pk}", rows.values_list(_STUDIES[kind], flat=True).get(), reason)
    except CannotLeave as refused:
        messages.error(request, str(refused))
    back = request.POST.get("back", "")
    return redirect(back if url_has_allowed_host_and_scheme(back, allowed_hosts=None) else "index")
