"""Does the form of a study show, while it is typed, what workers would see, and does nothing hostile run in it?"""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.access import barriers
from tests.e2e.workers import SIZES, log_in, size
from tests.product import Product

HOSTILE = """**Look closely.** <img src=x onerror="top.wasRun = true"> <script>top.wasRun = true</script>
[tap](javascript:top.wasRun=true)"""


def form_of_demo(page: Page, product: Product) -> None:
    """Open the form of the demo study as a researcher."""
    log_in(page, product, "/admin/studies/study/?slug=demo")
    page.get_by_role("link", name="Demo", exact=True).first.click()
    expect(page.get_by_role("heading", name="What workers would see")).to_be_visible()


def test_what_is_typed_is_shown_at_once_and_nothing_of_it_is_stored_or_run(browser: Browser, product: Product) -> None:
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    form_of_demo(page, product)
    shown = page.frame_locator(".draft-panel iframe")
    expect(shown.get_by_role("heading", level=1)).to_have_text("Find out together what happens in a short video")

    page.get_by_label("Questioner instructions:").fill(HOSTILE)  # and its page is chosen by itself
    task = shown.locator("#task .only-questioner")
    expect(task).to_contain_text("<script>")
    expect(task.locator("strong")).to_have_text("Look closely.")
    assert task.locator("img, script, a[href^=javascript]").count() == 0
    assert page.evaluate("window.wasRun") is None

    page.get_by_label("Quiz:", exact=True).fill("What is heard?\n- Rain\n- A knock")
    expect(page.locator(".draft-errors")).to_contain_text(
        "0 options are marked as right. Mark one with * instead of -."
    )
    page.get_by_label("Quiz:", exact=True).fill("What is heard?\n- Rain\n* A knock")
    expect(page.locator(".draft-errors")).to_have_text("")
    page.locator(".draft-views").get_by_role("button", name="Quiz").click()
    expect(shown.get_by_role("radio", name="A knock")).to_be_visible()

    page.get_by_label("Reward:").fill("0.01")  # little, however quick those were who took part before
    row = page.locator("[data-place=pay] tr", has_text="Answerer")
    expect(row).to_contain_text("✗ low")
    page.get_by_label("Reward:").fill("8")
    expect(row).to_contain_text("✓ fair")

    page.reload()
    expect(page.get_by_label("Reward:")).to_have_value("4.00")


def test_the_form_fits_every_window_and_keeps_nobody_out(browser: Browser, product: Product) -> None:
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    form_of_demo(page, product)
    for name in SIZES:
        page.set_viewport_size(size(name))  # type: ignore[arg-type]
        expect(page.locator(".draft-panel iframe")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"cut off on {name}"
    assert barriers(page) == []
    page.emulate_media(color_scheme="dark")
    page.reload()  # colours of the admin's links pass slowly from one scheme to the other
    expect(page.locator(".draft-panel iframe")).to_be_visible()
    assert barriers(page, only_colours=True) == []


@pytest.mark.brings_about("Content Security Policy", "Blocked script execution", "none.png")
def test_the_frame_runs_nothing_whatever_it_is_sent(browser: Browser, product: Product) -> None:
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    bad = """<h1>Bad</h1><script>top.wasRun = 1</script><svg onload="top.wasRun = 2"></svg>
        <a href="javascript:top.wasRun=3">go</a><img src="/static/none.png" onerror="top.wasRun = 4">"""
    answer = {"parts": "", "pages": [{"title": "Bad", "fields": [], "html": bad}]}
    page.route("**/desk/drafts/**", lambda route: route.fulfill(json=answer))
    form_of_demo(page, product)
    shown = page.frame_locator(".draft-panel iframe")
    expect(shown.get_by_role("heading", name="Bad")).to_be_visible()
    shown.get_by_role("link", name="go").click()
    assert page.evaluate("window.wasRun") is None
