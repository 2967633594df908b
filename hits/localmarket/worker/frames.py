"""What does a task's frame get from us? The page of an HTMLQuestion, and the answer to a submission.

A frame of another site sends no cookies of ours: the assignment's id, which nobody can guess, is what counts.
"""

from csp.constants import SELF
from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET

from hits.localmarket import answers, questions
from hits.localmarket.models import Hit
from hits.localmarket.sweeping import sweep
from hits.localmarket.worker import tasks
from hits.localmarket.worker_refusals import WorkerRefusal


@csrf_exempt
@csp_replace({"frame-ancestors": [SELF]})  # type: ignore[untyped-decorator, unused-ignore]
def external_submit(request: HttpRequest) -> HttpResponse:
    """Take a submission that a task's page posts from its frame."""
    if request.method != "POST":
        return render(request, "localmarket/submitted.html", {"sentence": "A task submits with POST."}, status=405)
    sweep()
    try:
        tasks.submit(request.POST.get("assignmentId", ""), answers.fields_of(request.POST.items()))
    except WorkerRefusal as refusal:
        return render(request, "localmarket/submitted.html", {"sentence": refusal.sentence}, status=409)
    return render(request, "localmarket/submitted.html")


@require_GET
def html(request: HttpRequest, hit_id: str) -> HttpResponse:
    """Serve the page of an HTMLQuestion, of no origin, so that it cannot reach ours."""
    hit = Hit.objects.filter(hit_id=hit_id).first()
    content = questions.read(hit.question).html if hit else ""
    if not content:
        raise Http404
    response = HttpResponse(content)
    # The policy's middleware leaves a header alone that is there already.
    response["Content-Security-Policy"] = (
        "sandbox allow-scripts allow-forms allow-modals allow-popups; frame-ancestors 'self'"
    )
    return response
