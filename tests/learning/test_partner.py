"""Does the program of the practice tell the truth in the study's language, and know its words in what people write?"""

import pytest
from django.core.exceptions import ValidationError

from collector.catalogue.scenes import SAMPLES, make_scene
from collector.learning import partner, practising
from collector.lib import languages
from collector.studies.models import Kind
from tests import factories
from tests.learning.learner import learner, sample, study

SCENE = make_scene(11)


@pytest.mark.parametrize(
    ("language", "question", "reply"),
    [
        ("en", "What happens first?", "First of all, the medium yellow cylinder rotates on the spot."),
        ("en", "What does the ball do?", "In the video the large cyan sphere slides to the back."),
        ("en", "How many objects are there?", "There are 4 objects on the plane."),
        ("es", "¿Qué pasa al final?", "Lo último es que el cubo pequeño de color morado gira sin moverse de su sitio."),
        ("es", "¿Qué hace la bola?", "En el video, la esfera grande de color celeste se desliza hacia atrás."),
        ("es", "¿Qué vuela?", "En el video, el cubo pequeño de color morado vuela por el aire hacia atrás."),
        ("es", "¿Qué hace el cono?", "Todo el tiempo, el cono grande de color naranja está sin moverse."),
    ],
)
def test_it_answers_what_it_is_asked(language: str, question: str, reply: str) -> None:
    with languages.speaking(language):
        assert practising.about_question(question) == ""
        assert partner.reply(SCENE, question) == reply


@pytest.mark.parametrize("seed", SAMPLES.values())
@pytest.mark.parametrize("language", ["en", "es"])
def test_it_finds_nothing_amiss_in_what_it_says_itself(language: str, seed: int) -> None:
    scene = make_scene(seed)
    with languages.speaking(language):
        for number in range(len(scene.events)):
            assert practising.about_answer(partner.script(scene).split(". ")[number]) == ""
        assert len(partner.script(scene).split(". ")) == len(scene.events)


@pytest.mark.django_db
def test_a_practice_in_spanish() -> None:
    made = learner(study(language="es-MX", device_check=False, quiz="", answerer_sees_script=True))
    made.post("steps")
    made.post("ask", text="¿Hay una esfera?")
    assert "un simple sí o no" in made.lesson.practice["advice"]
    made.post("ask", text="¿Qué pasa primero en el video?")
    assert made.lesson.practice["reply"].startswith("En primer lugar, el cilindro")
    made.post("asked")
    page = made.get().content.decode()
    assert "¿Qué ocurre primero en el video?" in page
    assert "Después, la esfera grande de color celeste se desliza hacia atrás." in page
    made.post("answer", text="Sí, claro que sí.")
    assert "Diga en una frase completa" in made.lesson.practice["advice"]
    made.post("answer", text="Primero gira un cilindro amarillo y después vuela un cubo.")
    assert made.lesson.practice["better"].startswith("En primer lugar, el cilindro")


@pytest.mark.django_db
def test_a_study_whose_language_it_does_not_speak_is_refused() -> None:
    sample()
    for language in ("es", "es-MX", "en-GB"):
        factories.study(language=language, practice=True).clean()
    with pytest.raises(ValidationError, match="does not speak 'pt-BR'"):
        factories.study(language="pt-BR", practice=True).clean()
    factories.study(language="pt-BR", practice=True, kind=Kind.SUMMARY).clean()
