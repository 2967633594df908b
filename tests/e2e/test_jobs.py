"""Does a page look again by itself while the worker process is at something, and keep what a person is typing?"""

from playwright.sync_api import Browser, Route, expect

from tests.product import BASE_DIR

ADDRESS = "http://desk.test/desk/exports/"
PAGE = """<!doctype html><script type="module" src="/jobs.js"></script>
<input aria-label="Seed"><section data-jobs="{under_way}"><p>{said}</p></section>"""


def test_a_page_looks_again_until_the_work_is_done(browser: Browser) -> None:
    page, asked = browser.new_context().new_page(), []
    answers = [("under way", "30 of 110"), ("under way", "80 of 110"), ("", "Done.")]

    def answer(route: Route) -> None:
        if route.request.url.endswith(".js"):
            route.fulfill(path=BASE_DIR / "static" / "js" / "desk" / "jobs.js", content_type="text/javascript")
            return
        under_way, said = answers[min(len(asked), 2)]
        asked.append(route.request.url)
        route.fulfill(body=PAGE.format(under_way=under_way, said=said), content_type="text/html; charset=utf-8")

    page.route("**/*", answer)
    page.clock.install()
    page.goto(ADDRESS)
    page.get_by_label("Seed").fill("42")
    page.clock.run_for(3100)
    expect(page.get_by_text("80 of 110")).to_be_visible()
    page.clock.run_for(3100)
    expect(page.get_by_text("Done.")).to_be_visible()
    page.clock.run_for(9300)
    expect(page.get_by_label("Seed")).to_have_value("42")
    assert asked.count(ADDRESS) == 3
