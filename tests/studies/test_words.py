"""Is pay spoken of where there is pay, and only there? Every sentence and page that a worker of a study meets."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from chat import presence, snapshot
from collector.studies import outcomes, promises, versions
from collector.studies.admission import SENTENCES, Code, token_of
from collector.studies.models import Outcome, Participation, Study, Why
from tests import factories
from tests.chat import scene

OF_PAY = re.compile(r"\bpaid\b|\bpay\b|\bpays\b|\bearned\b|\$", re.IGNORECASE)
NOTE = "Your course counts it as one hour."
ENDS = [(outcome, why) for outcome in Outcome for why in ("", *Why)]


@pytest.fixture
def _living(db: None) -> None:
    presence.renew_lease()  # of the process that holds the seats


def content(**fields: Any) -> dict[str, Any]:
    return versions.DEFAULTS | fields


def text_of(page: str) -> str:
    """Return what a page says, without its markup and data."""
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", page)


@pytest.mark.parametrize(("outcome", "why"), ENDS)
def test_where_nothing_is_paid_no_end_speaks_of_pay(outcome: Outcome, why: str) -> None:
    heading, sentence = outcomes.words_of(outcome, why, content())
    assert not OF_PAY.search(f"{heading} {sentence}")
    assert sentence.endswith((".", "!"))
    assert not re.search(r"[{}]|  | \.", sentence)


@pytest.mark.parametrize(("outcome", "why"), ENDS)
def test_where_it_is_paid_every_end_says_so(outcome: Outcome, why: str) -> None:
    paying = content(reward="2.40", ending_pay="0.50", device_check=True)
    _, sentence = outcomes.words_of(outcome, why, paying)
    assert OF_PAY.search(sentence) or why == Why.NEVER_CAME, "who never came has earned nothing"
    assert "{" not in sentence


def test_the_study_s_own_sentence_stands_where_somebody_else_pays() -> None:
    assert NOTE in outcomes.words_of(Outcome.COMPLETE, "", content(pay_note=NOTE))[1]
    assert NOTE not in outcomes.words_of(Outcome.COMPLETE, "", content(pay_note=NOTE, reward="1.00"))[1]
    assert NOTE not in outcomes.words_of(Outcome.NO_PARTNER, "", content(pay_note=NOTE))[1], "nobody said so"
    assert promises.pay_rules(content(pay_note=NOTE)) == [NOTE]
    assert promises.pay_rules(content(pay_note=NOTE, reward="1.00"))[:2] == [
        NOTE, "$1.00 for your part of a whole dialog."
    ]  # fmt: skip


def test_who_comes_in_vain_is_told_of_pay_only_where_that_is_paid() -> None:
    only_dialogs = content(reward="2.40")
    assert not OF_PAY.search(outcomes.words_of(Outcome.NO_PARTNER, "", only_dialogs)[1])
    assert "again at any time" in outcomes.words_of(Outcome.NO_PARTNER, "", only_dialogs)[1]
    assert "paid" in outcomes.words_of(Outcome.COMPLETE, "", only_dialogs)[1]
    waits = content(waiting_pay="0.15")
    assert "paid" in outcomes.words_of(Outcome.NO_PARTNER, "", waits)[1]
    assert promises.pay_rules(waits) == ["$0.15 for each minute of waiting after the first."]
    assert "are paid for waiting" not in promises.in_words(only_dialogs)[0]
    assert "are paid for waiting" in promises.in_words(waits)[0]


def test_promises_are_whole_sentences_with_and_without_pay() -> None:
    for given in (content(), content(reward="2.40", waiting_pay="0.15")):
        for said in promises.in_words(given):
            assert re.fullmatch(r"[A-Z].*\.", said)
            assert not re.search(r" [,.]|  |\.\.", said)
    assert not OF_PAY.search(" ".join(promises.in_words(content())))
    assert "both are paid in full" in " ".join(promises.in_words(content(reward="2.40")))


@pytest.mark.parametrize("code", [Code.EXCLUDED, Code.NOBODY_WAITS])
def test_who_is_not_let_in_is_promised_no_pay(code: Code) -> None:
    assert "paid" not in SENTENCES[code]


def pages(client: Client, study: Study) -> dict[str, str]:
    """Return what the invitation, the waiting room, a dialog and its end say."""
    pair = scene.Pair(study)
    part = pair.questioner.participation
    found = {"invitation": f"/join/{study.slug}/", "room": f"/w/{token_of(part)}/"}
    said = {name: text_of(client.get(address).content.decode()) for name, address in found.items()}
    newcomer = scene.newcomer(study)
    said["waiting"] = text_of(client.get(f"/w/{token_of(newcomer.participation)}/").content.decode())
    pair.rounds(study.rounds)
    pair.say("summarise")
    said["end"] = text_of(client.get(f"/w/{token_of(part)}/finish/").content.decode())
    return said


@pytest.mark.usefixtures("_living")
def test_no_page_of_an_unpaid_study_speaks_of_pay(client: Client) -> None:
    for name, said in pages(client, scene.study(videos=3, rounds=1)).items():
        found = OF_PAY.search(said)
        assert not found, (name, found and said[max(0, found.start() - 80) : found.end() + 40])


@pytest.mark.usefixtures("_living")
def test_every_page_of_a_paid_study_does(client: Client) -> None:
    paying = scene.study(videos=3, rounds=1, reward=Decimal("2.40"), waiting_pay=Decimal("0.15"))
    said = pages(client, paying)
    assert "$2.40" in said["invitation"]
    assert "Leaving loses no pay" in said["invitation"]
    assert "both of you are paid" in said["room"]
    assert "End, paid" in said["waiting"]
    assert "You are paid for it as announced." in said["end"]


@pytest.mark.usefixtures("_living")
@pytest.mark.parametrize(("amounts", "pays", "for_waiting"), [
    ({}, False, False),
    ({"reward": Decimal("2.40")}, True, False),
    ({"reward": Decimal("2.40"), "ending_pay": Decimal("0.50")}, True, True),
])  # fmt: skip
def test_the_page_learns_whether_the_study_pays(amounts: dict[str, Decimal], pays: bool, for_waiting: bool) -> None:
    study = scene.study(**amounts)
    seen = snapshot.of(scene.newcomer(study).pk)
    assert seen.wait is not None
    assert (seen.pays, seen.wait.pays) == (pays, for_waiting)
    pair = scene.Pair(scene.study(**amounts))
    assert snapshot.of(pair.questioner.pk).pays is pays


@pytest.mark.django_db
def test_a_version_from_before_the_sentence_is_read_without_one() -> None:
    part = factories.participation(outcome=Outcome.COMPLETE)
    old = {name: value for name, value in part.version.content.items() if name != "pay_note"}
    type(part.version).objects.update(content=old)
    found = Participation.objects.select_related("version").get()
    assert outcomes.words_of(Outcome.COMPLETE, "", versions.content_of(found.version))[1].endswith("stored.")
