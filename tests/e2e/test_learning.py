"""A new worker at a real browser: check, steps, practice, quiz, waiting room; and one whose device does not fit."""

import sqlite3

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from collector.lib import sealed
from tests.e2e.workers import picture, say, size, watch
from tests.learning.learner import QUIZ
from tests.product import Product

MAKE = f"""
from collector.catalogue.models import Video
from collector.lib import clock
from collector.studies.models import Collection, State, Study, StudyVideo
study = Study.objects.create(
    name="Learning", slug="learning", state=State.OPEN, created_at=clock.now(), device_check=True, practice=True,
    quiz={QUIZ!r}, collection=Collection.objects.create(name="Learning", cap=5), reward="2.40",
)
StudyVideo.objects.create(study=study, video=Video.objects.order_by("image_id").last(), wanted=None)
"""

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module", autouse=True)
def _study(product: Product) -> None:
    product.manage("shell", "-c", MAKE)


def begin(browser: Browser, product: Product, name: str) -> Page:
    """Go from the invitation to the check of the device."""
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    page.goto(f"{product.url}/join/learning/?participant={name}")
    page.get_by_label("I am 18 or over").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Check your sound and screen")).to_be_visible()
    return page


def played(product: Product, name: str) -> str:
    """Return how many beeps a worker's present clip plays: it is told to no page."""
    query = (
        "SELECT l.beeps FROM learning_lesson l JOIN studies_participation p ON p.id = l.participation_id"
        " JOIN studies_worker w ON w.id = p.worker_id WHERE w.external_digest = ?"
    )
    with sqlite3.connect(product.var_dir / "collector.sqlite3") as database:
        digest = sealed.digests(name, "studies.worker.external_id")[0]
        return str(database.execute(query, (digest,)).fetchone()[0])


def check(page: Page, heard: str) -> None:
    """Play the clip and give the numbers."""
    expect(page.locator("#check-socket")).to_have_attribute("data-state", "good")
    watch(page)
    expect(page.locator("#check-video")).to_have_attribute("data-state", "good")
    page.get_by_label("First group").fill(heard[0])
    page.get_by_label("Second group").fill(heard[1])
    page.get_by_label("Second group").press("Enter")


def look(page: Page, name: str) -> None:
    """Keep what a page looks like, and find nothing in it that keeps somebody out."""
    picture(page, f"learning-{name}")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def choose(page: Page, *options: str) -> None:
    """Answer the quiz."""
    for option in options:
        page.get_by_label(option).check()
    page.get_by_role("button", name="Hand in").click()


def test_from_the_check_to_the_waiting_room(browser: Browser, product: Product) -> None:
    page = begin(browser, product, "learner-1")
    look(page, "device")
    check(page, "00")
    expect(page.get_by_role("alert")).to_contain_text("These are not the numbers of beeps")
    check(page, played(product, "learner-1"))

    expect(page.get_by_role("heading", name="How it works, in three steps")).to_be_visible()
    look(page, "steps")
    page.get_by_role("button", name="Try it").click()

    expect(page.locator(".practice-note")).to_contain_text("Your partner here is a program")
    say(page, "Is there a sofa?")
    expect(page.locator("#advice")).to_contain_text("a bare yes or no")
    expect(page.locator("#text")).to_be_focused()
    expect(page.locator("#text")).to_have_value("Is there a sofa?")
    look(page, "ask")
    say(page, "What happens first in the video?")
    expect(page.locator(".talk-line--answerer")).to_contain_text("First of all, the")
    page.reload()
    page.get_by_role("button", name="Now try to answer").click()

    watch(page)
    say(page, "Yes")
    expect(page.locator("#advice")).to_contain_text("A bare yes or no is no answer here.")
    look(page, "answer")
    say(page, "First of all a large shape slides to the left.")
    page.get_by_role("button", name="Finish the practice").click()

    choose(page, "The script", "The Answerer")
    expect(page.get_by_role("alert")).to_contain_text("0 of 2 right.")
    look(page, "quiz")
    choose(page, "Three still frames of it", "The Questioner")
    expect(page.locator("#room")).to_have_attribute("data-phase", "waiting")
    expect(page.get_by_role("heading", name="Looking for your partner")).to_be_visible()

    expect(page.locator("#turn-text")).to_have_text("Looking for a partner for you.")  # its script is there
    page.get_by_role("button", name="Practise again while you wait").click()
    practice = page.frame_locator("iframe[title='Practice with a program']")
    practice.get_by_label("Your question").fill("What happens first in the video?")
    practice.get_by_label("Your question").press("Enter")
    expect(practice.get_by_text("Well asked.")).to_be_visible()
    expect(page.locator("#room")).to_have_attribute("data-phase", "waiting")
    page.get_by_role("button", name="Close the practice").click()
    expect(page.get_by_role("region", name="Practice")).to_be_hidden()


def test_who_cannot_hear_ends_paid(browser: Browser, product: Product) -> None:
    page = begin(browser, product, "learner-2")
    check(page, "00")
    page.get_by_role("button", name="I cannot mend this: end, paid $0.10").click()
    page.wait_for_url("**/finish/")
    expect(page.get_by_role("heading", name="Thank you for trying")).to_be_visible()
    expect(page.get_by_text("You are paid for it as announced.")).to_be_visible()
    expect(page.locator("#code")).not_to_be_empty()
