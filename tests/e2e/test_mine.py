"""A worker at a real browser after the end: a tap, a line, their own page, a message; and who answers it."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.workers import log_in, picture, size
from tests.product import Product

pytestmark = pytest.mark.timeout(300)

MAKE = """
from collector.lib import clock
from collector.studies import outcomes, versions
from collector.studies.admission import token_of
from collector.studies.models import Collection, Outcome, Participation, State, Study, Worker
now = clock.now()
study = Study.objects.create(
    name="Mine", slug="mine", state=State.OPEN, created_at=now, reward="2.40",
    collection=Collection.objects.create(name="Mine", cap=5),
)
worker = Worker.objects.create(marketplace="link", environment="live", external_id="mine-1", created_at=now)
part = Participation.objects.create(
    study=study, version=versions.current(study), worker=worker, consent_digest="x", arrived_at=now, confirmed_at=now,
    rounds_done=10,
)
outcomes.end(part.pk, Outcome.COMPLETE)
print("TOKEN", token_of(part), worker.pk)
"""


def clean(page: Page) -> None:
    """Expect a page that a screen reader can read."""
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.fixture(scope="module")
def made(product: Product) -> tuple[str, str]:
    """Return the token of an ended participation, and its worker's number."""
    token, worker = product.manage("shell", "-c", MAKE).stdout.partition("TOKEN ")[2].split()
    return token, worker


def test_a_worker_taps_reads_what_they_get_writes_and_is_answered(
    browser: Browser, product: Product, made: tuple[str, str]
) -> None:
    token, worker = made
    page = browser.new_context(viewport=size("phone")).new_page()  # type: ignore[arg-type]
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(f"{product.url}/w/{token}/finish/")
    page.get_by_role("button", name="4 good").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Anything that we should know?").fill("Quick and clear.")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Anything that we should know?")).to_have_count(0)
    clean(page)
    page.get_by_role("link", name="Your tasks and your pay").click()
    expect(page.get_by_role("heading", name="Mine")).to_be_visible()
    page.get_by_label("Your message").fill("When is it paid?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Not answered yet.")).to_be_visible()
    clean(page)
    picture(page, "mine")

    desk = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    log_in(desk, product, f"/desk/workers/{worker}/")
    desk.get_by_text("Answer …").click()
    desk.get_by_label("Answer", exact=True).fill("On Friday.")
    desk.get_by_label("I have read it again").first.check()
    desk.get_by_role("button", name="Send the answer").click()
    expect(desk.get_by_text("Your answer stands on the worker's page.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("On Friday.")).to_be_visible()
    page.get_by_role("link", name="Withdraw it").click()
    expect(page.get_by_role("button", name="Withdraw")).to_be_visible()
    assert errors == []
