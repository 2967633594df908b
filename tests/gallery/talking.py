"""The waiting room and the dialog, as Questioner and Answerer see them from the first turn to the last."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.test_limits import SOON, change, goes_away, in_seconds, leave, move_dialog, move_seat, participation
from tests.e2e.workers import ROUNDS, SUMMARY, Pair, a_round, answer, expect_move, log_in, question, roles, say, watch
from tests.gallery.camera import Camera

MEDIA = re.compile(r"/(video|frame/\d)$")


def wait(camera: Camera, page: Page, name: str) -> None:
    """Agree to the demo study and come to the waiting room."""
    page.goto(f"{camera.product.url}/join/demo/?participant={name}")
    page.get_by_label("I am 18 or over").check()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#room")).to_be_visible()


def meet(camera: Camera, pages: list[Page], name: str) -> Pair:
    """Bring two people together."""
    for number, page in enumerate(pages):
        wait(camera, page, f"{name}-{number}")
    return roles(*pages)


def waiting(camera: Camera) -> None:
    """Waiting alone, for long, and on."""
    with camera.pages() as [page]:
        wait(camera, page, "waits")
        camera.take(page, "Waiting", "alone")
        page.locator(".promises summary").click()
        camera.take(page, "Waiting", "times opened")
        move_seat(camera.product, page, "due_at", -1)
        expect(page.locator("#wait-choice")).to_be_visible(timeout=SOON)
        camera.take(page, "Waiting", "nobody has come")
        page.get_by_role("button", name="Keep waiting").click()
        expect(page.locator("#wait-on")).to_be_visible()
        camera.take(page, "Waiting", "waits on")
        page.get_by_role("button", name="Leave", exact=True).click()
        camera.take(page, "Waiting", "leave?")
        page.get_by_role("button", name="Stay").click()
        page.get_by_role("button", name="End now, paid").click()
        expect(page.locator("#end-heading")).to_have_text("Nobody came")
        camera.take(page, "Waiting", "ended")


def whole_dialog(camera: Camera) -> None:
    """A dialog from its first turn to its summary."""
    with camera.pages(2) as pages:
        pair = meet(camera, pages, "whole")
        both(camera, pair, "first turn")
        say(pair.questioner, "What is the first thing to move.")
        expect(pair.questioner.locator(".refusal-sentence")).to_be_visible()
        camera.take(pair.questioner, "Questioner", "refused: no question mark")
        pair.questioner.locator("#text").fill("Write to anna@mail.example, what do you see?")
        pair.questioner.locator("#text").press("Enter")
        expect(pair.questioner.locator("#caution")).not_to_be_empty()
        camera.take(pair.questioner, "Questioner", "looks personal")
        say(pair.questioner, question(1))
        both(camera, pair, "asked, not watched yet")
        watch(pair.answerer)
        expect_move(pair.answerer, "answer")
        camera.take(pair.answerer, "Answerer", "to answer")
        say(pair.answerer, "Too short.")
        expect(pair.answerer.locator(".refusal-sentence")).to_be_visible()
        camera.take(pair.answerer, "Answerer", "refused: too short")
        pair.answerer.locator("#text").press_sequentially("Another")
        expect(pair.questioner.locator("#partner")).to_have_attribute("data-state", "typing")
        camera.take(pair.questioner, "Questioner", "partner writes")
        pair.answerer.locator("#text").fill("and then another " * 28)
        camera.take(pair.answerer, "Answerer", "near the limit")
        pair.answerer.locator("#text").fill("and then another " * 60)
        camera.take(pair.answerer, "Answerer", "over the limit")
        say(pair.answerer, answer(1))
        for number in range(2, 6):
            a_round(pair, number)
        expect_move(pair.questioner, "ask")
        both(camera, pair, "round 6")
        watched(camera)
        pair.questioner.get_by_role("button", name="Beginning of the video").click()
        camera.take(pair.questioner, "Questioner", "a frame, large")
        pair.questioner.keyboard.press("Escape")
        for number in range(6, ROUNDS + 1):
            a_round(pair, number)
        expect_move(pair.questioner, "summarise")
        camera.take(pair.questioner, "Questioner", "summary")
        camera.take(pair.answerer, "Answerer", "all answered")
        pair.questioner.locator("#text").fill(SUMMARY)
        camera.take(pair.questioner, "Questioner", "summary, written")
        say(pair.questioner, SUMMARY)
        pair.questioner.wait_for_url("**/finish/")
        camera.take(pair.questioner, "End", "after a whole dialog")


def watched(camera: Camera) -> None:
    """What a researcher sees meanwhile."""
    with camera.pages() as [desk]:
        log_in(desk, camera.product, "/admin/")
        desk.get_by_role("link", name="Demo", exact=True).first.click()
        watch_it = desk.locator("a[href$='/watch/']").first
        expect(watch_it).to_be_visible()
        camera.take(desk, "Desk, monitor", "a dialog is held")
        watch_it.click()
        expect(desk).to_have_url(re.compile("/watch/$"))
        camera.take(desk, "Desk, monitor", "watching it")


def both(camera: Camera, pair: Pair, state: str) -> None:
    """Take both sides down."""
    camera.take(pair.questioner, "Questioner", state)
    camera.take(pair.answerer, "Answerer", state)


def time_runs(camera: Camera) -> None:
    """What is said when time runs out."""
    with camera.pages(2) as pages:
        pair = meet(camera, pages, "time")
        page = pair.questioner
        move_dialog(camera.product, page, "turn_due_at", 170)
        expect(page.locator("#nudge")).to_be_visible()
        camera.take(page, "Questioner", "nudged")
        move_dialog(camera.product, page, "turn_due_at", 50)
        expect(page.locator("#alarm")).not_to_be_empty()
        camera.take(page, "Questioner", "less than a minute")
        move_dialog(camera.product, page, "turn_due_at", 250)
        move_dialog(camera.product, page, "due_at", 590)
        expect(page.locator("#dialog-time")).to_be_visible()
        camera.take(page, "Questioner", "ten minutes of the dialog")
        move_dialog(camera.product, page, "turn_due_at", -1)
        expect(pair.answerer.locator("#choice-heading")).to_be_visible(timeout=SOON)
        camera.take(pair.answerer, "Answerer", "partner was idle: choice")
        expect(page.locator("#end-heading")).to_be_visible(timeout=SOON)
        camera.take(page, "Questioner", "ended: the turn ran out")


def asking(camera: Camera) -> None:
    """Leaving and reporting, in both roles, and what they lead to."""
    with camera.pages(2) as pages:
        pair = meet(camera, pages, "asked")
        for page, role in ((pair.questioner, "Questioner"), (pair.answerer, "Answerer")):
            page.get_by_role("button", name="Leave", exact=True).click()
            camera.take(page, role, "leave?")
            page.get_by_role("button", name="Stay").click()
            page.get_by_role("button", name="Report a problem").click()
            camera.take(page, role, "report?")
            page.get_by_role("button", name="Cancel").click()
        dialog = pair.answerer.get_by_role("dialog", name="Report a problem")
        pair.answerer.get_by_role("button", name="Report a problem").click()
        dialog.get_by_role("button", name="Go on").click()
        camera.take(pair.answerer, "Answerer", "report, nothing chosen")
        dialog.get_by_label("are rude or hurtful").check()
        dialog.get_by_role("button", name="Go on").click()
        camera.take(pair.answerer, "Answerer", "report, sure?")
        dialog.get_by_role("button", name="Report and end").click()
        for page, role in ((pair.questioner, "Questioner"), (pair.answerer, "Answerer")):
            expect(page.locator("#end-heading")).to_have_text("This dialog was ended")
            camera.take(page, role, "ended by a report")


def loss(camera: Camera) -> None:
    """A partner who is lost, comes back, leaves; and the choice of who stays."""
    with camera.pages(2) as pages:
        pair = meet(camera, pages, "lost")
        watch(pair.answerer)
        for number in (1, 2, 3):
            a_round(pair, number)
        expect_move(pair.questioner, "ask")
        lost = participation(pair.answerer)
        address = goes_away(pair.answerer)
        expect(pair.questioner.locator("#lost")).to_be_visible(timeout=SOON)
        camera.take(pair.questioner, "Questioner", "partner lost")
        statement = "UPDATE chat_seat SET due_at = ? WHERE participation_id = ? AND state != 'closed'"
        change(camera.product, statement, in_seconds(100), lost)
        expect(pair.questioner.locator("#end-alone")).to_be_visible(timeout=SOON)
        camera.take(pair.questioner, "Questioner", "partner lost, may end")
        pair.answerer.goto(address)
        expect(pair.questioner.locator("#lost")).to_be_hidden(timeout=SOON)
        leave(pair.answerer, "I have no time left")
        expect(pair.answerer.locator("#end-heading")).to_have_text("You have left")
        camera.take(pair.answerer, "Answerer", "left")
        expect(pair.questioner.locator("#choice-heading")).to_be_visible()
        camera.take(pair.questioner, "Questioner", "partner left: choice")
        pair.questioner.get_by_role("button", name="Wait for another partner").click()
        expect(pair.questioner.locator("#first-in-line")).to_be_visible()
        camera.take(pair.questioner, "Waiting", "first in line")


def trouble(camera: Camera) -> None:
    """No connection, a video that does not load, a page opened elsewhere."""
    with camera.pages(2) as pages:
        pair = meet(camera, pages, "trouble")
        page = pair.questioner
        page.context.set_offline(True)
        page.evaluate("dispatchEvent(new Event('online'))")
        say(page, question(1))
        expect(page.locator("#banner")).to_be_visible()
        camera.excuse(page, "")
        camera.take(page, "Questioner", "reconnecting")
        page.context.set_offline(False)
        expect(page.locator("#banner")).to_be_hidden()
        pair.answerer.route(MEDIA, lambda route: route.abort())
        pair.answerer.reload()
        expect(pair.answerer.locator(".player-report")).to_be_visible()
        camera.excuse(pair.answerer, MEDIA.pattern)
        camera.take(pair.answerer, "Answerer", "the video does not load")
        second = camera.listen(page.context.new_page())
        second.goto(page.url)
        expect(page.locator("#end-heading")).to_have_text("Opened elsewhere")
        camera.excuse(page, "")
        camera.take(page, "Questioner", "opened elsewhere")


def try_it(camera: Camera) -> None:
    """A researcher plays both workers."""
    with camera.pages() as [page]:
        log_in(page, camera.product, "/desk/try/")
        frames = [frame for name in ("left", "right") if (frame := page.frame(name))]
        camera.take(page, "Try it", "invitations")
        for frame in frames:
            frame.get_by_label("I am 18 or over").check()
            frame.get_by_role("button", name="Start").click()
        pair = roles(*frames)
        watch(pair.answerer)
        a_round(pair, 1)
        camera.take(page, "Try it", "round 2")
        camera.visit(page, "/desk/try/nowhere/", "Try it", "no such study", status=404)


SCENES = [waiting, whole_dialog, time_runs, asking, loss, trouble, try_it]
