"""What comes before the task: each step, who is asked what, how it ends, and what it pays."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from chat import deadlines, waiting_room
from chat.rules import Refusal
from collector.catalogue.models import Video
from collector.learning import device, practising
from collector.learning.models import Lesson, Step
from collector.lib import clock
from collector.studies import kinds, outcomes, promises, versions
from collector.studies.admission import NotAdmitted
from collector.studies.models import Kind, Outcome, SeenVideo, StudyVideo, Why
from collector.summaries import watching
from hits import offers, settlement
from tests import factories
from tests.learning.learner import QUIZ, RIGHT, WRONG, Learner, learner, sample, study

pytestmark = pytest.mark.django_db


def passed(made: Learner) -> Learner:
    """Go through all of a lesson."""
    made.check()
    made.practise()
    made.answer(RIGHT)
    return made


def owed(made: Learner) -> list[Decimal]:
    return [each.amount for each in settlement.announced(made.now())]


def test_a_lesson_from_consent_to_the_waiting_room() -> None:
    made = learner(study())
    assert kinds.page_of(made.participation) == "learning"
    seen = []
    for act in (made.check, lambda: made.post("steps"), lambda: made.post("ask", text="What happens at the end?")):
        seen.append(made.lesson.step)
        act()
    made.post("asked")
    made.post("answer", text="First of all a large cube slides to the left.")
    made.post("answered")
    assert [*seen, made.lesson.step] == [Step.DEVICE, Step.STEPS, Step.ASK, Step.QUIZ]
    made.answer(RIGHT)
    assert (made.lesson.step, made.now().is_learning) == (Step.DONE, False)
    assert made.get().headers["location"] == f"/w/{made.token}/"
    assert waiting_room.enter(made.now()).state == "waiting"


def test_nobody_sits_in_the_waiting_room_before_the_lesson_is_over() -> None:
    made = learner(study())
    with pytest.raises(Refusal):
        waiting_room.enter(made.now())
    refused = waiting_room.enter_all({made.now(): "socket"})
    assert isinstance(refused[made.participation.pk], Refusal)
    assert made.client.get(f"/w/{made.token}/").headers["location"] == f"/w/{made.token}/learn/"


def test_what_was_passed_is_not_asked_again() -> None:
    given = study()
    first = passed(learner(given))
    outcomes.end(first.participation.pk, Outcome.COMPLETE)
    assert not learner(given).participation.is_learning
    with clock.travel(timedelta(days=1)):
        part = learner(factories.study(device_check=True, practice=True, quiz=QUIZ))
        assert part.lesson.steps == [Step.DEVICE], "the device may be another by then"


def test_new_texts_are_learned_anew() -> None:
    given = study(device_check=False)
    first = learner(given)
    first.practise()
    first.answer(RIGHT)
    outcomes.end(first.participation.pk, Outcome.COMPLETE)
    given.quiz_least_right = 1
    given.save()
    assert learner(given).lesson.steps == [Step.QUIZ]


def test_programs_learn_nothing() -> None:
    assert not learner(study(), simulated=True).participation.is_learning
    assert not Lesson.objects.exists()


def test_a_study_without_lessons_makes_none() -> None:
    assert not learner(factories.study()).participation.is_learning


def test_each_post_may_be_repeated() -> None:
    made = learner(study())
    beeps = made.lesson.beeps
    wrong = "11" if beeps != "11" else "12"
    for _ in range(2):
        made.check(wrong, number=1)
    assert made.lesson.device_tries == 1
    for _ in range(2):
        made.check()
    made.practise()
    made.practise()
    assert made.lesson.step == Step.QUIZ
    made.answer(WRONG, 1)
    made.answer(WRONG, 1)
    assert len(made.lesson.quiz_answers) == 1
    made.answer(RIGHT, 2)
    made.answer(WRONG, 2)
    assert not made.now().is_learning


class TestDevice:
    @pytest.mark.parametrize(
        ("fields", "lack"),
        [
            ({"beeps": "00"}, device.Lack.SOUND),
            ({"played": ""}, device.Lack.VIDEO),
            ({"width": 200}, device.Lack.SCREEN),
            ({"height": "tall"}, device.Lack.SCREEN),
        ],
    )
    def test_what_is_lacking_is_said_with_what_to_do(self, fields: dict[str, str], lack: device.Lack) -> None:
        made = learner(study())
        made.check(**fields)  # type: ignore[arg-type]
        assert made.lesson.device_report["lacks"] == [lack]
        page = made.get().content.decode()
        advice = device.ADVICE[lack].format(width=device.LEAST_WIDTH, height=device.LEAST_HEIGHT)
        assert advice.split(".")[0] in page
        assert "I cannot mend this: end, paid $0.10" in page
        made.check()
        assert made.lesson.step == Step.STEPS

    def test_a_network_without_websockets_is_no_lack(self) -> None:
        made = learner(study())
        made.check(socket="no")
        assert made.lesson.device_passed_at
        assert made.lesson.device_report["websocket"] is False

    def test_each_try_has_other_numbers_and_no_page_tells_them(self) -> None:
        made = learner(study())
        played = set()
        for _ in range(device.MOST_TRIES):
            played.add(numbers := made.lesson.beeps)
            page = made.get().content
            type(made.lesson).objects.update(beeps=numbers[::-1] if numbers[::-1] != numbers else "29")
            assert made.get().content == page, "the page depends on the numbers"
            type(made.lesson).objects.update(beeps=numbers)
            made.check("00")
        assert len(played) > 1
        made.check(made.lesson.beeps)
        assert made.lesson.step == Step.DEVICE, "numbers are not guessed for ever"
        assert "several tries" in made.get().content.decode()

    def test_who_cannot_mend_it_ends_and_is_paid_as_announced(self) -> None:
        made = learner(given := study())
        made.check("00")
        assert made.post("stop").headers["location"] == f"/w/{made.token}/finish/"
        assert (made.now().outcome, made.now().why) == (Outcome.SCREENED_OUT, Why.DEVICE_FAILED)
        assert owed(made) == [Decimal("0.10")]
        page = made.client.get(f"/w/{made.token}/finish/").content.decode()
        assert "You are paid for it as announced." in page
        with pytest.raises(NotAdmitted, match="device_failed"):
            learner(given)
        with clock.travel(timedelta(days=1, minutes=1)):
            assert learner(given).lesson.step == Step.DEVICE

    def test_who_has_tried_nothing_has_left(self) -> None:
        made = learner(study())
        made.post("stop")
        assert (made.now().outcome, owed(made)) == (Outcome.LEFT, [])
        made.post("stop")
        made.check()
        assert made.lesson.step == Step.DEVICE


class TestPractice:
    @pytest.fixture
    def made(self) -> Learner:
        made = learner(study(device_check=False, quiz=""))
        made.post("steps")
        return made

    @pytest.mark.parametrize(
        ("text", "advice"),
        [
            ("", "There is nothing to send yet."),
            ("Is there a cube?", practising.YES_NO),
            ("What colour is the sofa in the room?", practising.LOOKS),
            ("What happens", "A question ends with a question mark."),
            ("Why?", "Too short: write at least 2 words."),
            ("a\x00b", "characters that cannot be stored"),
        ],
    )
    def test_a_question_is_advised_about_on_the_spot(self, made: Learner, text: str, advice: str) -> None:
        made.post("ask", text=text)
        assert advice in made.lesson.practice["advice"]
        assert made.lesson.step == Step.ASK
        made.post("ask", text="What happens first in the video?")
        assert made.lesson.step == Step.ASKED

    @pytest.mark.parametrize(
        ("text", "advice"),
        [
            ("Yes", practising.BARE),
            ("No, it does not.", practising.BARE),
            ("A cube moves.", "Too short: write at least 5 words."),
            ("Somebody is cooking soup at home.", practising.NOT_OF_THE_VIDEO),
        ],
    )
    def test_an_answer_is_advised_about_on_the_spot(self, made: Learner, text: str, advice: str) -> None:
        made.post("ask", text="What happens first in the video?")
        made.post("asked")
        made.post("answer", text=text)
        assert made.lesson.practice["advice"] == advice
        assert made.lesson.practice["draft"] == text
        made.post("answer", text="First of all a large cube slides to the left.")
        assert made.lesson.step == Step.ANSWERED

    def test_nobody_is_stuck_on_advice(self, made: Learner) -> None:
        for _ in range(practising.MOST_ADVICE + 1):
            made.post("ask", text="Is there a sofa?")
        assert made.lesson.step == Step.ASKED
        assert made.lesson.asking_tries == practising.MOST_ADVICE + 1

    def test_what_was_written_is_gone_with_the_practice(self, made: Learner) -> None:
        made.practise()
        assert made.lesson.practice == {}
        assert made.lesson.practised_at

    def test_it_is_on_a_scene_that_the_collection_does_not_ask_about(self) -> None:
        asked_about = sample()
        given = study(quiz="", device_check=False)
        StudyVideo.objects.create(study=given, video=asked_about)
        assert learner(given).lesson.video != asked_about

    def test_where_all_scenes_are_asked_about_it_takes_one_and_never_gives_it_again(self) -> None:
        given = study(quiz="", device_check=False)
        StudyVideo.objects.create(study=given, video=Video.objects.get())
        made = learner(given)
        assert SeenVideo.objects.filter(worker=made.participation.worker, video=made.lesson.video).exists()

    def test_a_study_of_summaries_has_none(self) -> None:
        given = study(kind=Kind.SUMMARY, quiz="", device_check=True)
        StudyVideo.objects.create(study=given, video=factories.video())
        made = learner(given)
        assert made.lesson.steps == [Step.DEVICE]
        assert watching.begin(made.participation.pk) is None, "not before the device is checked"
        made.check()
        assert made.get().headers["location"] == f"/w/{made.token}/watch/"
        assert watching.begin(made.participation.pk) is not None


class TestQuiz:
    def test_who_fails_it_is_screened_out_and_paid_and_not_asked_again(self) -> None:
        given = study(device_check=False, practice=False)
        made = learner(given)
        made.answer(WRONG)
        assert made.now().ended_at is None
        assert "0 of 2 right" in made.get().content.decode()
        made.answer(WRONG)
        assert (made.now().outcome, made.now().why) == (Outcome.SCREENED_OUT, Why.QUIZ_FAILED)
        assert owed(made) == [Decimal("0.10")]
        assert "That is no rejection." in made.client.get(f"/w/{made.token}/finish/").content.decode()
        with pytest.raises(NotAdmitted, match="quiz_failed"):
            learner(given)

    def test_a_pass_mark_below_all(self) -> None:
        made = learner(study(device_check=False, practice=False, quiz_least_right=1))
        made.answer([1, 1])
        assert made.lesson.quiz_right == 1
        assert not made.now().is_learning

    def test_a_question_without_an_answer_costs_no_try(self) -> None:
        made = learner(study(device_check=False, practice=False))
        refused = made.post("quiz", **{"number": 1, "question-0": 0})
        assert refused.status_code == 400
        assert "Choose one answer to each question." in refused.content.decode()
        assert made.lesson.quiz_answers == []

    def test_what_was_right_stays_ticked_for_the_next_try(self) -> None:
        made = learner(study(device_check=False, practice=False))
        assert " checked>" not in made.get().content.decode()
        made.answer([RIGHT[0], WRONG[1]])
        page = made.get().content.decode()
        assert page.count(" checked>") == 1
        assert page.split(" checked>")[1].strip().startswith("<span>Three still frames of it</span>")

    def test_options_are_mixed_and_what_is_posted_is_their_place(self) -> None:
        made = learner(study(device_check=False, practice=False))
        page = made.get().content.decode()
        places = {}
        for number, right in enumerate(("Three still frames of it", "The Questioner")):
            before = page.split(f"<span>{right}</span>")[0]
            places[f"question-{number}"] = before.rsplit('value="', 1)[1].split('"')[0]
        made.post("quiz", number=1, **places)
        assert made.lesson.quiz_answers == [RIGHT]


def test_who_gives_the_lesson_up_makes_room() -> None:
    made = learner(study())
    with clock.travel(timedelta(minutes=20)):
        deadlines.sweep()
        assert made.now().ended_at is None, "it is not the waiting room that they did not come to"
    with clock.travel(timedelta(minutes=61)):
        deadlines.sweep()
        assert (made.now().outcome, made.now().why) == (Outcome.LEFT, Why.NEVER_CAME)


def test_the_time_to_come_to_the_waiting_room_counts_from_the_end_of_the_lesson() -> None:
    made = learner(study(practice=False, quiz=""))
    with clock.travel(timedelta(minutes=20)):
        made.check()
        deadlines.sweep()
        assert made.now().ended_at is None


def test_what_comes_first_and_what_it_pays_is_said_before() -> None:
    given = study()
    page = Client().get(f"/join/{given.slug}/").content.decode()
    assert "Kept of what comes first" in page
    assert "Three still frames of it" not in page
    content = versions.preview(given).content
    first = promises.in_words(content)[0]
    assert first.startswith("First: a check of your sound and screen, a short practice, and a quiz of 2 questions.")
    assert "is paid for coming; nobody is rejected" in first
    assert "$0.10 when your device or the quiz says" in " ".join(promises.pay_rules(content))
    free = content | {"reward": "0.00", "ending_pay": "0.00"}
    assert promises.screening_pay(free) == 0
    assert "paid" not in promises.in_words(free)[0]
    assert offers.base_reward(study(ending_pay=Decimal(0))) == Decimal("0.10")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"language": "ja"}, "The program that one practises with does not speak 'ja'."),
        ({"quiz_least_right": 3}, "The quiz has 2 questions, so 3 cannot be right."),
        ({"quiz": "What?\n- one\n- two"}, "0 options are marked as right"),
    ],
)
def test_a_study_that_could_not_teach_so_is_refused_in_words(fields: dict[str, object], sentence: str) -> None:
    made = study()
    for name, value in fields.items():
        setattr(made, name, value)
    with pytest.raises(ValidationError, match=sentence):
        made.full_clean()


def test_a_practice_needs_a_sample_scene() -> None:
    with pytest.raises(ValidationError, match="load_samples"):
        factories.study(practice=True).full_clean()
