"""The product in two real browsers: a whole dialog, what the Questioner must not learn, the player, the try-it page."""

import json
import re
import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.workers import (
    ROUNDS,
    SUMMARY,
    Received,
    a_round,
    answer,
    expect_move,
    join,
    log_in,
    pair,
    picture,
    question,
    roles,
    say,
    size,
    watch,
)  # fmt: skip
from tests.product import Product


def secrets(product: Product) -> list[str]:
    """Return what no Questioner may get: of all videos id, file name and the sentences of the script."""
    code = (
        "import json; from collector.catalogue.models import Video; "
        "print('JSON' + json.dumps([[v.image_id, v.file.name, v.script.text] for v in Video.objects.all()]))"
    )
    rows = json.loads(product.manage("shell", "-c", code).stdout.rpartition("JSON")[2])
    found = []
    for image_id, file, script in rows:
        sentences = [each.strip(" .") for each in re.split(r"(?<=\.)\s+", script)]
        found += [image_id, Path(file).name, Path(file).stem, *sentences]
    assert len(found) > 12
    return found


def test_two_people_hold_a_whole_dialog_and_it_is_exported(browser: Browser, product: Product, tmp_path: Path) -> None:
    first = join(browser.new_context(viewport=size("wide")), product.url, "whole-a")  # type: ignore[arg-type]
    expect(first.get_by_role("heading", name="Looking for your partner")).to_be_visible()
    picture(first, "waiting")
    second = join(browser.new_context(viewport=size("wide")), product.url, "whole-b")  # type: ignore[arg-type]
    workers = roles(first, second)
    questioner, answerer = workers.questioner, workers.answerer
    expect(questioner.locator("#frames img")).to_have_count(3)
    picture(questioner, "questioner-start")
    picture(answerer, "answerer-start")

    # A question without its mark is refused beside the text; Enter adds it and sends.
    expect(answerer.locator("#text")).not_to_be_editable()
    say(questioner, "What is the first thing to move.")
    expect(questioner.locator(".refusal-sentence")).to_have_text("A question ends with a question mark.")
    expect(questioner.locator("#text")).to_have_value("What is the first thing to move.")
    picture(questioner, "questioner-refusal")
    questioner.locator("#text").press("Enter")
    expect(answerer.locator(".line-text")).to_have_text(["What is the first thing to move?"])

    watch(answerer)
    expect_move(answerer, "answer")
    say(answerer, "Too short.")
    expect(answerer.locator(".refusal-sentence")).to_have_text("Too short: write at least 5 words.")
    say(answerer, answer(1))
    for number in range(2, 6):
        a_round(workers, number)

    # A reload lands where the worker was, with what was typed.
    expect_move(questioner, "ask")
    questioner.locator("#text").fill("What about the blue")
    picture(questioner, "questioner")
    picture(answerer, "answerer")
    for page in (questioner, answerer):
        page.reload()
        expect(page.locator(".line")).to_have_count(10)
    expect(questioner.locator("#text")).to_have_value("What about the blue")
    for number in range(6, ROUNDS + 1):
        a_round(workers, number)

    # The Answerer is done with the last answer and does not wait for the summary.
    picture(answerer, "answerer-end")
    answerer.wait_for_url("**/finish/", timeout=30_000)
    expect(answerer.locator("#code")).not_to_be_empty()
    picture(answerer, "finish")
    expect_move(questioner, "summarise")
    expect(questioner.locator("#log .line").last).to_be_in_viewport(ratio=0.9)
    picture(questioner, "questioner-summary")
    say(questioner, SUMMARY)
    questioner.wait_for_url("**/finish/", timeout=30_000)
    assert questioner.locator("#code").inner_text() != answerer.locator("#code").inner_text()
    for page in (questioner, answerer):
        assert page.context.cookies() == []

    out = tmp_path / "raw.json"
    product.manage("export_avsd", "--out", str(out), "--study", "demo", "--format", "raw")
    (video,) = [each for each in json.loads(out.read_text()).values() if each["summary"] == SUMMARY]
    exported = json.dumps(video["data"])
    assert all(question(number) in exported for number in range(2, ROUNDS + 1))
    assert all(answer(number) in exported for number in range(1, ROUNDS + 1))


