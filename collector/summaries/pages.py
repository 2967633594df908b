"""What is the same on the pages of everybody who works alone, whatever their study wants of them?"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, TypeVar

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from chat.protocol import BadFrame, Leave, Refused, ReportVideo, Watched
from chat.rules import Code, Refusal
from chat.wording import refused
from collector.lib import clock
from collector.lib.rates import Allowances
from collector.lib.tokens import BadToken
from collector.studies.admission import access_participation
from collector.studies.models import Kind, Participation
from collector.studies.pages import texts
from collector.summaries import watching
from collector.summaries.models import Viewing
from collector.summaries.protocol import Over, Seen, ToWatcher, encode

POSTS = Allowances(burst=20, rate=2.0)
"""How often one token may post."""
Frame = TypeVar("Frame")


def access(token: str, *kinds: Kind) -> Participation:
    """Return the participation of a token in a study of one of the kinds. Raises BadToken, also for another kind."""
    participation = access_participation(token)
    if participation.study.kind not in kinds:
        raise BadToken
    return participation


def context_of(request: HttpRequest, token: str, participation: Participation, begin: str) -> dict[str, Any]:
    """Return what the templates of both pages, before the video and with it, show.

    ``begin`` names the address that leads from the one to the other.
    """
    return {
        "token": token,
        "begin": begin,
        "version": texts(participation.version),
        "slug": participation.study.slug,
        "participant": participation.worker.participant,
        "personal_url": request.build_absolute_uri(request.path),
    }


def answer(
    request: HttpRequest, token: str, kind: Kind, decode: Callable[[bytes], Frame], do: Callable[[int, Frame], None]
) -> HttpResponse:
    """Take one frame of a page and answer how things stand; stored before it is answered.

    ``do`` gets the frames that are not the same in all kinds, with the participation's id, and may raise Refusal.
    """
    key = ""
    try:
        participation = access(token, kind)
        if not POSTS.take(token):
            raise Refusal(Code.TOO_FAST)
        frame = decode(request.body)
        key = getattr(frame, "key", "")
        if not _did(participation.pk, frame):
            do(participation.pk, frame)
        answer: ToWatcher = _standing(participation.pk, token)
    except BadToken:
        answer = refused(Refusal(Code.BAD_LINK))
    except BadFrame as bad:
        answer = refused(Refusal(Code(bad.code)))
    except Refusal as refusal:
        is_over = refusal.code == Code.OVER
        answer = _standing(participation.pk, token) if is_over else refused(refusal, key)
    return HttpResponse(encode(answer), content_type="application/json")


def _did(participation_id: int, frame: object) -> bool:
    """Do what a frame says that is the same in all kinds; tell whether it was one."""
    if isinstance(frame, Watched):
        watching.watched(participation_id, frame.ranges)
    elif isinstance(frame, Leave):
        watching.leave(participation_id, frame.reason)
    elif isinstance(frame, ReportVideo):
        watching.report_video(participation_id, frame.reason)
    else:
        return False
    return True


def _standing(participation_id: int, token: str) -> Seen | Over | Refused:
    viewing = Viewing.objects.filter(participation=participation_id, ended_at__isnull=True).first()
    if viewing is not None:
        return seen(viewing)
    if Participation.objects.filter(pk=participation_id, ended_at__isnull=True).exists():
        return refused(Refusal(Code.TOO_EARLY))  # what comes before the video is still open
    return Over(reverse("finish", args=[token]))


def seen(viewing: Viewing) -> Seen:
    """Return how things stand."""
    move: Literal["watch", "summarise", "judge"] = "watch"
    if viewing.watched_at:
        move = "summarise" if viewing.participation.study.kind == Kind.SUMMARY else "judge"
    return Seen(move, _left(viewing.due_at) or 0.0, _left(viewing.summary_due_at))


def _left(due: datetime | None) -> float | None:
    """Return the seconds until then, None where nothing runs out."""
    return max(0.0, (due - clock.now()).total_seconds()) if due else None
