"""A second look: what others decided is judged once more, blind, so that their agreement can be told."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from collector.accounts import log
from collector.accounts.roles import Deed, allowed
from collector.desk import submissions
from collector.lib import paging
from hits import seconding
from hits.models import Recruitment


@allowed(Deed.SECOND)
@require_http_methods(["GET", "HEAD", "POST"])
def second(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one submission that somebody else decided, not how; take down what this person would have decided."""
    recruitment = get_object_or_404(Recruitment.objects.select_related("study__collection"), pk=pk)
    who = User.objects.get(username=request.user.get_username())
    if request.method == "POST":
        chosen, opinion = request.POST.get("assignment", ""), request.POST.get("opinion")
        if not chosen.isdecimal() or opinion not in ("approve", "reject"):
            messages.error(request, "Say whether you would approve or reject it.")
        elif not seconding.say(recruitment, int(chosen), who, approves=opinion == "approve"):
            messages.info(request, "You have looked at this one already, or it is yours.")
        else:
            log.write(request, Deed.SECOND, f"submission {chosen}", recruitment.study_id, f"would {opinion}")
        return redirect("second", pk)
    waiting = seconding.to_second(recruitment, who)
    items = submissions.read(recruitment.study, list(waiting[:1]))
    context = {
        "recruitment": recruitment,
        "left": paging.at_most(waiting),
        "item": items[0] if items else None,
        "agreement": seconding.agreement(recruitment.study),
    }
    return render(request, "desk/second.html", context)
