"""Who does not pass what comes before a task submits the HIT, is paid what was announced, and sees no more offers."""

from decimal import Decimal

import pytest
from django.test import Client

from chat.simulating import excuse
from collector.learning import lessons
from collector.studies import outcomes
from collector.studies.admission import token_of
from collector.studies.models import Outcome, Participation
from hits import ledger, lifecycle, marking, paying
from tests.hits import recruiting
from tests.hits.recruiting import VISITORS, launch, visit
from tests.hits.test_recruiting import decide, offered
from tests.learning.learner import QUIZ, WRONG
from tests.localmarket.market import AMBER, BASIL, LocalMarket

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> None:
    VISITORS.clear()


def test_who_fails_the_quiz_submits_is_paid_and_sees_no_more_offers(market: LocalMarket) -> None:
    made = recruiting.study(quiz=QUIZ, quiz_tries=1, ending_pay=Decimal(0))
    recruitment, speaks = launch(market, study=made)
    amber = visit(market, recruitment, AMBER)
    lessons.answer_quiz(amber.participation.pk, 1, WRONG)
    amber.participation.refresh_from_db()
    assert amber.participation.outcome == Outcome.SCREENED_OUT
    amber.submit()
    lifecycle.sync(recruitment, speaks)
    decide(recruitment)
    assert paying.pay_due(recruitment, speaks) == ""
    assert ledger.paid() == Decimal("0.10")
    assert marking.carry_out(recruitment, speaks) == 1
    lifecycle.top_up(recruitment, speaks)
    assert not offered(market, AMBER)
    assert offered(market, BASIL)
    made.quiz_least_right = 1
    made.save()
    recruitment.refresh_from_db()
    assert marking.carry_out(recruitment, speaks) == 1, "another quiz is another chance"


def test_a_robot_of_the_local_marketplace_goes_past_the_lesson(market: LocalMarket) -> None:
    recruitment, _ = launch(market, study=recruiting.study(device_check=True))
    amber = visit(market, recruitment, AMBER)
    token = token_of(amber.participation)
    assert Client().get(f"/w/{token}/").headers["location"] == f"/w/{token}/learn/"
    excuse(token)
    assert not Participation.objects.get().is_learning
    assert Client().get(f"/w/{token}/").status_code == 200


def test_who_has_done_the_task_before_finds_its_instructions_folded(market: LocalMarket) -> None:
    recruitment, speaks = launch(market)
    amber = visit(market, recruitment, AMBER)
    outcomes.end(amber.participation.pk, Outcome.COMPLETE)
    amber.submit()
    lifecycle.sync(recruitment, speaks)
    lifecycle.top_up(recruitment, speaks)
    hit = lifecycle.open_hits(recruitment).exclude(external_id=amber.hit_id)[0].external_id

    def invitation(worker_id: str, assignment_id: str) -> str:
        entry = {"assignmentId": assignment_id, "hitId": hit, "workerId": worker_id}
        return Client().get("/task/lab/local/", entry).content.decode()

    assert "You have done this before." in invitation(AMBER, "ASSIGNMENT1")
    assert "You have done this before." not in invitation(BASIL, "ASSIGNMENT2")
    recruitment.study.instructions = "Something else than before."
    recruitment.study.save()
    assert "You have done this before." not in invitation(AMBER, "ASSIGNMENT1")
