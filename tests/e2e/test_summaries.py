"""A watcher at a real browser: from the invitation to the code, with a reload and a network that fails on the way."""

import json

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e.test_dialog import secrets
from tests.e2e.workers import Received, picture, size, watch
from tests.product import Product

SUMMARY = "Several coloured shapes stand on a plane. Some of them slide and turn, and in the end a knock is heard."
MAKE = """
from collector.catalogue.models import Video
from collector.lib import clock
from collector.studies.models import Collection, Kind, State, Study, StudyVideo
found = list(Video.objects.order_by("duration"))
study = Study.objects.create(
    kind=Kind.SUMMARY, name="Summaries", slug="summaries", state=State.OPEN, example=found[-1], created_at=clock.now(),
    collection=Collection.objects.get(name="Demo"), reward="1.50", researcher="whoever gave you this link",
)
StudyVideo.objects.create(study=study, video=found[0], wanted=4)
StudyVideo.objects.create(study=study, video=found[1], wanted=4)
"""

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="session", autouse=True)
def _study(product: Product) -> None:
    product.manage("shell", "-c", MAKE)


def begin(browser: Browser, url: str, name: str, received: Received | None = None) -> Page:
    """Go from the invitation through the example to the video."""
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    if received:
        received.listen(page)
    page.goto(f"{url}/join/summaries/?participant={name}")
    expect(page.get_by_text("for watching the video and writing its summary")).to_be_visible()
    assert "partner" not in page.locator("main").inner_text()
    page.get_by_label("I am 18 or over").check()
    if received:
        received.collect()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="First, an example")).to_be_visible()
    return page


def open_video(page: Page) -> None:
    """Go on to the video; the page is ready when it counts the time."""
    page.get_by_role("button", name="Show me my video").click()
    expect(page.locator("#turn-time")).to_contain_text("left")


def test_from_the_invitation_to_the_code(browser: Browser, product: Product) -> None:
    page = begin(browser, product.url, "watcher-1")
    picture(page, "summary-example")
    open_video(page)
    page.goto(f"{product.url}/join/summaries/?participant=watcher-1")
    page.locator("#resume a").click()
    page.wait_for_url("**/watch/")
    expect(page.locator("#text")).not_to_be_editable()
    picture(page, "summary-watch")
    watch(page)
    expect(page.locator("#room")).to_have_attribute("data-move", "summarise")

    page.locator("#text").fill("Too short")
    page.locator("#text").press("Enter")
    expect(page.locator(".refusal-sentence")).to_have_text("Too short: write at least 8 words.")
    with page.expect_response("**/watch/post/"):
        page.locator("#text").press_sequentially(" yet, but the draft")
    page.evaluate("sessionStorage.clear()")
    page.reload()
    expect(page.locator("#text")).to_have_value("Too short yet, but the draft")
    expect(page.locator("#room")).to_have_attribute("data-move", "summarise")

    page.locator("#text").fill(SUMMARY)
    picture(page, "summary-write")
    page.get_by_role("button", name="Send summary").click()
    page.wait_for_url("**/finish/")
    expect(page.get_by_role("heading", name="Thank you, all done")).to_be_visible()
    expect(page.locator("#code")).not_to_be_empty()


@pytest.mark.brings_about(r"ERR_FAILED.*/watch/post/")
def test_a_summary_is_sent_again_until_it_is_answered(browser: Browser, product: Product) -> None:
    page = begin(browser, product.url, "watcher-2")
    open_video(page)
    watch(page)
    expect(page.locator("#room")).to_have_attribute("data-move", "summarise")
    lost = []

    def lose(route: Route) -> None:
        """Deliver the post and lose its answer, twice."""
        lost.append(route.request.post_data)
        if len(lost) > 2:
            route.continue_()
            return
        route.fetch()
        route.abort()

    page.locator("#text").fill(SUMMARY)
    page.route("**/watch/post/", lose)
    page.get_by_role("button", name="Send summary").click()
    expect(page.locator("#banner-text")).to_contain_text("this page tries again by itself")
    page.wait_for_url("**/finish/")
    assert len({each for each in lost if each and "summarise" in each}) == 1  # one key, one text
    page.goto(page.url)
    expect(page.get_by_role("heading", name="Thank you, all done")).to_be_visible()


def test_leaving_and_reporting_end_the_task(browser: Browser, product: Product) -> None:
    page = begin(browser, product.url, "watcher-3")
    open_video(page)
    page.locator("#leave").click()
    picture(page, "summary-leave")
    page.locator("#leave-report").click()
    page.get_by_label("has no sound").check()
    page.locator("#report-next").click()
    expect(page.locator("#report-said")).to_have_text("The video: it has no sound.")
    page.locator("#report-send").click()
    page.wait_for_url("**/finish/")
    expect(page.get_by_role("heading", name="This task was ended")).to_be_visible()
    other = begin(browser, product.url, "watcher-4")
    open_video(other)
    other.locator("#leave").click()
    other.locator("button[value=leave]").click()
    other.wait_for_url("**/finish/")
    expect(other.get_by_role("heading", name="You have left")).to_be_visible()


def collect(page: Page, received: Received) -> None:
    """Take over what came; of a film's pieces, which browsers do not keep, the addresses and headers."""
    page.wait_for_load_state("networkidle")
    for response in received.responses:
        if response.request.resource_type == "media":
            received.pieces.append(f"{response.url}\n{response.all_headers()}".encode())
    received.responses[:] = [each for each in received.responses if each.request.resource_type != "media"]
    received.collect()


def test_a_watcher_learns_nothing_about_the_video(browser: Browser, product: Product) -> None:
    received = Received()
    page = begin(browser, product.url, "watcher-5", received)
    example = page.locator("section.note p").inner_text()
    collect(page, received)
    open_video(page)
    watch(page)
    expect(page.locator("#room")).to_have_attribute("data-move", "summarise")
    collect(page, received)
    everything = received.everything()
    assert b"Watch the video to its end" in everything
    for secret in secrets(product):
        assert secret.encode() not in everything or secret in example, secret


def test_simulated_watchers_tell_what_the_samples_show(product: Product) -> None:
    done = product.manage("simulate_summaries", "--study", "summaries", "--watchers", "6", "--url", product.url)
    assert "6 summaries" in done.stdout
    out = product.var_dir / "summaries.json"
    product.manage("export_summaries", "--study", "summaries", "--out", str(out), "--simulated")
    videos = json.loads(out.read_text())["videos"]
    simulated = [each for video in videos for each in video["summaries"] if "on a plane: " in each["summary"]]
    assert len({each["worker"] for each in simulated}) == 6


def test_a_program_rehearses_a_summary(product: Product) -> None:
    said = product.preflight("summaries")
    assert "good  Media in parts" in said
    assert "Websocket" not in said
    assert "The summary was sent twice and stored once" in said
    assert "All went well." in said
