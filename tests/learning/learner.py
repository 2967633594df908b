"""A worker who has agreed to a study that teaches, at its pages, without a browser."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.test import Client

from collector.catalogue.models import Video
from collector.catalogue.scenes import make_scene, script_of, to_json
from collector.learning import lessons
from collector.learning.models import Lesson
from collector.studies.admission import Identity, admit
from collector.studies.models import Participation, Study
from tests import factories

QUIZ = """\
What does the Questioner see?
- The whole video
* Three still frames of it
- The script

Who writes the summary?
* The Questioner
- The Answerer
"""
RIGHT = [1, 0]
WRONG = [0, 1]
PAID = {"reward": Decimal("2.40"), "ending_pay": Decimal("0.50")}


def sample() -> Video:
    """Make a sample scene's row (with no file behind it)."""
    scene = make_scene(11)
    return factories.video(script_of(scene), scene=to_json(scene))


def study(**fields: Any) -> Study:
    """Make an open study that pays and teaches all there is."""
    sample()
    return factories.study(**PAID | {"device_check": True, "practice": True, "quiz": QUIZ} | fields)


@dataclass
class Learner:
    """One worker's pages."""

    participation: Participation
    token: str
    client: Client

    @property
    def lesson(self) -> Lesson:
        """The lesson as it is stored."""
        return Lesson.objects.get(participation=self.participation)

    def now(self) -> Participation:
        """Return the participation as it is stored."""
        self.participation.refresh_from_db()
        return self.participation

    def get(self, path: str = "") -> Any:
        """Open the page of the step that is next, or what belongs to it."""
        return self.client.get(f"/w/{self.token}/learn/{path}")

    def post(self, step: str, **fields: object) -> Any:
        """Post for a step."""
        return self.client.post(f"/w/{self.token}/learn/{step}/", fields)

    def check(self, beeps: str | None = None, **fields: object) -> Any:
        """Report one try of the device: right in all that is not given."""
        lesson = self.lesson
        first, second = beeps or lesson.beeps
        good = {"number": lesson.device_tries + 1, "played": "yes", "width": 800, "height": 600, "socket": "yes"}
        return self.post("device", **good | {"first": first, "second": second} | fields)

    def practise(self) -> None:
        """Go through the practice without a mistake."""
        self.post("steps")
        self.post("ask", text="What happens first in the video?")
        self.post("asked")
        self.post("answer", text="First of all a large cube slides to the left.")
        self.post("answered")

    def answer(self, chosen: list[int], number: int | None = None) -> None:
        """Take a try at the quiz by the options as written."""
        lessons.answer_quiz(self.participation.pk, number or len(self.lesson.quiz_answers) + 1, chosen)


def learner(study: Study, name: str = "somebody", *, simulated: bool = False) -> Learner:
    """Return a worker who has agreed."""
    environment = "simulated" if simulated else "live"
    admitted = admit(study, Identity("link", environment, name, is_simulated=simulated, entry={"participant": name}))
    return Learner(admitted.participation, admitted.token, Client())
