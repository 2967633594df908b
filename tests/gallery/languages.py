"""Workers' pages in Spanish and from right to left, the latter in the language for tests."""

import tempfile
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.conftest import running
from tests.e2e.test_languages import SPEAK
from tests.e2e.workers import Pair, answer, expect_move, question, roles, say, watch
from tests.gallery.camera import Camera
from tests.product import Product, environment

SPANISH = """
from collector.studies import defaults
from collector.studies.models import Study
study = Study.objects.get(slug="demo")
for name, text in defaults.IN_LANGUAGE["es"][study.kind].items():
    setattr(study, name, text)
study.language, study.rounds, study.researcher = "es", 2, "Ada Example, ada@lab.example"
study.save()
"""
RIGHT_TO_LEFT = (
    SPEAK
    + """
Study.objects.filter(slug="demo").update(rounds=2)
"""
)


def spanish(camera: Camera) -> None:
    """A study in Spanish from the invitation to the worker's own page."""
    _in_language(camera, "Spanish", SPANISH)


def right_to_left(camera: Camera) -> None:
    """The same from right to left."""
    _in_language(camera, "From right to left", RIGHT_TO_LEFT)


def _in_language(camera: Camera, name: str, speak: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        own = Product(
            Path(folder), environment(Path(folder), DEBUG="true")
        )  # for which there is the language for tests
        for product in running(own, camera.product):
            product.manage("shell", "-c", speak)
            _from_the_invitation_to_the_end(replace(camera, product=product), name)


def _from_the_invitation_to_the_end(camera: Camera, name: str) -> None:
    with camera.pages(2) as pages:
        for number, page in enumerate(pages):
            camera.go(page, f"/join/demo/?participant=speaks-{number}")
            if not number:
                camera.take(page, name, "invitation")
            _agree(page)
            if not number:
                camera.take(page, name, "waiting")
        pair = roles(*pages)
        _talk(camera, pair, name)
        for page, role in ((pair.questioner, "Questioner"), (pair.answerer, "Answerer")):
            page.wait_for_url("**/finish/")
            camera.take(page, name, f"{role}, end")
        pair.questioner.locator("a[href*='/mine/']").first.click()
        pair.questioner.wait_for_url("**/mine/**")
        camera.take(pair.questioner, name, "own page")


def _agree(page: Page) -> None:
    page.locator("[name=consent]").check()
    page.locator(".consent [type=submit]").click()
    expect(page.locator("#room")).to_be_visible()


def _talk(camera: Camera, pair: Pair, name: str) -> None:
    camera.take(pair.questioner, name, "Questioner, first turn")
    pair.questioner.locator(".frame").first.click()
    camera.take(pair.questioner, name, "a frame, large")
    pair.questioner.keyboard.press("Escape")
    say(pair.questioner, question(1))
    expect_move(pair.questioner, "wait")
    watch(pair.answerer)
    expect_move(pair.answerer, "answer")
    say(pair.answerer, "No.")
    expect(pair.answerer.locator(".refusal-sentence")).not_to_be_empty()
    camera.take(pair.answerer, name, "Answerer, refused")
    say(pair.answerer, answer(1))
    expect_move(pair.questioner, "ask")
    say(pair.questioner, question(2))
    expect_move(pair.answerer, "answer")
    camera.take(pair.answerer, name, "Answerer, second round")
    say(pair.answerer, answer(2))
    expect_move(pair.questioner, "summarise")
    camera.take(pair.questioner, name, "Questioner, summary")
    say(pair.questioner, "Several coloured shapes stand on a plane, and some of them slide, turn and fly about.")


SCENES = [spanish, right_to_left]
