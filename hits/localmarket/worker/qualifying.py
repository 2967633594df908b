"""Which qualifications does a worker hold, and how do they ask for more?"""

from datetime import timedelta

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from hits.localmarket import clock
from hits.localmarket.models import Qualification, QualificationRequest, QualificationType, Worker
from hits.localmarket.worker.signing_in import signed_in
from hits.localmarket.worker_refusals import Reason, WorkerRefusal


@require_GET
@signed_in
def page(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Show the worker's record, what they hold, and what they may ask for."""
    held = Qualification.objects.filter(worker=worker, is_granted=True).select_related("type")
    asked = QualificationRequest.objects.filter(worker=worker).select_related("type").order_by("-id")
    open_types = asked.filter(decided_at=None).values("type")
    types = QualificationType.objects.filter(deleted_at=None, is_active=True)
    offered = types.exclude(pk__in=held.values("type")).exclude(pk__in=open_types)
    return render(request, "localmarket/qualifications.html", {"held": held, "asked": asked, "offered": offered})


@require_POST
@signed_in
def ask_page(request: HttpRequest, worker: Worker, type_id: str) -> HttpResponse:
    """Ask for a qualification."""
    ask(worker, type_id)
    return redirect("qualifications")


@transaction.atomic
def ask(worker: Worker, type_id: str) -> bool:
    """Ask for a qualification; return whether it was granted at once."""
    kind = QualificationType.objects.filter(type_id=type_id, deleted_at=None, is_active=True).first()
    if kind is None:
        raise WorkerRefusal(Reason.NOT_REQUESTABLE)
    _check(worker, kind)
    now = clock.now()
    request = QualificationRequest(type=kind, worker=worker, submitted_at=now)
    if kind.auto_granted:
        request.decided_at, request.is_accepted = now, True
        Qualification.objects.update_or_create(
            type=kind,
            worker=worker,
            defaults={"value": kind.auto_granted_value, "granted_at": now, "is_granted": True},
        )
    request.save()
    return kind.auto_granted


def _check(worker: Worker, kind: QualificationType) -> None:
    """Refuse a second request while one is open, and one too soon; without a delay there is no second."""
    if Qualification.objects.filter(worker=worker, type=kind, is_granted=True).exists():
        raise WorkerRefusal(Reason.ASKED_BEFORE)
    last = QualificationRequest.objects.filter(worker=worker, type=kind).order_by("-id").first()
    if last is None:
        return
    if last.decided_at is None or kind.retry_delay is None:
        raise WorkerRefusal(Reason.ASKED_BEFORE)
    if clock.now() < last.decided_at + timedelta(seconds=kind.retry_delay):
        raise WorkerRefusal(Reason.NOT_REQUESTABLE)
