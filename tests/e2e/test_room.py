"""The worker's room for everybody: by keyboard, by ear, at 200 %, without motion, with an input method, light."""

import pytest
from playwright.sync_api import Browser, Response, expect

from tests.e2e import quick
from tests.e2e.quick import ROUNDS, new_page, two
from tests.e2e.reading import expect_announced, listen, tab_to
from tests.e2e.workers import (
    SUMMARY,
    answer,
    expect_move,
    join,
    pair,
    question,
    role,
    roles,
    say,
    watch,
)
from tests.product import Product

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module", autouse=True)
def _study(product: Product) -> None:
    quick.make_study(product)


def test_a_whole_dialog_by_keyboard_alone(browser: Browser, product: Product) -> None:
    pages = [new_page(browser) for _ in "ab"]
    for number, page in enumerate(pages):
        page.goto(f"{product.url}/join/room/?participant=keys-{number}")
        tab_to(page, "I am 18 or over")
        page.keyboard.press("Space")
        tab_to(page, "Start")
        page.keyboard.press("Enter")
        expect(page.locator("#room")).to_be_visible()
    workers = roles(*pages)
    asks, answers = workers.questioner.keyboard, workers.answerer.keyboard

    tab_to(workers.questioner, "Middle of the video: see it large")
    asks.press("Enter")
    expect(workers.questioner.get_by_role("dialog", name="One frame, large")).to_be_visible()
    asks.press("Escape")
    expect(workers.questioner.locator("#viewer")).to_be_hidden()
    tab_to(workers.answerer, "The video")
    answers.press("k")
    tab_to(workers.questioner, "Your question")
    for number in range(1, ROUNDS + 1):
        expect_move(workers.questioner, "ask")
        asks.type(question(number))
        asks.press("Enter")
        expect_move(workers.answerer, "answer")
        if number == 1:
            tab_to(workers.answerer, "Your answer")
        asks.type("A thought")  # which stays, with the focus, where it is when the answer comes
        field = workers.questioner.locator("#text")
        before = field.bounding_box()
        answers.type(answer(number))
        answers.press("Enter")
        expect(workers.questioner.locator(".line")).to_have_count(2 * number)
        expect(field).to_be_focused()
        expect(field).to_have_value("A thought")
        assert number == ROUNDS or field.bounding_box() == before
        asks.press("ControlOrMeta+a")
        asks.press("Delete")
    expect_move(workers.questioner, "summarise")
    asks.type(SUMMARY)
    asks.press("Enter")
    for page in pages:
        page.wait_for_url("**/finish/")
        tab_to(page, "Your tasks and your pay")


def test_a_whole_dialog_with_what_a_screen_reader_tells(browser: Browser, product: Product) -> None:
    pages = [new_page(browser) for _ in "ab"]
    for number, page in enumerate(pages):
        listen(page)
        page.goto(f"{product.url}/join/room/?participant=reader-{number}")
        expect(page.get_by_role("heading", level=1)).to_have_text("Find out together what happens in a short video")
        page.get_by_role("checkbox", name="I am 18 or over, have read this and take part.").press("Space")
        page.get_by_role("button", name="Start and find a partner").press("Enter")
        expect(page.get_by_role("button", name="Leave", exact=True)).to_be_visible()
    expect_announced(pages[0], "Your partner is here.")
    told = {bool(page.get_by_role("banner").get_by_text("Questioner").count()): page for page in pages}
    asks, answers = told[True], told[False]
    expect(asks.get_by_role("banner")).to_contain_text("You are the Questioner")
    expect(answers.get_by_role("banner")).to_contain_text("You are the Answerer")

    expect_announced(asks, "Your turn: ask your first question. Your partner is watching the video.")
    expect(asks.get_by_role("button", name="Middle of the video: see it large")).to_be_visible()
    own = asks.get_by_role("textbox", name="Your question")
    own.fill("What is the first thing to move")
    own.press("Enter")
    expect_announced(asks, "A question ends with a question mark.")
    asks.get_by_role("button", name="Add “?” and send").press("Enter")
    expect_announced(answers, "Partner, question 1 What is the first thing to move?")
    expect_announced(answers, "Your partner has asked. Watch the video to its end, then answer.")
    answers.get_by_label("The video", exact=True).press("k")
    for number in range(1, ROUNDS + 1):
        if number > 1:
            expect_announced(asks, f"Your turn: ask question {number} of {ROUNDS}.")
            own.fill(question(number))
            own.press("Enter")
        expect_announced(answers, f"Your turn: answer question {number} of {ROUNDS}.")
        theirs = answers.get_by_role("textbox", name="Your answer")
        theirs.fill(answer(number))
        theirs.press("Enter")
        if number == ROUNDS:
            expect_announced(answers, "Thank you, all done")  # and a few seconds later it goes on
        expect_announced(asks, f"Partner, answer {number} {answer(number)}")
    expect_announced(asks, "Your turn: summarise what happens in the video.")
    own = asks.get_by_role("textbox", name="Your summary")
    own.fill(SUMMARY)
    own.press("Enter")
    expect_announced(asks, "Thank you, all done")
    for page in pages:
        page.wait_for_url("**/finish/")
        expect(page.get_by_role("heading", level=1, name="Thank you, all done")).to_be_visible()
        expect(page.get_by_role("region", name="Your completion code")).to_be_visible()


