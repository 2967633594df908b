"""Two workers of a study from right to left, in the language for tests: nothing is in English, and all is mirrored."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import unmarked
from tests.conftest import running
from tests.e2e.workers import SIZES, Pair, expect_move, roles, say, size, watch
from tests.product import Product, environment

SPEAK = """
from collector.studies.models import Study
from tests.unmarked import speak
speak(Study.objects.get(slug="demo"))
"""
TEXTS = """() => {
  const kept = "script, style, noscript, code, .line-text, #script-text, #text";
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  const texts = [document.title];
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(kept)) texts.push(walker.currentNode.data);
  for (const node of document.querySelectorAll("[aria-label], [alt], [title], [placeholder]")) {
    texts.push(node.ariaLabel ?? "", node.alt ?? "", node.title ?? "", node.placeholder ?? "");
  }
  return texts.filter((text) => text.trim());
}"""
"""All that a page says and is called by but what workers write and the script, which are in no language of ours."""


@pytest.fixture(scope="module")
def accented(tmp_path_factory: pytest.TempPathFactory, prepared_product: Product) -> Iterator[Product]:
    """The product with the language for tests, which is the demo study's."""
    var_dir = tmp_path_factory.mktemp("accented")
    for product in running(Product(var_dir, environment(var_dir, DEBUG="true")), prepared_product):
        product.manage("shell", "-c", SPEAK)
        yield product


def look(page: Page, *, mirrored: bool = False) -> None:
    """Expect no English, nothing cut off at a side, and the columns mirrored where there are two."""
    found = unmarked.of_texts(page.evaluate(TEXTS))
    assert not found, f"{page.url} says in English: {found}. Mark it for translation, then run make words."
    for name in ("wide", "phone"):
        page.set_viewport_size(size(name))  # type: ignore[arg-type]
        # From right to left a page that is too wide can be scrolled to the left.
        over = page.evaluate(
            "() => { scrollBy(-999, 0); const x = Math.abs(scrollX); scrollTo(0, 0);"
            " return Math.max(x, document.documentElement.scrollWidth - innerWidth); }"
        )
        assert over == 0, f"{page.url} is {over} px too wide in {SIZES[name]}"
    page.set_viewport_size(size("wide"))  # type: ignore[arg-type]
    if mirrored:
        assert left(page, ".media") > left(page, ".chat")
        assert left(page, "#composer [type=submit]") < left(page, "#text")


def left(page: Page, selector: str) -> float:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["x"]


def join(browser: Browser, product: Product, name: str, errors: list[str]) -> Page:
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{product.url}/join/demo/?participant={name}")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    look(page)
    page.locator("[name=consent]").check()
    page.locator(".consent [type=submit]").click()
    expect(page.locator("#room")).to_be_visible()
    return page


def test_from_the_invitation_to_the_end_nothing_is_in_english_and_all_is_mirrored(
    browser: Browser, accented: Product
) -> None:
    errors: list[str] = []
    one = join(browser, accented, "right-one", errors)
    look(one)
    workers = roles(one, join(browser, accented, "right-two", errors))
    talk(workers)
    report(workers.questioner)
    end(workers)
    assert errors == []


def talk(workers: Pair) -> None:
    """Refusals, a hint, a frame large, a round."""
    asker, teller = workers.questioner, workers.answerer
    for page in (asker, teller):
        look(page, mirrored=True)
    say(asker, "What moves first.")
    expect(asker.locator(".refusal-sentence")).not_to_be_empty()
    look(asker, mirrored=True)
    asker.locator("#text").fill("Is it at ada@example.org?")
    asker.locator("#text").press("Enter")
    expect(asker.locator("#caution")).not_to_be_empty()
    look(asker)
    asker.locator(".frame").first.click()
    name = asker.locator(".viewer-name")
    first = name.inner_text()
    asker.keyboard.press("ArrowLeft")  # onwards, from right to left
    expect(name).not_to_have_text(first)
    look(asker)
    asker.keyboard.press("Escape")
    say(asker, "What is the first thing to move?")
    expect_move(asker, "wait")
    watch(teller)
    expect_move(teller, "answer")
    say(teller, "No.")
    expect(teller.locator(".refusal-sentence")).not_to_be_empty()
    look(teller, mirrored=True)
    say(teller, "The red cube slides to the left first.")
    expect_move(asker, "ask")
    look(asker, mirrored=True)


def report(page: Page) -> None:
    """What is asked before leaving and reporting."""
    page.locator("#leave").click()
    look(page)
    page.locator("#leave-report").click()
    page.locator("[name=report][value=rude]").check()
    page.locator("#report-next").click()
    expect(page.locator("#report-said")).not_to_be_empty()
    look(page)
    page.locator("#report-back").click()
    page.locator("#report-back").click()


def end(workers: Pair) -> None:
    """One leaves, the other chooses; both come to a last page."""
    workers.questioner.locator("#leave").click()
    workers.questioner.locator("#leave-dialog [value=leave]").click()
    expect(workers.questioner.locator("#end-sentence")).not_to_be_empty()
    look(workers.questioner)
    expect(workers.answerer.locator("#choice-text")).not_to_be_empty()
    look(workers.answerer)
    workers.answerer.locator("#choose-end").click()
    workers.answerer.locator("#end-go").click()
    expect(workers.answerer.locator("#code")).not_to_be_empty()
    look(workers.answerer)
