"""Do two people hold a dialog about a video that lies in a bucket, in both ways of serving it?"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Response, expect

from tests import services
from tests.e2e.workers import pair
from tests.moto import Moto
from tests.product import Product, environment

pytestmark = pytest.mark.long_drill  # what the storage does is tested without a browser in every run


@pytest.fixture(params=["true", "false"], ids=["passed on", "by links"])
def in_bucket(
    request: pytest.FixtureRequest, tmp_path: Path, prepared_product: Product, store: Moto
) -> Iterator[Product]:
    """The product with its samples in a bucket and none on the disk."""
    store.empty()
    env = environment(tmp_path, **store.env, MEDIA_S3_PROXY=request.param)
    product = Product(tmp_path, env, port=services.free_port())
    product.prepare(prepared_product)
    for path in sorted((tmp_path / "media").glob("[vf]*s/*")):
        with path.open("rb") as file:
            store.client().put_object(
                Bucket=store.bucket, Key=path.relative_to(tmp_path / "media").as_posix(), Body=file
            )
        path.unlink()
    try:
        product.start()
        yield product
    finally:
        product.stop()


def test_both_see_what_lies_in_the_bucket(browser: Browser, in_bucket: Product, store: Moto) -> None:
    workers = pair(browser, in_bucket.url, "bucket")
    came: list[Response] = []
    workers.answerer.on("response", lambda response: came.append(response))
    workers.answerer.reload()
    player = workers.answerer.locator("video")
    expect(player).to_have_js_property("readyState", 4)
    player.evaluate("video => new Promise(done => { video.onseeked = done; video.currentTime = video.duration / 2; })")
    for number in range(3):
        expect(workers.questioner.locator("#frames img").nth(number)).to_have_js_property("complete", True)
        assert workers.questioner.locator("#frames img").nth(number).evaluate("picture => picture.naturalWidth")
    from_store = [each for each in came if each.url.startswith(store.url)]
    is_linked = in_bucket.env["MEDIA_S3_PROXY"] == "false"
    assert bool(from_store) is is_linked
    policy = next(each for each in came if urlsplit(each.url).path.startswith("/w/")).headers["content-security-policy"]
    assert (store.url in policy) is is_linked
    for page in (workers.questioner, workers.answerer):
        page.context.close()
    in_bucket.manage("simulate_dialogs", "--pairs", "2", "--seed", "1", "--url", in_bucket.url)
    said = in_bucket.preflight("demo")
    assert "The bucket of videos and frames answers." in said
    assert "A video came as video/mp4, in the part that was asked for" in said
    assert "The Questioner's frames came: 3 of 3." in said
