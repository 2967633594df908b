"""The learner's pages: one address that shows the step that is next, one that takes what is posted for a step.

Plain forms: a page needs no script but for the check of the device, and each post may be repeated.
"""

from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.catalogue import media
from collector.catalogue.models import Video
from collector.learning import again, device, figures, lessons, practising, quizzing, rounds
from collector.learning.models import Lesson, Step
from collector.lib.rates import Allowances
from collector.lib.tokens import BadToken
from collector.studies import kinds, promises, quizzes, versions
from collector.studies.admission import access_participation
from collector.studies.models import Participation
from collector.studies.pages import texts, worker_page

POSTS = Allowances(burst=20, rate=1.0)
"""How often one token may post."""
_LONGEST = 10_000
"""Characters of a field that are looked at."""
NO_PRACTICE = {
    "heading": "There is nothing to practise on now",
    "sentence": "Your place in the waiting room is kept. You can read the instructions again there.",
}
TOO_FAST = {"heading": "Too many tries at once", "sentence": "Wait a few seconds, then load this page again."}


@worker_page
@require_safe
def page(request: HttpRequest, token: str) -> HttpResponse:
    """Show the step that is next. Makes nothing."""
    participation = access_participation(token)
    if participation.ended_at is not None:
        return redirect("finish", token)
    if not participation.is_learning:
        return redirect(kinds.page_of(participation), token)
    return _show(request, token, participation)


def _show(request: HttpRequest, token: str, participation: Participation, error: str = "") -> HttpResponse:
    lesson = Lesson.objects.get(participation=participation)
    content = versions.content_of(participation.version)
    context = {
        "token": token,
        "lesson": lesson,
        "version": texts(participation.version),
        "slug": participation.study.slug,
        "participant": participation.worker.participant,
        "personal_url": request.build_absolute_uri(f"/w/{token}/"),
        "parts": _parts(lesson),
        "screening_pay": promises.screening_pay(content),
        "error": error,
        **_more(lesson, content),
    }
    return render(request, f"learning/{lesson.step}.html", context, status=400 if error else 200)


def _parts(lesson: Lesson) -> list[dict[str, Any]]:
    """Return the parts of the lesson in words, and which are done or under way."""
    at = lesson.steps.index(lesson.step)
    found = []
    for name, steps in figures.PARTS.items():
        places = [lesson.steps.index(each) for each in steps if each in lesson.steps]
        if places:
            state = "now" if places[0] <= at <= places[-1] else "done" if places[-1] < at else ""
            found.append({"name": gettext(name), "state": state})
    return found


def _more(lesson: Lesson, content: dict[str, Any]) -> dict[str, Any]:
    if lesson.step == Step.DEVICE:
        return _device(lesson)
    if lesson.step == Step.QUIZ:
        return _quiz(lesson, content)
    return _practice(content, lesson.video)


def _practice(content: dict[str, Any], video: Video | None) -> dict[str, Any]:
    return {
        "slots": versions.slots_of(content),
        "asked": gettext(practising.QUESTION),
        "script": rounds.script(video) if video else "",
    }


def _device(lesson: Lesson) -> dict[str, Any]:
    lacks = lesson.device_report.get("lacks", [])
    return {
        "number": lesson.device_tries + 1,
        "advice": [_advice(device.Lack(each)) for each in lacks],
        "least_width": device.LEAST_WIDTH,
        "least_height": device.LEAST_HEIGHT,
        "tries_left": device.MOST_TRIES - lesson.device_tries,
    }


def _advice(lack: device.Lack) -> str:
    return gettext(device.ADVICE[lack]).format(width=device.LEAST_WIDTH, height=device.LEAST_HEIGHT)


def _quiz(lesson: Lesson, content: dict[str, Any]) -> dict[str, Any]:
    items = quizzes.parse(content["quiz"])
    tries = len(lesson.quiz_answers)
    chosen = lesson.quiz_answers[-1] if tries else []
    wrong = quizzing.wrong(items, chosen) if tries else []
    questions = [
        # What was right stays ticked, wherever it is shown now: only what is marked is to be thought of again.
        (each, number in wrong, each.order.index(chosen[number]) if tries and number not in wrong else None)
        for number, each in enumerate(_shown(lesson, items))
    ]
    return {
        "number": tries + 1,
        "questions": questions,
        "asked": len(items),
        "needed": quizzes.needed(items, content["quiz_least_right"]),
        "tries_left": content["quiz_tries"] - tries,
    }


def _shown(lesson: Lesson, items: list[quizzes.Item]) -> list[quizzing.Shown]:
    return quizzing.shown(items, f"{lesson.pk}.{len(lesson.quiz_answers)}")


@worker_page
@require_POST
def post(request: HttpRequest, token: str, step: str) -> HttpResponse:
    """Take what is posted for a step; the page that follows shows what came of it, or what is next."""
    participation = access_participation(token)
    if step not in Step.values:
        raise Http404("There is no such step.")
    if participation.is_learning and participation.ended_at is None and not POSTS.take(token):
        return _show(request, token, participation, gettext("Too many tries at once. Wait a few seconds, then go on."))
    given = request.POST
    if step == Step.DEVICE:
        lessons.check_device(participation.pk, _number(given, "number"), _report(given))
    elif step == Step.ASK:
        lessons.ask(participation.pk, given.get("text", "")[:_LONGEST])
    elif step == Step.ANSWER:
        lessons.answer(participation.pk, given.get("text", "")[:_LONGEST])
    elif step == Step.QUIZ:
        return _take_quiz(request, token, participation)
    else:
        lessons.go_on(participation.pk, Step(step))
    return redirect("learning", token)


