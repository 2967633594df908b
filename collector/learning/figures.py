"""How far do a study's workers come in their lessons, and which questions of the quiz do they miss? Reads only."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from collector.learning import lessons, quizzing
from collector.learning.models import Lesson, Step
from collector.lib.marking import gettext_noop
from collector.studies import quizzes, versions
from collector.studies.models import Study

NEWEST = 1000
"""So many lessons are read, the newest: a page stays fast however large a study is."""
PARTS: dict[str, tuple[Step, ...]] = {
    gettext_noop("Device"): (Step.DEVICE,),
    gettext_noop("How it works"): (Step.STEPS,),
    gettext_noop("Practice"): (Step.ASK, Step.ASKED, Step.ANSWER, Step.ANSWERED),
    gettext_noop("Quiz"): (Step.QUIZ,),
}
"""The parts of a lesson in words, in their order, and the steps of each."""


@dataclass(frozen=True)
class Part:
    """How many lessons came to a part, went on from it, ended there, are there now; and the median of tries of who
    went on, None where nothing is tried or nobody has."""

    name: str
    came: int
    passed: int
    ended: int
    now: int
    tries: float | None


@dataclass(frozen=True)
class Question:
    """How a question was answered on the first try: the number of workers, of those right, and of each option."""

    question: str
    asked: int
    right: int
    options: list[tuple[str, int, bool]]


def parts(study: Study) -> list[Part]:
    """Return the figures of each part that some lesson of the study has had."""
    mine = Lesson.objects.filter(participation__study=study).select_related("participation")
    rows = list(mine.order_by("-participation")[:NEWEST])
    found = [_part(name, steps, rows) for name, steps in PARTS.items()]
    return [each for each in found if each.came]


def _part(name: str, steps: Sequence[Step], rows: list[Lesson]) -> Part:
    having = [row for row in rows if steps[0] in row.steps]
    last = {row.pk: row.steps.index(steps[-1]) for row in having}
    places = {row.pk: len(row.steps) if row.step == Step.DONE else row.steps.index(row.step) for row in having}
    came = [row for row in having if places[row.pk] >= row.steps.index(steps[0])]
    passed = [row for row in came if places[row.pk] > last[row.pk]]
    here = [row for row in came if places[row.pk] <= last[row.pk]]
    ended = sum(row.participation.ended_at is not None for row in here)
    tries = [count for row in passed if (count := _tries(row, steps[0]))]
    return Part(name, len(came), len(passed), ended, len(here) - ended, median(tries) if tries else None)


def _tries(lesson: Lesson, first: Step) -> int:
    return {
        Step.DEVICE: lesson.device_tries,
        Step.ASK: lesson.asking_tries + lesson.answering_tries,
        Step.QUIZ: len(lesson.quiz_answers),
    }.get(first, 0)


def questions(study: Study) -> list[Question]:
    """Return how the quiz that the study asks now was answered in it; none where it asks none."""
    content = versions.preview(study).content
    items = quizzes.parse(content["quiz"])
    rows = Lesson.objects.filter(participation__study=study, quiz_digest=lessons.quiz_digest(content))
    newest = rows.order_by("-participation").values_list("quiz_answers", flat=True)[:NEWEST]
    tries = [answers[0] for answers in newest if answers]
    wrong = Counter(number for chosen in tries for number in quizzing.wrong(items, chosen))
    found = []
    for number, item in enumerate(items):
        chosen = Counter(each[number] for each in tries)
        options = [(option, chosen[place], place == item.right) for place, option in enumerate(item.options)]
        found.append(Question(item.question, len(tries), len(tries) - wrong[number], options))
    return found
