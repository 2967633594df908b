"""Which pages does a worker have? Lists, previews, tasks, earnings, messages, qualifications. No effect on GET."""

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from hits.localmarket import books, clock
from hits.localmarket.models import Assignment, Market, Worker
from hits.localmarket.worker import offers, tasks
from hits.localmarket.worker.signing_in import at_home, signed_in

SANDBOX = (
    "allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads "
    "allow-top-navigation-by-user-activation"
)
"""What a task's frame may do; with ``allow-same-origin`` it has its own storage, as on the real site."""


def sign_in(request: HttpRequest) -> HttpResponse:
    """Show the workers one can be; become one."""
    if elsewhere := at_home(request):
        return elsewhere
    back = request.POST.get("next") or request.GET.get("next") or ""
    if request.method == "POST":
        worker = Worker.objects.filter(worker_id=request.POST.get("worker_id", "")).first()
        if worker is not None:
            safe = url_has_allowed_host_and_scheme(back, allowed_hosts=None) and back.startswith("/")
            response = redirect(back if safe else "offers")
            response.set_signed_cookie(
                settings.WORKER_COOKIE, worker.worker_id, salt="worker", httponly=True, samesite="Lax"
            )
            return response
    return render(request, "localmarket/sign_in.html", {"workers": Worker.objects.order_by("id"), "next": back})


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Be nobody."""
    response = redirect("sign-in")
    response.delete_cookie(settings.WORKER_COOKIE)
    return response


@require_GET
@signed_in
def offers_page(request: HttpRequest, worker: Worker) -> HttpResponse:
    """List the groups of HITs."""
    return render(request, "localmarket/offers.html", {"groups": offers.groups_for(worker)})


@require_GET
@signed_in
def preview(request: HttpRequest, worker: Worker, group_id: str) -> HttpResponse:
    """Show a task without accepting it."""
    group = offers.group_for(worker, group_id)
    context: dict[str, object] = {"group": group, "type": group.type}
    if group.may_preview and group.hits:
        address, question = tasks.address_of(offers.next_hit(worker, group_id))
        context |= {"address": address, "height": question.height, "sandbox": _sandbox()}
    return render(request, "localmarket/preview.html", context)


def _sandbox() -> str:
    return SANDBOX if Market.get().strict_frame else f"{SANDBOX} allow-same-origin"


@require_POST
@signed_in
def accept(request: HttpRequest, worker: Worker, group_id: str) -> HttpResponse:
    """Accept the next HIT of a group."""
    return redirect("task", tasks.accept(worker, group_id=group_id).assignment_id)


@require_GET
@signed_in
def task(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    """Show a task that the worker holds, or what became of it."""
    assignment = tasks.held_by(worker, assignment_id)
    context: dict[str, object] = {"assignment": assignment, "type": assignment.hit.type}
    if assignment.status != Assignment.Status.ACCEPTED:
        more = any(group.type == assignment.hit.type and group.may_accept for group in offers.groups_for(worker))
        return render(request, "localmarket/ended.html", {**context, "more": more})
    address, question = tasks.address_of(assignment.hit, assignment)
    left = int((assignment.deadline - clock.now()).total_seconds())
    context |= {"address": address, "height": question.height, "sandbox": _sandbox(), "seconds_left": left}
    return render(request, "localmarket/task.html", context)


@require_POST
@signed_in
def give_back(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    """Return an assignment."""
    tasks.give_back(worker, assignment_id)
    return redirect("task", assignment_id)


@require_GET
@signed_in
def queue(request: HttpRequest, worker: Worker) -> HttpResponse:
    """List what the worker holds, the most urgent first."""
    held = worker.assignments.filter(status=Assignment.Status.ACCEPTED).select_related("hit__type")
    now = clock.now()
    rows = [(each, int((each.deadline - now).total_seconds())) for each in held.order_by("deadline")]
    return render(request, "localmarket/queue.html", {"rows": rows})


@require_GET
@signed_in
def earnings(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Show what the worker earned, and what became of each piece of work."""
    rows = worker.assignments.filter(status__in=Assignment.HANDED_IN).select_related("hit__type")
    pages = Paginator(rows.order_by("-submitted_at", "-id"), 50)
    bonuses = worker.movements.filter(kind="bonus").order_by("-id").select_related("hit__type")
    parts = books.earnings(worker)
    waiting = rows.filter(status=Assignment.Status.SUBMITTED)
    context = {
        "page": pages.get_page(request.GET.get("page")),
        "bonus_rows": bonuses,
        "total": sum(parts.values()),
        "waiting": sum(each.hit.type.reward_cents for each in waiting),
        "approved": worker.number_approved,
        "percent": worker.percent_approved,
        "rewards": parts["rewards"],
        "bonuses": parts["bonuses"],
    }
    return render(request, "localmarket/earnings.html", context)


@require_GET
@signed_in
def messages_page(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Show the worker's messages."""
    return render(request, "localmarket/messages.html", {"messages_received": worker.messages.order_by("-id")})
