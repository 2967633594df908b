"""A judge at a real browser, from the invitation to the code, by keyboard; and programs that judge."""

import json

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.workers import expect_move, log_in, picture, size, watch
from tests.product import Product

MAKE = """
from chat import scene_talk
from collector.catalogue.models import Video
from collector.catalogue.scenes import from_json
from collector.exports.normalising import normalised
from collector.studies.models import Collection, Study
from tests import factories
from tests.relevance import scene
study = scene.study(
    items=0, people=4, name="Relevance", slug="relevance", collection=Collection.objects.get(name="Demo"),
    reward="2.20", researcher="whoever gave you this link",
)
for video in Video.objects.order_by("duration")[:2]:
    shown = from_json(video.scene)
    rounds = [(asked, scene_talk.answer(shown, asked)) for asked in scene_talk.GENERAL[:5]]
    dialog = factories.finished_dialog(rounds, study=Study.objects.get(slug="demo"), video=video, is_simulated=True)
    options = [normalised(rounds[3][1]), *(f"i think that {n} things stand there ." for n in range(11, 110))]
    scene.offer(study, scene.item(study, dialog, round=4, options=options, gt_index=0))
"""

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="session", autouse=True)
def _items(product: Product) -> None:
    product.manage("shell", "-c", MAKE)


def begin(browser: Browser, url: str, name: str) -> Page:
    """Go from the invitation through the task to the video."""
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    page.goto(f"{url}/join/relevance/?participant={name}")
    expect(page.get_by_text("for watching the video and marking all 100 answers")).to_be_visible()
    page.get_by_label("I am 18 or over").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Mark an answer as correct when")).to_be_visible()
    return page


def open_video(page: Page) -> None:
    """Go on to the video; the page is ready when it counts the time."""
    page.get_by_role("button", name="Show me my video").click()
    expect(page.locator("#turn-time")).to_contain_text("left")


def mark_page(page: Page) -> None:
    """Mark the ten answers shown by keyboard alone: the first correct, the others not; go on."""
    page.locator("#answers input").first.focus()
    for key in "cnnnnnnnnn":
        page.keyboard.press(key)
    page.keyboard.press("Enter")


def test_a_judge_marks_100_answers_by_keyboard_and_loses_none(browser: Browser, product: Product) -> None:
    page = begin(browser, product.url, "judge-1")
    picture(page, "relevance-task")
    open_video(page)
    expect(page.locator("#page-number")).to_have_text("Answers 1 to 10 of 100")
    expect(page.locator("#answers input").first).to_be_disabled()
    picture(page, "relevance-watch")
    watch(page)
    expect_move(page, "judge")

    page.get_by_role("button", name="Next page").click()
    expect(page.locator("#refusal")).to_have_text("10 answers are not marked yet on this page.")
    picture(page, "relevance-missing")
    mark_page(page)
    expect(page.locator("#page-number")).to_have_text("Answers 11 to 20 of 100")
    with page.expect_response("**/judge/post/"):
        page.get_by_label("Not correct").nth(2).check()
    page.evaluate("sessionStorage.clear()")
    page.reload()
    expect(page.locator("#marked")).to_have_text("11 marked")
    expect(page.get_by_label("Not correct").nth(2)).to_be_checked()
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.get_by_label("Correct", exact=True).first).to_be_checked()
    picture(page, "relevance-marked")
    page.get_by_role("button", name="Next page").click()
    for _ in range(9):
        mark_page(page)
    page.wait_for_url("**/finish/")
    expect(page.get_by_role("heading", name="Thank you, all done")).to_be_visible()


def test_leaving_says_what_becomes_of_the_marks(browser: Browser, product: Product) -> None:
    page = begin(browser, product.url, "judge-2")
    open_video(page)
    page.locator("#leave").click()
    expect(page.get_by_text("Your task ends, and what you have marked is not used.")).to_be_visible()
    page.locator("button[value=leave]").click()
    page.wait_for_url("**/finish/")


def test_simulated_judges_find_the_answer_correct_that_was_given(product: Product) -> None:
    done = product.manage(
        "simulate_relevance", "--study", "relevance", "--watchers", "4", "--seed", "2", "--url", product.url
    )
    assert "4 annotations" in done.stdout
    out = product.var_dir / "dense.json"
    said = product.manage("export_relevances", "--study", "relevance", "--out", str(out), "--simulated", "--least", "2")
    assert "alpha: 1.000. The answer that was given was found correct by 100 % on average." in said.stdout
    relevances = [each["gt_relevance"] for each in json.loads(out.read_text())]
    assert relevances == [[1.0] + [0.0] * 99] * 2


def test_a_researcher_sees_what_people_found(browser: Browser, product: Product) -> None:
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    log_in(page, product, "/admin/studies/study/")
    page.get_by_role("row").filter(has_text="/join/relevance/").get_by_role("link", name="Open").click()
    page.get_by_role("link", name="Relevance", exact=True).click()
    expect(page.get_by_text("Krippendorff's alpha: not defined")).to_be_visible()
    picture(page, "relevance-desk")


def test_a_program_rehearses_an_annotation(product: Product) -> None:
    said = product.preflight("relevance")
    assert "good  Media in parts" in said
    assert "What it marked was sent twice and stored once" in said
    assert "All went well." in said
