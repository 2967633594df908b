"""Of what one worker writes nothing runs at the other's page or at the desk, even where no policy forbids scripts."""

from playwright.sync_api import Browser, Page, expect

from tests.e2e.workers import expect_move, join, log_in, roles, say
from tests.product import Product

PLANTED = "<img src=x onerror='planted=1'><svg onload='planted=1'><script>planted=1</script>\"'><b onclick=planted=1>"
ASKED = f"What is {PLANTED}?"


def expect_as_typed(page: Page, text: str) -> None:
    """Expect a text on the page, and nothing that came of it: no element, no script that ran."""
    expect(page.get_by_text(text, exact=False).first).to_be_visible()
    assert page.evaluate("typeof planted") == "undefined"
    assert page.locator("[onerror], [onload], [onclick]").count() == 0


def test_what_a_worker_writes_runs_nowhere_without_a_policy_either(browser: Browser, product: Product) -> None:
    def anybody() -> Page:
        return join(browser.new_context(bypass_csp=True), product.url, f"markup-{len(browser.contexts)}")

    workers = roles(anybody(), anybody())
    for page in (workers.questioner, workers.answerer):
        page.evaluate("eval('checked = 1')")  # where a policy stood, this would fail, and the test show nothing
    expect_move(workers.questioner, "ask")
    say(workers.questioner, ASKED)
    for page in (workers.questioner, workers.answerer):
        expect_as_typed(page, ASKED)
        page.reload()
        expect_as_typed(page, ASKED)
    desk = browser.new_context(bypass_csp=True).new_page()
    log_in(desk, product, "/admin/chat/dialog/")
    desk.locator("#result_list tbody th a").first.click()
    expect_as_typed(desk, ASKED)
    desk.get_by_role("link", name="Second by second").click()
    desk.wait_for_url("**/desk/replay/**")
    desk.evaluate("document.querySelectorAll('[hidden]').forEach(each => { each.hidden = false; })")
    assert ASKED in desk.locator("body").inner_text()
    assert desk.evaluate("typeof planted") == "undefined"
    number = desk.url.split("/dialog/")[1].split("/")[0]
    desk.goto(f"{product.url}/desk/dialogs/{number}/watch/")
    expect_as_typed(desk, ASKED)
