"""What comes before a worker's task, and what does each of its posts change? One transaction each, under its lock.

A post that finds its step done changes nothing, so a page may send it again. What a worker has passed is remembered:
the device for a while, practice and quiz for the texts they were about, in whichever study.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction

from collector.catalogue.models import Video
from collector.learning import device, quizzing, rounds
from collector.learning.models import Lesson, Step
from collector.lib import clock
from collector.studies import outcomes, quizzes, versions
from collector.studies.models import Fault, Kind, Outcome, Participation, SeenVideo, Study, Why

DEVICE_HOLDS = timedelta(hours=12)
"""A device that fitted is not checked again for so long."""
GIVEN_UP_AFTER = timedelta(minutes=60)
"""Then who has not come to an end of the lesson makes room."""
MOST = 500
"""How many one sweep ends; the next one goes on."""
_PRACTICE = (Step.STEPS, Step.ASK, Step.ASKED, Step.ANSWER, Step.ANSWERED)
_PRACTISED = ("instructions", "questioner_instructions", "answerer_instructions")


def on_admitting(sender: object, participation: Participation, **kwargs: Any) -> None:
    """Give a new participation its lesson. Programs need none."""
    if not participation.is_simulated:
        begin(participation)


def begin(participation: Participation) -> Lesson | None:
    """Make the lesson of a participation that has just been made; None when there is nothing to learn."""
    content = versions.content_of(participation.version)
    marks = {"practice_digest": _digest(content, _PRACTISED), "quiz_digest": quiz_digest(content)}
    video = scene_for(participation.study) if content["practice"] and content["kind"] == Kind.DIALOG else None
    steps = list(_steps(participation.worker_id, content, marks, has_scene=video is not None))
    if not steps:
        return None
    if Step.ASK in steps and video is not None:
        SeenVideo.objects.get_or_create(
            collection_id=participation.study.collection_id, worker_id=participation.worker_id, video=video
        )
    participation.is_learning = True
    participation.save(update_fields=["is_learning"])
    return Lesson.objects.create(
        participation=participation, steps=steps, step=steps[0], started_at=clock.now(), video=video,
        beeps=device.draw_beeps(), **marks,
    )  # fmt: skip


def quiz_digest(content: dict[str, Any]) -> str:
    """Return what a quiz and its pass mark are known by."""
    return _digest(content, ("quiz", "quiz_least_right"))


def _digest(content: dict[str, Any], names: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps([content[name] for name in names]).encode()).hexdigest()


def _steps(worker_id: int, content: dict[str, Any], marks: dict[str, str], *, has_scene: bool) -> Iterable[Step]:
    known = Lesson.objects.filter(participation__worker=worker_id)
    if content["device_check"] and not known.filter(device_passed_at__gte=clock.now() - DEVICE_HOLDS).exists():
        yield Step.DEVICE
    digest = marks["practice_digest"]
    if has_scene and not known.filter(practice_digest=digest, practised_at__isnull=False).exists():
        yield from _PRACTICE
    digest = marks["quiz_digest"]
    if content["quiz"].strip() and not known.filter(quiz_digest=digest, quiz_passed_at__isnull=False).exists():
        yield Step.QUIZ


def scene_for(study: Study) -> Video | None:
    """Return the sample scene to practise on: one that the collection does not ask about, where there is one."""
    samples = Video.objects.filter(scene__isnull=False, is_playable=True, is_held=False).order_by("image_id")
    asked_about = samples.filter(study_videos__study__collection=study.collection_id)
    return samples.exclude(pk__in=asked_about).first() or samples.first()


def _locked(participation_id: int, step: Step) -> Lesson | None:
    """Return the lesson of an open participation that stands at a step, both locked; else None."""
    part = Participation.objects.select_for_update(of=("self",)).select_related("version").get(pk=participation_id)
    lesson = Lesson.objects.filter(participation=part, step=step).first()
    if lesson is None or part.ended_at is not None:
        return None
    lesson.participation = part
    return lesson


def _advance(lesson: Lesson) -> None:
    """Go on to the next step; after the last one the task begins, and the time it may wait for its worker."""
    after = lesson.steps[lesson.steps.index(lesson.step) + 1 :]
    lesson.step = after[0] if after else Step.DONE
    if not after:
        lesson.done_at = clock.now()
        Participation.objects.filter(pk=lesson.participation_id).update(is_learning=False, confirmed_at=lesson.done_at)
    lesson.save()


def check_device(participation_id: int, number: int, report: device.Report) -> None:
    """Take what a page reports of one try, counted from 1. What fits goes on; else the next clip is another."""
    with transaction.atomic():
        lesson = _locked(participation_id, Step.DEVICE)
        if lesson is None or number != lesson.device_tries + 1 or number > device.MOST_TRIES:
            return
        lacks = report.lacks(lesson.beeps)
        lesson.device_tries = number
        lesson.device_report = {
            "width": report.width, "height": report.height, "websocket": report.has_socket, "lacks": lacks,
        }  # fmt: skip
        lesson.beeps = device.draw_beeps()
        if lacks:
            lesson.save()
            return
        lesson.device_passed_at = clock.now()
        _advance(lesson)


def go_on(participation_id: int, step: Step) -> None:
    """Go on from a page that is only read."""
    with transaction.atomic():
        lesson = _locked(participation_id, step)
        if lesson is None:
            return
        if step == Step.ANSWERED:
            lesson.practised_at, lesson.practice = clock.now(), {}
        _advance(lesson)


def ask(participation_id: int, raw: str) -> None:
    """Take the question of who practises as Questioner: say what to do better, or have the program answer."""
    with transaction.atomic():
        lesson = _locked(participation_id, Step.ASK)
        if lesson is None:
            return
        lesson.asking_tries += 1
        lesson.practice = rounds.asked(_content(lesson), lesson.video, raw, lesson.asking_tries)
        _advise_or_advance(lesson)


def answer(participation_id: int, raw: str) -> None:
    """Take the answer of who practises as Answerer: say what to do better, or take it."""
    with transaction.atomic():
        lesson = _locked(participation_id, Step.ANSWER)
        if lesson is None:
            return
        lesson.answering_tries += 1
        lesson.practice = rounds.answered(_content(lesson), lesson.video, raw, lesson.answering_tries)
        _advise_or_advance(lesson)


def _content(lesson: Lesson) -> dict[str, Any]:
    return versions.content_of(lesson.participation.version)


def _advise_or_advance(lesson: Lesson) -> None:
    if "advice" in lesson.practice:
        lesson.save()
    else:
        _advance(lesson)


def answer_quiz(participation_id: int, number: int, chosen: Sequence[int]) -> None:
    """Take a try at the quiz, counted from 1: the options as written, a number a question.

    Too few right on the last try ends the participation as screened out.
    """
    with transaction.atomic():
        lesson = _locked(participation_id, Step.QUIZ)
        if lesson is None or number != len(lesson.quiz_answers) + 1:
            return
        content = versions.content_of(lesson.participation.version)
        items = quizzes.parse(content["quiz"])
        lesson.quiz_answers = [*lesson.quiz_answers, list(chosen)]
        lesson.quiz_right = len(items) - len(quizzing.wrong(items, chosen))
        if lesson.quiz_right >= quizzes.needed(items, content["quiz_least_right"]):
            lesson.quiz_passed_at = clock.now()
            _advance(lesson)
            return
        lesson.save()
        if number >= content["quiz_tries"]:
            _end(lesson, Outcome.SCREENED_OUT, Why.QUIZ_FAILED)


def stop(participation_id: int) -> None:
    """End at the worker's wish: screened out, and paid for it, once a try at the device has failed; else as left."""
    with transaction.atomic():
        part = Participation.objects.select_for_update().get(pk=participation_id)
        lesson = Lesson.objects.filter(participation=part).first()
        if lesson is None or not part.is_learning or part.ended_at is not None:
            return
        lesson.participation = part
        if lesson.step == Step.DEVICE and lesson.device_tries:
            _end(lesson, Outcome.SCREENED_OUT, Why.DEVICE_FAILED)
        else:
            _end(lesson, Outcome.LEFT, "", Fault.WORKER)


def _end(lesson: Lesson, outcome: Outcome, why: Why | str, fault: Fault = Fault.NOBODY) -> None:
    lesson.practice = {}
    lesson.save(update_fields=["practice"])
    outcomes.end(lesson.participation_id, outcome, fault, why=why)


def on_sweep(sender: object, **kwargs: Any) -> None:
    """Make room for others where somebody has given the lesson up without saying so."""
    late = Lesson.objects.filter(
        participation__is_learning=True, participation__ended_at__isnull=True,
        started_at__lte=clock.now() - GIVEN_UP_AFTER,
    ).select_related("participation")  # fmt: skip
    for each in late.order_by("pk")[:MOST]:
        with transaction.atomic():
            _end(each, Outcome.LEFT, Why.NEVER_CAME)
