"""Does any page speak English where it should not? Every worker's page that a server alone can show, in accents."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from chat import presence
from chat.models import Utterance
from collector.catalogue.models import Script
from collector.learning.models import Lesson, Step
from collector.lib import clock, languages, tokens
from collector.studies import outcomes, versions
from collector.studies.admission import SENTENCES, Code, NotAdmitted, token_of
from collector.studies.models import Kind, Outcome, Why
from hits import launching
from hits.models import EntryKind, EntryState, LedgerEntry, Letter
from tests import factories, unmarked
from tests.chat import scene
from tests.learning import learner
from tests.relevance import scene as judging
from tests.summaries import scene as watching

pytestmark = pytest.mark.django_db
PAID: dict[str, Any] = {
    "reward": Decimal("2.40"), "summary_bonus": Decimal("0.30"), "waiting_pay": Decimal("0.15"),
    "ending_pay": Decimal("0.50"),
}  # fmt: skip
QUIZ = "Ẃĥó?\n- Á\n* Ɓ\n"


@pytest.fixture(autouse=True)
def _living() -> None:
    presence.renew_lease()  # of the process that holds the seats


def check(client: Client, path: str, status: int = 200) -> str:
    """Open a page and see that all it says has come through translation."""
    response = client.get(path, follow=True)
    assert response.status_code == status
    page = response.content.decode()
    assert '<html lang="ar-xb" dir="rtl">' in page
    found = unmarked.of_page(page)
    assert not found, f"{path} says in English: {found}. Mark it for translation, then run make words."
    return page


def test_english_is_found_where_it_stands() -> None:
    page = '<title>Ţ</title><p>Ĥé <b>is</b></p><img alt="Old"><script>const plain = 1;</script><p>0.10 US$, HIT</p>'
    assert unmarked.of_page(page) == ["is", "Old"]


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("amounts", [PAID, {}], ids=["paid", "unpaid"])
def test_invitation_and_preview(client: Client, kind: Kind, amounts: dict[str, Any]) -> None:
    teaching = {"device_check": True, "practice": kind == Kind.DIALOG, "quiz": QUIZ}
    for more in ({}, teaching, {"withdrawal_days": 0, "keeps_evidence": False}):
        study = unmarked.speak(factories.study(kind=kind, **amounts | more))
        check(client, f"/join/{study.slug}/")
        assert not unmarked.of_page(launching.preview_page(study))


def test_a_box_that_was_not_ticked(client: Client) -> None:
    study = unmarked.speak(factories.study())
    page = client.post(f"/join/{study.slug}/", {"participant": "ada"}).content.decode()
    assert not unmarked.of_page(page)


@pytest.mark.parametrize("code", Code)
def test_who_is_not_let_in(code: Code) -> None:
    with languages.speaking("ar-xb"):
        assert not unmarked.of_texts([NotAdmitted(code, opens_in=languages.many(3, "hour")).sentence]), SENTENCES[code]


@pytest.mark.parametrize("kind", Kind)
def test_every_end_in_words(kind: Kind) -> None:
    for amounts in ({}, {"reward": "2.40", "ending_pay": "0.50", "device_check": True}):
        content = versions.DEFAULTS | {"kind": kind} | amounts
        with languages.speaking("ar-xb"):
            for outcome in Outcome:
                for why in ("", *Why):
                    assert not unmarked.of_texts(list(outcomes.words_of(outcome, why, content))), (outcome, why)


@pytest.mark.parametrize("kind", Kind)
def test_the_last_page_and_a_worker_s_own(client: Client, kind: Kind) -> None:
    study = unmarked.speak(factories.study(kind=kind, **PAID))
    part = factories.participation(
        study, outcome=Outcome.COMPLETE, rounds_done=10, wrote_summary=True, waited_seconds=90
    )
    client.post(f"/w/{token_of(part)}/finish/", {"stars": "4"})
    for state in EntryState:
        now = clock.now()
        LedgerEntry.objects.create(
            worker=part.worker, study=study, participation=part, kind=EntryKind.REWARD, amount=Decimal("0.20"),
            why="for 3 of 10 rounds", key=f"{part.pk}-{state}", at=now, changed_at=now, state=state,
            first_sent_at=now if state in (EntryState.SENDING, EntryState.UNKNOWN) else None,
        )  # fmt: skip
    Letter.objects.create(worker=part.worker, participation=part, text="Ĥéļļó", at=clock.now())
    check(client, f"/w/{token_of(part)}/finish/")
    own = f"/mine/{tokens.mint_for_worker(part.worker_id)}/"
    check(client, own)
    refused = client.post(own, {"text": "", "key": "none"})
    assert not unmarked.of_page(refused.content.decode())


@pytest.mark.parametrize("step", [Step.DEVICE, Step.STEPS, Step.ASK, Step.ASKED, Step.ANSWER, Step.ANSWERED, Step.QUIZ])
def test_every_step_of_a_lesson(client: Client, step: Step) -> None:
    study = unmarked.speak(learner.study(quiz=QUIZ))
    part = factories.participation(study, is_learning=True)
    lesson = Lesson.objects.create(
        participation=part, steps=[each.value for each in Step if each != Step.DONE], step=step, started_at=clock.now(),
        video=learner.sample(), beeps="23", device_report={"lacks": ["video", "sound", "screen"]}, device_tries=1,
    )  # fmt: skip
    lesson.practice = {"question": "Ẃĥó?", "reply": "Ñó.", "answer": "Ýéš.", "better": "Ṁ."}
    lesson.quiz_answers = [[0]] if step == Step.QUIZ else []
    lesson.quiz_right = 0
    lesson.save()
    page = client.get(f"/w/{token_of(part)}/learn/").content.decode()
    assert not unmarked.of_page(page)


def test_the_pages_of_who_works_alone(client: Client) -> None:
    study = unmarked.speak(watching.study(**PAID))
    watcher = watching.watcher(study)
    check(client, f"/w/{watcher.token}/watch/")
    watcher.begin()
    check(client, f"/w/{watcher.token}/watch/")
    refused = watcher.post("summarise", key=watching.KEY, text="Ñó")
    assert refused["code"] == "too_short"
    assert not unmarked.of_texts([refused["sentence"]])


def test_the_page_of_who_judges(client: Client) -> None:
    study = unmarked.speak(judging.study(**PAID))
    judge = judging.judge(study)
    check(client, f"/w/{judge.token}/judge/")
    judge.begin()
    page = client.get(f"/w/{judge.token}/judge/").content.decode()
    found = set(unmarked.of_page(page))
    assert found == {
        *Utterance.objects.values_list("text", flat=True)[:3],
        *Script.objects.values_list("text", flat=True),
    }


def test_the_waiting_room(client: Client) -> None:
    study = unmarked.speak(scene.study(videos=3, rounds=2, **PAID))
    newcomer = scene.newcomer(study)
    check(client, f"/w/{token_of(newcomer.participation)}/")
