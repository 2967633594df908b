"""What browser tests share: patience on a busy machine, and no page left behind that the next test would meet."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

expect.set_options(timeout=30_000)


@pytest.fixture(autouse=True)
def _no_page_stays(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close what a test opened: a worker who still waits would be the next one's partner, a video would play on."""
    yield
    if "browser" in request.fixturenames:
        browser: Browser = request.getfixturevalue("browser")
        for context in browser.contexts:
            context.close()
