"""Does axe find anything on the main pages of workers, in light and dark? `make gallery` asks it of every state."""

from playwright.sync_api import Browser, Page, expect

from tests.e2e.access import barriers
from tests.e2e.test_limits import leave
from tests.e2e.workers import pair, say, size
from tests.product import Product


def look(page: Page) -> None:
    """Expect nothing that keeps somebody out."""
    assert barriers(page) == []
    page.emulate_media(color_scheme="dark")
    assert barriers(page, only_colours=True) == []
    page.emulate_media(color_scheme="light")


def test_axe_finds_nothing_from_the_invitation_to_the_end(browser: Browser, product: Product) -> None:
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    page.goto(f"{product.url}/join/demo/?participant=accessible")
    look(page)
    page.get_by_label("I am 18 or over").check()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#room")).to_have_attribute("data-phase", "waiting")
    look(page)
    page.context.close()

    workers = pair(browser, product.url, "accessible")
    say(workers.questioner, "What is the first thing to move.")
    expect(workers.questioner.locator(".refusal-sentence")).to_be_visible()
    look(workers.questioner)
    workers.questioner.locator("#text").press("Enter")
    expect(workers.answerer.locator(".line-text")).to_have_count(1)
    look(workers.answerer)
    leave(workers.questioner)
    workers.answerer.get_by_role("button", name="End and be paid").click()
    workers.answerer.get_by_role("link", name="Go on").click()
    expect(workers.answerer.locator("#code")).not_to_be_empty()
    look(workers.answerer)
