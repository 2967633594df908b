"""Is a worker spoken to in the language of their study, on every way to them, and does nobody else's language stay?"""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from chat import presence, snapshot
from collector.lib import languages, tokens
from collector.studies import defaults, defaults_es, versions
from collector.studies.admission import token_of
from collector.studies.models import Kind, Outcome, Study
from hits import launching, letters, offers
from hits.models import EntryKind, LedgerEntry, Letter
from tests import factories
from tests.chat import scene

pytestmark = pytest.mark.django_db
SPANISH = {"language": "es-MX"}
PAID = {"reward": Decimal("2.40"), "summary_bonus": Decimal("0.30"), "waiting_pay": Decimal("0.15"),
        "ending_pay": Decimal("0.50")}  # fmt: skip
TEXTS = (
    "title",
    "instructions",
    "questioner_instructions",
    "answerer_instructions",
    "summary_instructions",
    "purpose",
    "risks",
)


@pytest.fixture(autouse=True)
def _living() -> None:
    presence.renew_lease()  # of the process that holds the seats


def content_of(response: Any) -> str:
    return str(response.content.decode())


def test_a_page_is_in_the_language_of_its_study_and_the_next_one_is_not(client: Client) -> None:
    spanish, english = factories.study(**SPANISH), factories.study()
    assert '<html lang="es" dir="ltr">' in content_of(client.get(f"/join/{spanish.slug}/"))
    assert "Lo que usted acepta" in content_of(client.get(f"/join/{spanish.slug}/"))
    assert '<html lang="en" dir="ltr">' in content_of(client.get(f"/join/{english.slug}/"))
    assert translation.get_language() == "en"


def test_a_participation_keeps_the_language_that_it_began_in(client: Client) -> None:
    study = factories.study(**SPANISH)
    part = factories.participation(study, outcome=Outcome.COMPLETE)
    Study.objects.filter(pk=study.pk).update(language="en")
    said = content_of(client.get(f"/w/{token_of(part)}/finish/"))
    assert "Gracias, todo está hecho" in said
    assert "¿Qué tal fue?" in said
    assert "Sus tareas y sus pagos" in content_of(client.get(f"/mine/{tokens.mint_for_worker(part.worker_id)}/"))


def test_who_is_not_let_in_reads_why(client: Client) -> None:
    closed = factories.study(state="closed", **SPANISH)
    assert "Este estudio ha terminado." in content_of(client.get(f"/join/{closed.slug}/"))
    assert "no lleva a ningún estudio" in content_of(client.get("/join/none/", headers={"Accept-Language": "es"}))
    assert "does not lead to a study" in content_of(client.get("/join/none/", headers={"Accept-Language": "ja"}))
    assert "no es válido" in content_of(client.get("/w/no-token/", headers={"Accept-Language": "es"}))


def test_an_end_and_a_refusal_are_said_to_each_partner_in_the_language_of_their_study() -> None:
    pair = scene.Pair(scene.study(**SPANISH))
    (seen,) = snapshot.of_all([pair.questioner.pk])
    assert seen.language == "es-MX"
    pair.rounds(10)
    pair.say("summarise")
    end = snapshot.of(pair.answerer.pk).end
    assert end is not None
    assert end.heading == "Gracias, todo está hecho"


def test_a_preview_a_compensation_and_a_message_are_in_it() -> None:
    study = factories.study(**SPANISH, **PAID)
    assert "Esta es una vista previa." in launching.preview_page(study)
    with translation.override("en"):
        assert offers._pay_in_words(study).startswith("Paga 2,40")
    part = factories.participation(study, outcome=Outcome.COMPLETE)
    letter = Letter(worker=part.worker)
    assert letters._subject(letter) == "Sobre su mensaje"
    assert versions.language_of(factories.worker()) == ""


def test_the_ledger_stays_english_whoever_ends_it(client: Client) -> None:
    study = factories.study(**SPANISH, **PAID)
    part = factories.participation(study, outcome=Outcome.COMPLETE, rounds_done=10)
    client.post(f"/w/{token_of(part)}/finish/", {"withdraw": "yes"})
    assert LedgerEntry.objects.get(kind=EntryKind.REWARD).why == "for the dialog"
    assert "por el diálogo" in content_of(client.get(f"/mine/{tokens.mint_for_worker(part.worker_id)}/"))


@pytest.mark.parametrize("kind", Kind)
def test_a_new_study_in_spanish_has_its_texts_in_spanish(kind: Kind) -> None:
    made, english = factories.study(kind=kind, **SPANISH), factories.study(kind=kind)
    for name in TEXTS:
        assert getattr(made, name) == defaults_es.OF_KIND[kind][name]
        assert getattr(made, name) != getattr(english, name), name
    assert made.minutes == english.minutes, "numbers are those of the kind"


def test_what_a_researcher_wrote_stays_and_what_a_form_gave_back_unchanged_does_not() -> None:
    form = defaults.INSTRUCTIONS.strip().replace("\n", "\r\n")
    made = factories.study(title="Hola", instructions=form, **SPANISH)
    assert made.title == "Hola"
    assert made.instructions == defaults_es.DIALOG["instructions"]


def test_an_amount_keeps_its_order_in_a_text_from_right_to_left() -> None:
    with languages.speaking("ar-xb"):
        said = languages.dollars("4.00")
    assert (said[0], said[-1]) == ("\u2066", "\u2069")
    assert "4.00" in said
    with languages.speaking("es"):
        assert languages.dollars("4.00") == "4,00\xa0US$"
