"""Can a researcher read the admin's lists on every window?"""

import httpx
from playwright.sync_api import Browser

from tests.e2e.workers import SIZES, log_in, picture, size
from tests.product import Product


def test_the_list_of_videos_is_readable_in_all_sizes(browser: Browser, product: Product) -> None:
    page = browser.new_context().new_page()
    log_in(page, product, "/admin/catalogue/video/")
    picture(page, "admin-videos")
    for name in SIZES:
        page.set_viewport_size(size(name))  # type: ignore[arg-type]
        script = page.locator("#result_list .field-script_start").first.bounding_box()
        assert script
        assert script["width"] > 100, f"the script is squeezed on {name}"


def test_pages_that_name_no_icon_get_ours(product: Product) -> None:
    answer = httpx.get(f"{product.url}/favicon.ico", follow_redirects=True)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "image/svg+xml"
