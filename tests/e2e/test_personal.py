"""What looks personal is asked about before it is sent, once; whoever presses again sends it as it is."""

import re
import sqlite3

from playwright.sync_api import Browser, Page, expect

from tests.e2e.workers import SUMMARY, a_round, expect_move, pair, picture, say, watch
from tests.product import Product

MAIL = "Write to anna@mail.example, what do you see?"
PHONE = "I see a van with 555-1234 on its side."


def expect_asked(page: Page, what: str, text: str) -> None:
    """Expect the hint, read out where the text is, and the text kept where it was."""
    expect(page.locator("#composer").get_by_role("status")).to_contain_text(f"This looks like {what}.")
    expect(page.get_by_role("button", name="Send as it is")).to_be_visible()
    expect(page.locator("#text")).to_have_value(text)
    expect(page.locator("#text")).to_be_focused()
    expect(page.locator("#text")).to_have_accessible_description(re.compile(f"^This looks like {what}."))


def press_again(page: Page) -> None:
    """Press Enter as somebody does who has read: a second press in the same moment counts as the first."""
    page.wait_for_timeout(800)
    page.locator("#text").press("Enter")


def test_what_looks_personal_is_asked_about_once_and_sent_as_it_is(browser: Browser, own_product: Product) -> None:
    with sqlite3.connect(own_product.var_dir / "collector.sqlite3", timeout=20) as database:
        database.execute("UPDATE studies_study SET rounds = 2 WHERE slug = 'demo'")
    database.close()
    workers = pair(browser, own_product.url, "personal")
    questioner, answerer = workers.questioner, workers.answerer
    watch(answerer)
    caution = questioner.locator("#caution")
    say(questioner, MAIL)
    expect_asked(questioner, "an e-mail address", MAIL)
    questioner.locator("#text").press("Enter")  # a trembling key
    expect_asked(questioner, "an e-mail address", MAIL)
    picture(questioner, "personal")
    expect(questioner.locator(".line")).to_have_count(0)

    questioner.locator("#text").fill("What do you see?")
    expect(caution).to_be_empty()
    expect(questioner.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    questioner.locator("#text").press("Enter")
    expect(answerer.locator(".line-text")).to_have_text(["What do you see?"])

    expect_move(answerer, "answer")
    say(answerer, PHONE)
    expect_asked(answerer, "a phone number", PHONE)
    press_again(answerer)
    expect(questioner.locator(".line-text").last).to_have_text(PHONE)
    expect(answerer.locator("#caution")).to_be_empty()

    a_round(workers, 2)
    expect_move(questioner, "summarise")
    text = f"{SUMMARY} The van says www.example.org on its side."
    say(questioner, text)
    expect_asked(questioner, "a web address", text)
    picture(questioner, "personal-summary")
    questioner.wait_for_timeout(800)
    questioner.get_by_role("button", name="Send as it is").press("Enter")
    questioner.wait_for_url("**/finish/")
