"""The worker's room on a bad network, and in colours of the reader's own."""

import re
import sqlite3

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e import quick
from tests.e2e.quick import ROUNDS, new_page, two
from tests.e2e.workers import RESULTS, SUMMARY, answer, expect_move, join, question, roles, say, watch
from tests.product import Product

SLOW = {"latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
"""Milliseconds, and bytes a second."""

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module", autouse=True)
def _study(product: Product) -> None:
    quick.make_study(product)


def slow_down(page: Page) -> None:
    """Let a page have a bad network from now on, and nothing from its cache."""
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    network.send("Network.emulateNetworkConditions", {"offline": False, **SLOW})


@pytest.mark.long_drill
def test_a_whole_dialog_over_a_slow_network(browser: Browser, product: Product) -> None:
    pages = [join(new_page(browser).context, product.url, f"slow-{n}", study="room") for n in range(2)]
    workers = roles(*pages)
    for page in pages:
        slow_down(page)
        page.reload(wait_until="commit")
        expect(page.locator("#room")).to_have_attribute("data-phase", "dialog")
    expect_move(workers.questioner, "ask")
    say(workers.questioner, question(1))  # nothing waits for the media
    expect(workers.answerer.locator(".line-text")).to_have_text([question(1)])
    watch(workers.answerer)
    for number in range(1, ROUNDS + 1):
        if number > 1:
            expect_move(workers.questioner, "ask")
            say(workers.questioner, question(number))
        expect_move(workers.answerer, "answer")
        say(workers.answerer, answer(number))
    said = [text(number) for number in range(1, ROUNDS + 1) for text in (question, answer)]
    for page in pages:
        expect(page.locator(".line-text")).to_have_text(said)
    expect_move(workers.questioner, "summarise")
    say(workers.questioner, SUMMARY)
    for page in pages:
        page.wait_for_url("**/finish/")
    assert stored(product) == [*said, SUMMARY]


def stored(product: Product) -> list[str]:
    """Return all texts of the dialog that was the last to be held to its end."""
    query = (
        "SELECT text FROM chat_utterance WHERE dialog_id = (SELECT id FROM chat_dialog WHERE is_complete"
        " ORDER BY ended_at DESC LIMIT 1) ORDER BY position"
    )
    with sqlite3.connect(product.var_dir / "collector.sqlite3", timeout=20) as database:
        rows = database.execute(query).fetchall()
    database.close()
    return [text for (text,) in rows]


def test_media_have_their_place_and_say_that_they_load(browser: Browser, product: Product) -> None:
    workers = two(browser, product, "media")
    held: list[Route] = []
    for page in (workers.questioner, workers.answerer):
        page.route(re.compile(r"/(frame/\d|video)$"), lambda route: held.append(route))
        page.reload(wait_until="commit")
    note, loads = workers.answerer.locator(".player-note"), workers.questioner.locator(".frame-loads")
    expect(note).to_have_text("The video is loading. You can play it in a moment.")
    expect(loads).to_have_text("Loading …")
    media = [workers.answerer.locator("video"), workers.questioner.locator(".frame img")]
    places = [each.bounding_box() for each in media]
    assert all(place and place["height"] > 100 for place in places)
    for route in held:
        route.continue_()
    expect(note).to_have_text("")
    expect(loads).to_have_count(0)
    assert [each.bounding_box() for each in media] == places


def test_with_the_readers_own_colours_what_carries_meaning_is_seen(browser: Browser, product: Product) -> None:
    workers = two(browser, product, "forced")
    asks, answers = workers.questioner, workers.answerer
    for page in (asks, answers):
        page.emulate_media(forced_colors="active")
    assert style(asks, ".turn-mark", "borderTopColor") == "rgba(0, 0, 0, 0)", "one's own turn is marked by a triangle"
    assert style(asks, ".ticks .now", "backgroundColor") != style(asks, ".ticks .now + i", "backgroundColor")
    say(asks, question(1))
    expect_move(asks, "wait")
    assert style(asks, ".turn-mark", "borderTopColor") == style(asks, ".turn-mark", "borderLeftColor")
    watch(answers)
    say(answers, answer(1))
    expect(asks.locator(".line")).to_have_count(2)
    own, partner = (asks.locator(f".line--{whose}").bounding_box() for whose in ("own", "partner"))
    assert own
    assert partner
    assert own["x"] > partner["x"]
    for part in (".line--own", ".line--partner", "#leave"):
        assert style(asks, part, "borderTopStyle") == "solid"
        assert style(asks, part, "borderTopColor") != style(asks, part, "backgroundColor")
    asks.locator("#text").press("Shift+Tab")
    assert style(asks, ":focus-visible", "outlineStyle") == "solid"
    answers.get_by_role("button", name="Half speed").click()
    assert style(answers, "[data-do=slow][aria-pressed=true]", "outlineStyle") == "solid"
    RESULTS.mkdir(exist_ok=True)
    for page, name in ((asks, "asks"), (answers, "answers")):
        page.screenshot(path=RESULTS / f"forced-colours-{name}.png")
    here = style(asks, ".dot", "backgroundColor")
    answers.goto("about:blank")
    expect(asks.locator("#partner")).to_have_attribute("data-state", "away")
    assert style(asks, ".dot", "backgroundColor") != here


def style(page: Page, selector: str, name: str) -> str:
    """Return a computed style of the first that fits."""
    return str(page.locator(selector).first.evaluate("(node, name) => getComputedStyle(node)[name]", name))