def test_the_questioner_learns_nothing_of_the_video_but_its_frames(browser: Browser, product: Product) -> None:
    contexts = [browser.new_context(), browser.new_context()]
    received = [Received(), Received()]
    pages = [join(contexts[i], product.url, f"leak-{i}", received[i]) for i in (0, 1)]
    workers = roles(*pages)
    got = received[pages.index(workers.questioner)]
    video = workers.answerer.locator("video").get_attribute("src")
    assert video
    watch(workers.answerer)
    for number in range(1, ROUNDS + 1):
        a_round(workers, number)
    expect_move(workers.questioner, "summarise")
    workers.questioner.wait_for_load_state("networkidle")
    got.collect()
    say(workers.questioner, SUMMARY)
    workers.questioner.wait_for_url("**/finish/", timeout=30_000)
    workers.questioner.wait_for_load_state("networkidle")
    got.collect()

    everything = got.everything()
    assert b"Looking for your partner" in everything
    assert answer(ROUNDS).encode() in everything
    for secret in [*secrets(product), video]:
        assert secret.encode() not in everything, secret


def test_another_roles_media_are_forbidden(browser: Browser, product: Product) -> None:
    workers = pair(browser, product.url, "media")
    frame = workers.questioner.locator("#frames img").first.get_attribute("src")
    video = workers.answerer.locator("video").get_attribute("src")
    assert frame
    assert video
    path, of_answerer = (re.sub(r"/w/[^/]+/.*", "", page.url) for page in (workers.questioner, workers.answerer))
    assert path == of_answerer == product.url
    tokens = [re.search(r"/w/([^/]+)/", link)[1] for link in (frame, video)]  # type: ignore[index]
    request = workers.questioner.request
    assert request.get(product.url + frame).status == 200
    assert request.get(product.url + video).status == 200
    assert request.get(product.url + video.replace(tokens[1], tokens[0])).status == 403
    assert request.get(product.url + frame.replace(tokens[0], tokens[1])).status == 403


def test_the_answerer_can_seek_and_has_to_play_what_was_skipped(browser: Browser, product: Product) -> None:
    page = pair(browser, product.url, "seek").answerer
    player = page.locator("video")
    expect(player).to_have_js_property("readyState", 4)
    player.evaluate(
        "video => new Promise(done => { video.onseeked = done; video.currentTime = video.duration - 1.5; })"
    )
    assert player.evaluate("video => video.duration - video.currentTime") == pytest.approx(1.5, abs=0.3)
    watch(page)
    expect(page.locator(".player-note")).to_contain_text("Some parts were skipped")
    expect_move(page, "watch")
    page.get_by_role("button", name="Play on from there").click()
    expect_move(page, "wait")
    expect(page.locator("#text")).to_be_editable()


def test_a_frame_opens_large_and_goes_on_by_keys(browser: Browser, product: Product) -> None:
    page = pair(browser, product.url, "large").questioner
    page.get_by_role("button", name="Beginning of the video").click()
    viewer = page.locator("#viewer")
    expect(viewer.locator(".viewer-name")).to_have_text("Beginning (1 of 3)")
    page.keyboard.press("ArrowRight")
    expect(viewer.locator(".viewer-name")).to_have_text("Middle (2 of 3)")
    page.keyboard.press("Escape")
    expect(viewer).to_be_hidden()


def test_leaving_is_asked_once_more_and_ends_it_for_both(browser: Browser, product: Product) -> None:
    workers = pair(browser, product.url, "leave")
    workers.questioner.get_by_role("button", name="Leave").click()
    workers.questioner.get_by_role("button", name="Stay").click()
    expect_move(workers.questioner, "ask")
    workers.questioner.get_by_role("button", name="Leave").click()
    workers.questioner.locator("#leave-dialog").get_by_role("button", name="Leave").click()
    expect(workers.questioner.locator("#end-heading")).to_have_text("You have left")
    expect(workers.answerer.get_by_role("heading", name="Your partner is gone")).to_be_visible()
    workers.answerer.get_by_role("button", name="End and be paid").click()
    expect(workers.answerer.locator("#end-heading")).to_have_text("Your partner has left")


def test_a_second_tab_takes_over_and_the_first_says_so(browser: Browser, product: Product) -> None:
    first = pair(browser, product.url, "tabs").questioner
    second = first.context.new_page()
    second.goto(first.url)
    expect(first.locator("#end-heading")).to_have_text("Opened elsewhere")
    expect_move(second, "ask")
    first.get_by_role("button", name="Go on here").click()
    expect(second.locator("#end-heading")).to_have_text("Opened elsewhere")


