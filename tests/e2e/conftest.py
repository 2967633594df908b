"""What browser tests share: patience on a busy machine, pages that stand still and keep quiet, and none left behind."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.e2e.calm import Heard

expect.set_options(timeout=30_000)


@pytest.fixture(autouse=True)
def _pages_are_calm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let no page shift, complain or ask in vain, but for what a test excuses by its mark ``brings_about``.

    At the end all pages are closed: a worker who still waits would be the next one's partner, a video would play on.
    """
    if "browser" not in request.fixturenames:
        yield
        return
    browser: Browser = request.getfixturevalue("browser")
    heard, opened = Heard(), browser.new_context

    def listened_to(**options: Any) -> BrowserContext:
        context = opened(**options)
        heard.listen(context)
        return context

    monkeypatch.setattr(browser, "new_context", listened_to)
    yield
    for context in browser.contexts:
        for page in context.pages:
            page.evaluate("1")  # what a page has said by now is heard
        context.close()
    excused = [pattern for mark in request.node.iter_markers("brings_about") for pattern in mark.args]
    assert heard.complained(excused) + heard.moved(excused) == []
