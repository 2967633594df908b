"""Does the monitor look again by itself, put in place only what is new, and leave the reader where they are?"""

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.product import BASE_DIR

ADDRESS = "http://desk.test/desk/monitor/1/"
PAGE = """<!doctype html><script type="module" src="/monitor.js"></script>
<p id="news" role="status" style="position: absolute"></p><p id="stale" hidden>This page could not be refreshed.</p>
<div style="height: 3000px"></div><div data-now="/now/">{parts}</div>"""
PARTS = """<section data-part="waiting" data-news="{waiting} waiting.">
<a id="seat-1" href="#">worker 1</a> <span>for {minutes} minutes</span></section>
<section data-part="funnel"><p>the same</p></section>"""


@pytest.mark.brings_about(r"ERR_FAILED.*/now/")
def test_only_what_is_new_is_put_in_place_and_said(browser: Browser) -> None:
    page, asked = browser.new_context().new_page(), []
    answers = [PARTS.format(waiting=1, minutes=2), PARTS.format(waiting=3, minutes=3)]

    def answer(route: Route) -> None:
        if route.request.url.endswith(".js"):
            route.fulfill(path=BASE_DIR / "static" / "js" / "desk" / "monitor.js", content_type="text/javascript")
        elif route.request.url == ADDRESS:
            route.fulfill(body=PAGE.format(parts=PARTS.format(waiting=1, minutes=1)), content_type="text/html")
        elif answers:
            asked.append(route.request.url)
            route.fulfill(body=answers.pop(0), content_type="text/html")
        else:
            route.abort()

    page.route("**/*", answer)
    page.clock.install()
    page.goto(ADDRESS)
    page.evaluate("document.querySelector('[data-part=funnel] p').isOld = true")
    page.locator("#seat-1").focus()
    scrolled = page.evaluate("scrollY")
    page.clock.run_for(5100)
    expect(page.get_by_text("for 2 minutes")).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("")  # that time passes is no news
    page.clock.run_for(5000)
    expect(page.get_by_text("for 3 minutes")).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("3 waiting.")
    expect(page.locator("#seat-1")).to_be_focused()
    assert page.evaluate("scrollY") == scrolled > 0
    assert page.evaluate("document.querySelector('[data-part=funnel] p').isOld"), "what is the same was not touched"
    expect(page.locator("#stale")).to_be_hidden()
    page.clock.run_for(5000)
    expect(page.locator("#stale")).to_be_visible()
    expect(page.get_by_text("for 3 minutes")).to_be_visible()
    assert asked == ["http://desk.test/now/"] * 2