def test_the_back_button_and_another_browser_lead_to_where_the_worker_was(browser: Browser, product: Product) -> None:
    workers = pair(browser, product.url, "back-button")
    page = workers.questioner
    say(page, "What is the first thing to move?")
    expect_move(page, "wait")
    room = page.url
    page.goto(f"{product.url}/join/demo/")
    page.go_back()
    page.wait_for_url(room)
    expect(page.locator(".line-text")).to_have_text(["What is the first thing to move?"])
    expect_move(page, "wait")

    elsewhere = browser.new_context().new_page()
    elsewhere.goto(room)
    expect(elsewhere.locator(".line-text")).to_have_text(["What is the first thing to move?"])
    expect_move(elsewhere, "wait")
    expect(page.locator("#end-heading")).to_have_text("Opened elsewhere")
    watch(workers.answerer)
    say(workers.answerer, answer(1))
    expect_move(elsewhere, "ask")


def test_unsent_text_never_leaves_the_browser_and_counts_go_with_what_is_sent(
    browser: Browser, product: Product
) -> None:
    page = pair(browser, product.url, "unsent").questioner
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: sent.append(str(data))))
    page.on("request", lambda request: sent.append(f"{request.url} {request.post_data}"))
    page.reload()
    expect_move(page, "ask")
    field, text = page.locator("#text"), "What is the very first thing to move?"
    field.press_sequentially("Unsaid, a")
    for _ in range(3):
        field.press("Backspace")
    field.evaluate(
        "(node, text) => { const data = new DataTransfer(); data.setData('text', text);"
        " node.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data })); }",
        "pasted and then taken away",
    )
    field.fill("")
    say(page, text)
    expect(page.locator(".line--pending")).to_have_count(0)
    assert any(text in each for each in sent)
    assert not [each for each in sent if "nsaid" in each or "taken away" in each]
    with sqlite3.connect(product.var_dir / "collector.sqlite3", timeout=20) as database:
        ((evidence,),) = database.execute("SELECT evidence FROM chat_utterance WHERE text = ?", [text]).fetchall()
    database.close()
    counted = json.loads(evidence)
    assert counted["pastes"] == [len("pasted and then taken away")]
    assert counted["corrections"] >= 3
    assert 0 <= counted["to_first_key"] <= counted["to_send"]


@pytest.mark.brings_about("ERR_INTERNET_DISCONNECTED")
def test_trouble_with_the_connection_is_said_and_the_text_arrives(browser: Browser, product: Product) -> None:
    workers = pair(browser, product.url, "trouble")
    page = workers.questioner
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('online'))")  # the page asks, hears nothing, and connects again
    say(page, "What is the first thing to move?")
    expect(page.locator("#banner")).to_have_text("Reconnecting. What you wrote is kept.", timeout=30_000)
    page.context.set_offline(False)
    expect(page.locator("#banner")).to_be_hidden(timeout=30_000)
    expect(workers.answerer.locator(".line-text")).to_have_text(["What is the first thing to move?"])
    expect(page.locator(".line--pending")).to_have_count(0)


def test_the_invitation_opened_again_shows_the_way_back(browser: Browser, product: Product) -> None:
    page = pair(browser, product.url, "again").questioner
    room = page.url
    name = "again-a" if "again-a" in page.locator("#room").get_attribute("data-participant") else "again-b"  # type: ignore[operator]
    page.goto(f"{product.url}/join/demo/?participant={name}")
    page.get_by_role("link", name="go on where you were").click()
    page.wait_for_url(room)


@pytest.mark.brings_about("the layout shifts .*composer")  # in a narrow frame, as a text is put in without a key
def test_a_researcher_plays_both_workers_in_one_window(browser: Browser, product: Product) -> None:
    page = browser.new_context(viewport={"width": 1600, "height": 900}).new_page()
    log_in(page, product, "/desk/try/")
    frames = []
    for name in ("left", "right"):
        frame = page.frame(name)
        assert frame
        frame.get_by_label("I am 18 or over").check()
        frame.get_by_role("button", name="Start").click()
        frames.append(frame)
    workers = roles(*frames)
    watch(workers.answerer)
    for number in (1, 2):
        a_round(workers, number)
    expect_move(workers.questioner, "ask")
    picture(page, "try-it")
