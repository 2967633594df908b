"""Who uses a page by keyboard alone, and who has only what a screen reader tells: names and announcements."""

import re

from playwright.sync_api import Page

MOST_TABS = 60
PATIENCE = 300
"""Tenths of a second."""
_TELL_ANNOUNCEMENTS = """
window.announced = [];
const live = "[role=status], [role=alert], [role=log], [aria-live=polite], [aria-live=assertive]";
const isTold = (node) => node.isConnected && !node.closest("[hidden], [aria-hidden=true]") && node.checkVisibility();
new MutationObserver((changes) => {
  const told = new Set();
  for (const { target, addedNodes } of changes) {
    const region = (target.nodeType === 1 ? target : target.parentElement)?.closest(live);
    if (!region || !isTold(region)) continue;
    if (region.role === "log") for (const node of addedNodes) told.add(node);
    else told.add(region);
  }
  const words = [...told].map(node => (node.innerText ?? "").replace(/\\s+/g, " ").trim());
  window.announced.push(...words.filter(Boolean));
}).observe(document, { childList: true, subtree: true, characterData: true });
"""


def listen(page: Page) -> None:
    """Note from the next document on what is announced."""
    page.add_init_script(_TELL_ANNOUNCEMENTS)


def expect_announced(page: Page, words: str) -> None:
    """Expect that the document has announced something that holds these words."""
    for _ in range(PATIENCE):
        if any(words in each for each in page.evaluate("window.announced")):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{words!r} was not announced, but: {page.evaluate('window.announced')}")


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what has the focus is called so."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        focus = page.locator(":focus")
        if focus.count() and re.search(name, _called(page)):
            return
    raise AssertionError(f"nothing that is called {name!r} comes by Tab")


def _called(page: Page) -> str:
    """Return role and name of what has the focus; a video has no role."""
    focus = page.locator(":focus")
    return f"{focus.aria_snapshot()} {focus.get_attribute('aria-label') or ''}"
