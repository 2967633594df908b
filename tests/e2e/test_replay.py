"""A researcher moves through a replay: by slider and keyboard, by playing, by a row, and without scripts."""

import json

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.workers import log_in, picture, size
from tests.product import Product

MAKE = """
import json
from datetime import timedelta
from chat.models import DialogEvent, Seat, Utterance
from collector.catalogue.models import Script, Video
from collector.studies.models import Study
from tests import factories
video = Video.objects.order_by("duration").first()
rounds = [("What moves first?", "A red cube slides to the left side."), ("And what is heard?", "Two knocks are heard.")]
study = Study.objects.get(slug="demo")
dialog = factories.finished_dialog(rounds, study=study, video=video, is_simulated=True)
start = dialog.started_at
dialog.ended_at = start + timedelta(seconds=100)
dialog.save()
Seat.objects.filter(dialog=dialog).update(closed_at=dialog.ended_at, entered_at=start - timedelta(seconds=190))
evidence = {"to_first_key": 4.0, "to_send": 13.0, "pastes": [20], "focus_losses": 1, "corrections": 2}
Utterance.objects.filter(dialog=dialog).update(evidence=evidence)
Seat.objects.filter(dialog=dialog, role="answerer").update(closed_at=start + timedelta(seconds=80))
seat = Seat.objects.get(dialog=dialog, role="questioner")
for version, kind, second in ((20, "lost", 62), (21, "returned", 70)):
    DialogEvent.objects.create(
        dialog=dialog, version=version, kind=kind, seat=seat, at=start + timedelta(seconds=second)
    )
print(json.dumps({"dialog": dialog.pk}))
"""

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def path(product: Product) -> str:
    made = json.loads(product.manage("shell", "-v", "0", "-c", MAKE).stdout.strip().splitlines()[-1])
    return f"/desk/replay/dialog/{made['dialog']}/"


def column(page: Page, role: str) -> str:
    return " ".join(page.locator(f".replay-column--{role}").inner_text().split())


def test_the_slider_shows_what_each_saw_at_a_second(browser: Browser, product: Product, path: str) -> None:
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    log_in(page, product, path)
    expect(page.locator("#replay-clock")).to_have_text("0:00 of 1:40")
    assert "What moves first?" not in column(page, "answerer")
    assert "To watch the video first." in column(page, "answerer")

    slider = page.locator("#replay-slider")
    slider.fill("50")
    assert "To write: Question 2. 0:40 to 1:00" in column(page, "questioner")
    assert "A red cube slides" in column(page, "questioner")
    assert "And what is heard?" not in column(page, "answerer")
    slider.press("ArrowRight")
    expect(page.locator("#replay-clock")).to_have_text("0:51 of 1:40")
    expect(slider).to_have_attribute("aria-valuetext", "0:51: First key of Question 2")
    slider.fill("65")
    assert "Connection lost" in column(page, "questioner")
    picture(page, "replay")
    slider.press("End")
    assert "Summary" in column(page, "questioner")
    assert "Summary" not in column(page, "answerer")
    assert "From 1:20 on neither frames nor video." in column(page, "answerer")

    page.get_by_role("button", name="Go to 0:30, The video had played to its end").click()
    expect(page.locator("#replay-clock")).to_have_text("0:30 of 1:40")
    page.get_by_text("16×").click()
    page.locator("#replay-play").click()
    expect(page.locator("#replay-clock")).to_have_text("1:40 of 1:40")
    expect(page.locator("#replay-play")).to_have_attribute("aria-pressed", "false")
    assert said == []


def test_an_address_names_a_round_to_begin_at(browser: Browser, product: Product, path: str) -> None:
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    log_in(page, product, path)
    page.goto(f"{product.url}{path}?round=2#round-2")
    expect(page.locator("#replay-clock")).to_have_text("1:00 of 1:40")


def test_without_scripts_all_stands_there(browser: Browser, product: Product, path: str) -> None:
    page = browser.new_context(java_script_enabled=False, viewport=size("phone")).new_page()  # type: ignore[arg-type]
    log_in(page, product, path)
    expect(page.locator(".replay-controls")).to_be_hidden()
    assert "Two knocks are heard." in column(page, "answerer")
    assert page.locator(".replay-table tbody tr").count() == 19
