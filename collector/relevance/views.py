"""The judge's pages: the task, then the room with the video and the answers. A token says whose they are."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from msgspec import to_builtins

from chat import transcripts
from chat.models import Dialog
from collector.relevance import judging
from collector.relevance.models import Judging
from collector.relevance.protocol import Finish, FromJudge, Marks, Opening, decode
from collector.studies import kinds
from collector.studies.admission import access_participation
from collector.studies.models import Kind
from collector.studies.pages import worker_page
from collector.summaries import pages


@worker_page
@require_safe
def room(request: HttpRequest, token: str) -> HttpResponse:
    """Show the task, or video, script, what was said before, the question and its answers. Makes nothing."""
    participation = access_participation(token)
    if (page := kinds.page_of(participation)) != "judging":
        return redirect(page, token)
    if participation.ended_at is not None:
        return redirect("finish", token)
    context = pages.context_of(request, token, participation, "begin-judging")
    found = Judging.objects.select_related("viewing__video", "item").filter(viewing__participation=participation)
    given = found.first()
    if given is None:
        return render(request, "summaries/example.html", context)
    (said,) = transcripts.read(Dialog.objects.filter(pk=given.item.dialog_id))
    *before, (question, _) = said.rounds[: given.item.round]
    options, marks = judging.shown(given)
    opening = Opening(pages.seen(given.viewing), given.viewing.video.duration, question, options, marks, judging.PAGE)
    more = {"opening": to_builtins(opening), "script": said.script, "before": before}
    return render(request, "relevance/room.html", context | more)


@worker_page
@require_POST
def begin(request: HttpRequest, token: str) -> HttpResponse:
    """Give the worker an item; the page that follows shows it, or how it ended."""
    judging.begin(pages.access(token, Kind.RELEVANCE).pk)
    return redirect("judging", token)


@worker_page
@require_POST
def post(request: HttpRequest, token: str) -> HttpResponse:
    """Take one frame of a judge's page and answer how things stand."""
    return pages.answer(request, token, Kind.RELEVANCE, decode, _do)


def _do(participation_id: int, frame: FromJudge) -> None:
    if isinstance(frame, Marks):
        judging.keep(participation_id, frame.marks)
    elif isinstance(frame, Finish):
        judging.finish(participation_id, frame.marks)
