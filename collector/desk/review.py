"""The review: what was submitted, and what a person decides about it. Nothing is decided by reading a page."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from collector.accounts import log, roles
from collector.accounts.roles import Deed, allowed
from collector.desk import submissions
from collector.lib import paging
from collector.lib.text import many
from hits import reviewing, tasks
from hits.models import Assignment, Recruitment
from hits.reviewing import CannotDecide

SHOWN = 25
_DEEDS = {"approve": Deed.APPROVE, "reject": Deed.REJECT, "undo": Deed.UNDO_REJECTION}


@allowed(Deed.SEE)
@require_safe
def review(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what was submitted, each with its dialogs, the next to be approved by the marketplace itself first."""
    recruitment = _get(pk)
    waiting = reviewing.to_review(recruitment)
    page = paging.read(waiting, paging.number_in(request.GET.get("page", "")), SHOWN)
    items = submissions.read(recruitment.study, list(page.rows))
    context = {
        "recruitment": recruitment,
        "page": page,
        "left": paging.at_most(waiting),
        "items": items,
        "is_evidence_shown": any(line.written for item in items for line in item.own_lines),
        "rejected": [(each, reviewing.may_be_taken_back(each)) for each in reviewing.rejected(recruitment)[:50]],
        "least_reason": reviewing.LEAST_REASON,
    }
    return render(request, "desk/review.html", context)


@allowed(Deed.SEE)
@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Take down what a person decides about submissions. A rejection is shown once more before it is taken down."""
    recruitment, what = _get(pk), request.POST.get("what", "")
    if what not in _DEEDS:
        raise Http404
    roles.require(request, _DEEDS[what])
    chosen = _chosen(request, recruitment)
    about = list(reviewing.to_review(recruitment).filter(pk__in=chosen)) if what == "approve" else []
    try:
        if what == "approve":
            _approve(request, chosen)
        elif what == "reject" and chosen:
            if request.POST.get("confirmed") != "yes":
                return _ask_again(request, recruitment, chosen[0])
            _reject(request, chosen[0])
        elif what == "undo" and chosen:
            reviewing.undo_rejection(chosen[0], _person(request))
            messages.success(request, "The rejection will be taken back and the work paid.")
        for each in about or Assignment.objects.filter(pk__in=chosen[:1]):
            whose = f"submission {each.pk} of worker {each.worker_id}"
            log.write(request, _DEEDS[what], whose, recruitment.study_id, request.POST.get("reason", ""))
        tasks.look_after_hits_soon()
    except CannotDecide as refused:
        messages.error(request, str(refused))
    page = request.POST.get("page", "")
    return redirect(reverse("review", args=[pk]) + (f"?page={page}" if page.isdecimal() else ""))


def _chosen(request: HttpRequest, recruitment: Recruitment) -> list[int]:
    """Return which of the posted submissions are this recruitment's."""
    posted = [int(each) for each in request.POST.getlist("assignment") if each.isdecimal()]
    return list(Assignment.objects.filter(pk__in=posted, hit__recruitment=recruitment).values_list("pk", flat=True))


def _approve(request: HttpRequest, chosen: list[int]) -> None:
    if request.POST.get("count", "").strip() != str(len(chosen)) or not chosen:
        raise CannotDecide(f"Type the number of chosen submissions, {len(chosen)}, to approve them.")
    number = reviewing.approve(chosen, _person(request))
    messages.success(request, f"{many(number, 'submission')} will be approved and paid.")


def _ask_again(request: HttpRequest, recruitment: Recruitment, pk: int) -> HttpResponse:
    """Show what a rejection is about and what it does, and ask once more; nothing is decided yet."""
    reason = reviewing.checked_reason(request.POST.get("reason", ""))
    found = reviewing.to_review(recruitment).filter(pk=pk).first()
    if found is None:
        raise CannotDecide(reviewing.DECIDED)
    (item,) = submissions.read(recruitment.study, [found])
    page = request.POST.get("page", "")
    return render(request, "desk/reject.html", {"recruitment": recruitment, "item": item, "reason": reason, "at": page})


def _reject(request: HttpRequest, pk: int) -> None:
    reviewing.reject(pk, _person(request), request.POST.get("reason", ""), confirmed=True)
    messages.success(request, "The submission will be rejected; it can be taken back within 30 days.")


def _get(pk: int) -> Recruitment:
    return get_object_or_404(Recruitment.objects.select_related("study__collection"), pk=pk)


def _person(request: HttpRequest) -> User:
    return User.objects.get(username=request.user.get_username())
