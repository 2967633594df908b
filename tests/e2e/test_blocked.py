"""Do workers get through where the network blocks websockets, and does a socket take over once it gets through?"""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, WebSocketRoute, expect

from tests.e2e.workers import a_round, expect_move, join, pair, roles, say, size, watch, whole_dialog
from tests.product import Product

SOCKETS = re.compile(r"/ws/chat/")


def blocked(browser: Browser) -> BrowserContext:
    """Return a browser in whose network sockets open and come to nothing."""
    context = browser.new_context(viewport=size("wide"))  # type: ignore[arg-type]
    context.route_web_socket(SOCKETS, lambda socket: socket.close())
    return context


def posts(page: Page) -> list[Request]:
    """Return a list that grows with each post of the page."""
    seen: list[Request] = []
    page.on("request", lambda request: seen.append(request) if request.url.endswith("/frames") else None)
    return seen


def test_two_people_hold_a_whole_dialog_where_sockets_are_blocked(browser: Browser, product: Product) -> None:
    pages = [join(blocked(browser), product.url, f"blocked-{side}") for side in "ab"]
    for page in pages:
        expect(page.locator("#room")).to_have_attribute("data-phase", "dialog", timeout=30_000)
    workers = roles(*pages)
    expect(workers.questioner.locator("#banner")).to_be_hidden()
    whole_dialog(workers, "Some shapes move on a plane one after the other, and at last a knock is heard.")


@pytest.mark.long_drill  # without a browser they talk in every run
def test_one_who_polls_talks_with_one_who_has_a_socket_and_leaves(browser: Browser, product: Product) -> None:
    network = blocked(browser)
    network.add_init_script("Math.random = () => 0.99")  # the longest pauses: time enough for the banner
    polling = join(network, product.url, "half-a")
    seen = posts(polling)
    expect(polling.locator("#banner")).to_be_visible()
    expect(polling.locator("#banner")).to_be_hidden(timeout=30_000)
    other = join(browser.new_context(viewport=size("wide")), product.url, "half-b")  # type: ignore[arg-type]
    workers = roles(polling, other)
    watch(workers.answerer)
    for number in (1, 2):
        a_round(workers, number)
    assert seen
    polling.get_by_role("button", name="Leave", exact=True).click()
    polling.locator("#leave-dialog").get_by_role("button", name="Leave").click()
    expect(polling.locator("#end-heading")).to_have_text("You have left")
    expect(other.get_by_role("heading", name="Your partner is gone")).to_be_visible()


def test_who_closes_a_page_that_polls_is_nobodys_partner(browser: Browser, product: Product) -> None:
    gone = join(blocked(browser), product.url, "gone")
    with gone.expect_request(
        lambda request: request.url.endswith("/frames") and '"frames":[]' in (request.post_data or "")
    ):
        pass
    gone.context.close()
    pair(browser, product.url, "meet")


def test_a_socket_takes_over_when_it_gets_through(browser: Browser, product: Product) -> None:
    workers = pair(browser, product.url, "back")
    page = workers.questioner
    is_blocked = True
    through: list[WebSocketRoute] = []

    def route(socket: WebSocketRoute) -> None:
        if is_blocked:
            socket.close()
        else:
            socket.connect_to_server()
            through.append(socket)

    page.route_web_socket(SOCKETS, route)
    page.clock.install()
    page.reload()
    seen = posts(page)
    say(page, "What is the first thing to move?")
    expect(workers.answerer.locator(".line-text")).to_have_text(["What is the first thing to move?"], timeout=30_000)
    is_blocked = False
    page.clock.fast_forward(61_000)
    page.wait_for_timeout(3_000)
    assert len(through) == 1
    expect(page.locator("#banner")).to_be_hidden()
    before = len(seen)
    watch(workers.answerer)
    expect_move(workers.answerer, "answer")
    say(workers.answerer, "It is the red cube, I think.")
    expect_move(page, "ask")
    say(page, "Where does it go then?")
    expect_move(workers.answerer, "answer")
    assert len(seen) == before