def test_the_video_goes_back_slows_down_and_begins_again_by_keys_that_are_not_taken_from_who_types(
    browser: Browser, product: Product
) -> None:
    page = pair(browser, product.url, "player", study="room").answerer
    watch(page)
    video = page.locator("video")
    end = video.evaluate("video => video.currentTime")
    video.press("j")
    assert video.evaluate("video => video.currentTime") == pytest.approx(max(0, end - 5), abs=0.1)
    slow = page.get_by_role("button", name="Half speed")
    video.press("s")
    expect(video).to_have_js_property("playbackRate", 0.5)
    expect(slow).to_have_attribute("aria-pressed", "true")
    slow.click()
    expect(video).to_have_js_property("playbackRate", 1)
    page.get_by_role("button", name="From the start").press("r")
    expect(video).to_have_js_property("paused", False)
    video.press("k")
    expect(video).to_have_js_property("paused", True)
    page.locator("#text").press_sequentially("kjsr KJSR")
    expect(page.locator("#text")).to_have_value("kjsr KJSR")
    expect(video).to_have_js_property("paused", True)
    expect(video).to_have_js_property("playbackRate", 1)


def test_what_is_composed_with_an_input_method_is_not_sent_by_its_enter(browser: Browser, product: Product) -> None:
    page = two(browser, product, "composed").questioner
    text = page.locator("#text")
    text.fill("何がありますか?")
    enter = {"key": "Enter", "bubbles": True, "cancelable": True}
    text.dispatch_event("keydown", {**enter, "isComposing": True})
    text.dispatch_event("keydown", {**enter, "keyCode": 229})
    text.press("Shift+Enter")
    expect(text).to_have_value("何がありますか?\n")
    expect(page.locator(".line")).to_have_count(0)
    expect(page.locator("#composer .refusal")).to_be_hidden()


def test_at_200_percent_nothing_is_lost_and_without_motion_nothing_moves(browser: Browser, product: Product) -> None:
    waits = join(new_page(browser, reduced_motion="reduce").context, product.url, "still", study="room")
    assert waits.evaluate("document.getAnimations().length") == 0
    waits.emulate_media(reduced_motion="no-preference")
    assert waits.evaluate("document.getAnimations().length") > 0
    workers = roles(waits, join(new_page(browser).context, product.url, "still-2", study="room"))
    say(workers.questioner, question(1))
    for page in (workers.questioner, workers.answerer):
        page.set_viewport_size({"width": 640, "height": 400})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        seen = "video" if role(page) == "answerer" else ".frame"
        for part in ("#turn-text", "#text", "#leave", "#report", seen):
            expect(page.locator(part).first).to_be_in_viewport(ratio=0.6)
        page.locator("#log .line").scroll_into_view_if_needed()
        expect(page.locator("#log .line")).to_be_in_viewport(ratio=0.6)


def test_the_first_page_and_the_room_weigh_less_than_100_kb(browser: Browser, product: Product) -> None:
    page = new_page(browser)
    sizes: dict[str, int] = {}

    def note(response: Response) -> None:
        if response.request.resource_type != "media":
            got = response.request.sizes()
            sizes[response.url] = got["responseBodySize"] + got["responseHeadersSize"]

    page.on("requestfinished", lambda request: note(request.response()))  # type: ignore[arg-type]
    page.goto(f"{product.url}/join/room/?participant=light")
    page.wait_for_load_state("networkidle")
    assert 5_000 < sum(sizes.values()) < 100_000, sizes
    page.get_by_label("I am 18 or over").check()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#waited")).to_have_text("0:02")
    assert sum(sizes.values()) < 100_000, sizes