def _take_quiz(request: HttpRequest, token: str, participation: Participation) -> HttpResponse:
    lesson = Lesson.objects.filter(participation=participation, step=Step.QUIZ).first()
    number = _number(request.POST, "number")
    if lesson is not None and participation.ended_at is None and number == len(lesson.quiz_answers) + 1:
        questions = _shown(lesson, quizzes.parse(versions.content_of(participation.version)["quiz"]))
        places = [_number(request.POST, f"question-{each}") for each in range(len(questions))]
        if not all(0 <= place < len(each.order) for place, each in zip(places, questions, strict=True)):
            return _show(request, token, participation, gettext("Choose one answer to each question."))
        chosen = [each.order[place] for place, each in zip(places, questions, strict=True)]
        lessons.answer_quiz(participation.pk, number, chosen)
    return redirect("learning", token)


def _report(given: QueryDict) -> device.Report:
    return device.Report(
        heard=given.get("first", "")[:9] + given.get("second", "")[:9],
        has_played=given.get("played") == "yes",
        width=_number(given, "width"),
        height=_number(given, "height"),
        has_socket=given.get("socket") == "yes",
    )


def _number(given: QueryDict, name: str) -> int:
    """Return a small number that was posted, -1 where there is none."""
    said = given.get(name, "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 6 else -1


@worker_page
@require_http_methods(["GET", "HEAD", "POST"])
def practise_again(request: HttpRequest, token: str) -> HttpResponse:
    """Show a practice to who waits for a partner. Stores nothing, a POST neither."""
    participation = access_participation(token)
    video = again.scene_for(participation)
    if video is None:
        return render(request, "studies/message.html", NO_PRACTICE, status=404)
    content = versions.content_of(participation.version)
    step = "answer" if request.GET.get("step") == "answer" else "ask"
    tries, shown = 1, again.Round(video, {})
    if request.method == "POST" and request.POST.get("step") in again.STEPS:
        if not POSTS.take(token):
            return render(request, "studies/message.html", TOO_FAST, status=429)
        tries = max(1, _number(request.POST, "tries"))
        text = request.POST.get("text", "")[:_LONGEST]
        step, shown = again.take(content, video, request.POST["step"], text, tries)
        tries += 1
    context = {
        "token": token, "version": texts(participation.version), "lesson": shown, "is_again": True, "tries": tries,
        **_practice(content, video),
    }  # fmt: skip
    return render(request, f"learning/{step}.html", context)


@worker_page
@require_POST
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """End at the worker's wish; the last page says what is paid."""
    lessons.stop(access_participation(token).pk)
    return redirect("finish", token)


def _lesson(token: str, *steps: Step) -> Lesson | None:
    """Return the token's lesson while it stands at one of the steps, else None."""
    try:
        participation = access_participation(token)
    except BadToken:
        return None
    rows = Lesson.objects.select_related("video").filter(participation=participation, step__in=steps)
    return rows.filter(participation__ended_at__isnull=True).first()


def _clip_path(token: str) -> Path | None:
    from collector.learning import clips  # an encoder is loaded where a device is checked, and nowhere else

    lesson = _lesson(token, Step.DEVICE)
    return clips.path_of(lesson.beeps) if lesson else None


def _practised_on(token: str, *steps: Step) -> Video | None:
    """Return the video of who practises: in the lesson at one of the steps, or again while they wait."""
    if (lesson := _lesson(token, *steps)) is not None:
        return lesson.video
    try:
        return again.scene_for(access_participation(token))
    except BadToken:
        return None


def _video_name(token: str) -> str | None:
    video = _practised_on(token, Step.ANSWER)
    return str(video.file.name) if video else None


def _frame_name(token: str, slot: int) -> str | None:
    video = _practised_on(token, Step.ASK, Step.ASKED)
    if video is None or slot not in versions.slots_of(versions.content_of(access_participation(token).version)):
        return None
    found = video.frames.filter(slot=slot).first()
    return str(found.file.name) if found else None


@worker_page
@require_safe
async def clip(request: HttpRequest, token: str, number: int) -> HttpResponseBase:
    """Serve the clip with the beeps; ``number`` is the try, so that no browser plays an older one."""
    path = await sync_to_async(_clip_path)(token)
    return await media.serve(request, path, media.content_type_of(path)) if path else _not_open()


@worker_page
@require_safe
async def video(request: HttpRequest, token: str) -> HttpResponseBase:
    """Serve the video of the practice to who practises answering."""
    name = await sync_to_async(_video_name)(token)
    return await media.serve_stored(request, name) if name else _not_open()


@worker_page
@require_safe
async def frame(request: HttpRequest, token: str, slot: int) -> HttpResponseBase:
    """Serve a frame of the practice to who practises asking."""
    name = await sync_to_async(_frame_name)(token, slot)
    return await media.serve_stored(request, name) if name else _not_open()


def _not_open() -> HttpResponse:
    return HttpResponseForbidden("This is not open to you now, or the link is not valid.", content_type="text/plain")
