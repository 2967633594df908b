"""The whole way in real browsers: launched, worked on in a marketplace's frame, reviewed, paid to the cent."""

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserType, Frame, Page, expect

from tests.e2e.workers import RESULTS, Pair, log_in, picture, roles, size, whole_dialog
from tests.localmarket.market import AMBER, DALE, EMBER, FERN, HAZEL, JADE, client_of
from tests.product import Product

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def browser_without_third_party_cookies(browser_type: BrowserType, browser_type_launch_args: dict[str, Any]) -> Any:
    """A Chromium that keeps a frame's cookies away, as all browsers are going to."""
    args = [*browser_type_launch_args.get("args", []), "--test-third-party-cookie-phaseout"]
    browser = browser_type.launch(**browser_type_launch_args | {"args": args})
    yield browser
    browser.close()


def market_url(product: Product) -> str:
    return product.env["LOCALMARKET_URL"]


def soon(check: Callable[[], bool], page: Page | None = None, seconds: float = 60) -> None:
    """Wait until something is true, reloading a page meanwhile."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.5)
        if page:
            page.reload()


def sign_in(browser: Browser, product: Product, worker_id: str) -> Page:
    page = browser.new_context(viewport=size("wide")).new_page()
    page.goto(f"{market_url(product)}/worker/")
    page.locator(f"button[value={worker_id}]").click()
    expect(page.get_by_role("heading", name="HITs for you")).to_be_visible()
    return page


def accept(page: Page) -> Frame:
    """Look at the preview, accept, agree in the frame, and wait in the room."""
    page.get_by_role("link", name="Preview").click()
    expect(page.frame_locator("iframe").get_by_text("This is a preview")).to_be_visible()
    page.get_by_role("button", name="Accept").first.click()
    inside = page.frame_locator("iframe[data-task]")
    inside.get_by_label("I am 18 or over").check()
    inside.get_by_role("button", name="Start").click()
    expect(inside.locator("#room")).to_be_visible()
    (frame,) = [each for each in page.frames if "/w/" in each.url]
    return frame


def submit(page: Page) -> None:
    inside = page.frame_locator("iframe[data-task]")
    inside.get_by_role("button", name="Submit your work").click(timeout=30_000)
    expect(page.get_by_text("The requester decides about it")).to_be_visible()


def look_at_the_review(desk: Page) -> None:
    """See and hear the video, read how the texts were written, and begin a rejection without meaning it."""
    expect(desk.get_by_text("It proves nothing")).to_be_visible()
    expect(desk.get_by_text("nothing pasted").first).to_be_visible()
    desk.screenshot(path=RESULTS / "review.png", full_page=True)
    desk.keyboard.press("j")
    picture(desk, "review")
    desk.keyboard.press("p")
    item = desk.locator(".review-item").first
    video = item.locator("video")
    expect(video).to_have_js_property("paused", False)
    expect(video).not_to_have_js_property("currentTime", 0)
    assert not video.evaluate("video => video.muted || video.volume === 0")
    desk.keyboard.press("p")
    expect(video).to_have_js_property("paused", True)
    desk.keyboard.press("r")
    desk.keyboard.type("This is only to see what it looks like; jxpa are letters here.")
    item.get_by_role("button", name="Look at it once more").click()
    expect(desk.get_by_role("heading", name="What they wrote")).to_be_visible()
    expect(desk.get_by_text("jxpa are letters here.")).to_be_visible()
    picture(desk, "reject")
    desk.get_by_role("link", name="No, back to the review").click()
    expect(desk.get_by_role("heading", name="2 submissions to review")).to_be_visible()


@pytest.mark.long_drill  # its steps are tested without a browser in every run
def test_a_study_is_launched_worked_reviewed_and_paid_to_the_cent(
    whole_product: Product, browser_without_third_party_cookies: Browser
) -> None:
    product, browser = whole_product, browser_without_third_party_cookies
    RESULTS.mkdir(exist_ok=True)
    desk = browser.new_context(viewport=size("wide")).new_page()
    log_in(desk, product, "/admin/hits/recruitment/")
    desk.get_by_role("link", name="Open").click()
    expect(desk.get_by_text("At least 95 % of their work was approved.")).to_be_visible()
    soon(lambda: not desk.get_by_text("not asked yet").is_visible(), desk)
    desk.get_by_role("button", name="Launch the pilot").click()
    soon(lambda: desk.get_by_role("heading", name="Recruiting: pilot batch").is_visible(), desk)
    desk.screenshot(path=RESULTS / "recruiting.png", full_page=True)

    for outsider in (DALE, EMBER, HAZEL, JADE):  # below 95 %, below 500, Mexico, Great Britain
        page = sign_in(browser, product, outsider)
        expect(page.get_by_text("Nothing is offered to you at the moment.")).to_be_visible()
        page.context.close()

    amber, fern = sign_in(browser, product, AMBER), sign_in(browser, product, FERN)
    frames = [accept(amber), accept(fern)]
    assert not amber.context.cookies(product.url), "the frame works without a cookie"
    pair: Pair = roles(*frames)
    amber.screenshot(path=RESULTS / "frame.png")
    whole_dialog(pair)
    for page in (amber, fern):
        submit(page)

    desk.get_by_role("link", name="Review").click()
    soon(lambda: desk.get_by_role("heading", name="2 submissions to review").is_visible(), desk)
    look_at_the_review(desk)
    desk.keyboard.press("j")
    desk.keyboard.press("x")
    desk.keyboard.press("j")
    desk.keyboard.press("x")
    desk.keyboard.press("a")
    desk.keyboard.type("2")
    desk.get_by_role("button", name="Approve and pay 2").click()
    expect(desk.get_by_text("2 submissions will be approved and paid.")).to_be_visible()

    speaks = client_of(market_url(product))
    expected = Decimal("9.00")  # two rewards of 4.00 and the summary's 1.00; nobody waited for a minute

    def books() -> Decimal:
        rows = httpx.get(f"{market_url(product)}/control/api/workers").json()
        return sum((Decimal(row["rewards"]) + Decimal(row["bonuses"]) for row in rows), Decimal(0))

    soon(lambda: books() == expected)
    printed = product.manage("statement", "--out", str(product.var_dir / "paid.csv"), "--state", "paid").stdout
    assert "Wrote 5 entries" in printed
    rows = (product.var_dir / "paid.csv").read_text().splitlines()[1:]
    assert sum(Decimal(row.split(",")[5]) for row in rows) == expected
    assert speaks.list_hits()["NumResults"] >= 2
    fern.goto(f"{market_url(product)}/worker/earnings")
    fern.screenshot(path=RESULTS / "earnings.png")
    desk.get_by_role("link", name="Launch and progress").click()
    expect(desk.get_by_text("$9.00")).to_be_visible()
    desk.get_by_role("link", name="Assignments", exact=True).click()
    expect(desk.get_by_text("2 assignments").first).to_be_visible()
    picture(desk, "assignments")
    desk.go_back()
    desk.get_by_role("link", name="HITs", exact=True).click()
    expect(desk.locator("#result_list .field-submitted", has_text="1")).to_have_count(2)
    picture(desk, "hits")
    assert "Traceback" not in product.log
