"""Do people on other machines get through a dialog, where pages come by plain HTTP from an address of the network?"""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.workers import expect_whole, exported, pair, whole_dialog
from tests.product import Product

pytestmark = [
    pytest.mark.long_drill,  # the same dialog is held on loopback in every run
    pytest.mark.brings_about("Cross-Origin-Opener-Policy header has been ignored"),  # as by plain HTTP it must be
]

INSECURE = "!isSecureContext && !crypto.randomUUID && !navigator.clipboard"
"""True where browsers keep from a page what they give to secure contexts only."""


def test_two_people_hold_a_whole_dialog_over_the_network(
    browser: Browser, networked_product: Product, tmp_path: Path
) -> None:
    workers = pair(browser, networked_product.url, "network")
    for page in (workers.questioner, workers.answerer):
        assert page.url.startswith(f"{networked_product.url}/")
        assert page.evaluate(INSECURE)
    whole_dialog(workers)
    (video,) = exported(networked_product, "demo", tmp_path / "raw.json").values()
    expect_whole(video)
