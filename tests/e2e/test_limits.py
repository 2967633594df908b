"""What workers see of their limits, and what they can do: wait on or end, be left alone, report, be nudged."""

import re
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.workers import a_round, expect_move, join, pair, picture, roles, say, size, watch
from tests.product import Product

pytestmark = pytest.mark.long_drill  # the same rules are tested without a browser in every run
SOON = 15_000
"""Milliseconds: a visible page that hears nothing asks after ten seconds."""


def in_seconds(seconds: float) -> str:
    """Return a moment as the database keeps it."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S.%f")


def change(product: Product, statement: str, *values: object) -> None:
    """Let time pass at the server only: move a deadline in its database."""
    with sqlite3.connect(product.var_dir / "collector.sqlite3", timeout=20) as database:
        assert database.execute(statement, values).rowcount == 1
    database.close()


def participation(page: Page) -> int:
    found = re.search(r"/w/(\d+)-", page.url)
    assert found
    return int(found[1])


def move_seat(product: Product, page: Page, column: str, seconds: float) -> None:
    statement = f"UPDATE chat_seat SET {column} = ? WHERE participation_id = ? AND state != 'closed'"
    change(product, statement, in_seconds(seconds), participation(page))


def move_dialog(product: Product, page: Page, column: str, seconds: float) -> None:
    """Move a deadline of the page's dialog, and have the page look."""
    statement = (
        f"UPDATE chat_dialog SET {column} = ? WHERE id ="
        " (SELECT dialog_id FROM chat_seat WHERE participation_id = ? AND state != 'closed')"
    )
    change(product, statement, in_seconds(seconds), participation(page))
    page.reload()


def leave(page: Page, reason: str = "") -> None:
    page.get_by_role("button", name="Leave", exact=True).click()
    if reason:
        page.get_by_label(reason).check()
    page.locator("#leave-dialog").get_by_role("button", name="Leave").click()


def goes_away(page: Page) -> str:
    """Close the page as a worker would who is gone; return where it was."""
    url = page.url
    page.goto("about:blank")
    return url


def test_who_waits_in_vain_is_asked_and_ends_paid(browser: Browser, product: Product) -> None:
    page = join(browser.new_context(viewport=size("wide")), product.url, "vain")  # type: ignore[arg-type]
    expect(page.locator("#estimate")).not_to_be_empty()
    expect(page.locator("#waited")).to_have_text(re.compile(r"0:0[2-9]"))
    choice = page.get_by_role("region", name="Nobody has come yet")
    expect(choice).to_be_hidden()
    picture(page, "waiting-alone")

    move_seat(product, page, "due_at", -1)
    expect(choice).to_be_visible(timeout=SOON)
    expect(page.locator("#ends-left")).to_contain_text("today")
    picture(page, "waiting-choice")
    page.get_by_role("button", name="Keep waiting").click()
    expect(choice).to_be_hidden()
    page.reload()
    expect(page.get_by_role("button", name="End now, paid")).to_be_visible()
    expect(choice).to_be_hidden()

    move_seat(product, page, "entered_at", -3600)
    expect(choice).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="End, paid").click()
    expect(page.locator("#end-heading")).to_have_text("Nobody came")
    page.get_by_role("link", name="Go on").click()
    expect(page.locator("#code")).not_to_be_empty()
    expect(page.locator(".finish-contact")).to_contain_text("whoever gave you this link")
    picture(page, "finish-no-partner")


def test_a_lost_partner_is_counted_down_for_and_comes_back(browser: Browser, product: Product) -> None:
    workers = pair(browser, product.url, "lost")
    questioner, answerer = workers.questioner, workers.answerer
    questioner.locator("#text").fill("What is the first")
    url = goes_away(answerer)
    expect(questioner.locator("#lost")).to_contain_text("Time to come back: 0:", timeout=SOON)
    expect(questioner.locator("#partner-text")).to_have_text("Partner away")
    expect(questioner.locator("#turn-time")).to_be_hidden()
    expect(questioner.locator("#end-alone")).to_be_hidden()
    expect(questioner.locator("#text")).to_be_focused()
    expect(questioner.locator("#text")).to_have_value("What is the first")
    picture(questioner, "lost")
    answerer.goto(url)
    expect(questioner.locator("#lost")).to_be_hidden(timeout=SOON)
    watch(answerer)
    say(questioner, "What is the first thing to move?")
    expect_move(answerer, "answer")


def test_who_has_waited_the_short_grace_may_end_paid(browser: Browser, product: Product) -> None:
    workers = pair(browser, product.url, "alone")
    watch(workers.answerer)
    for number in (1, 2, 3):
        a_round(workers, number)
    expect_move(workers.questioner, "ask")
    lost = participation(workers.answerer)
    goes_away(workers.answerer)
    expect(workers.questioner.locator("#lost")).to_be_visible(timeout=SOON)
    expect(workers.questioner.locator("#end-alone")).to_be_hidden()
    statement = "UPDATE chat_seat SET due_at = ? WHERE participation_id = ? AND state != 'closed'"
    change(product, statement, in_seconds(100), lost)
    expect(workers.questioner.locator("#end-alone")).to_be_visible(timeout=SOON)
    picture(workers.questioner, "lost-may-end")
    workers.questioner.get_by_role("button", name="End now, paid").click()
    expect(workers.questioner.locator("#end-heading")).to_have_text("Your partner did not come back")
    picture(workers.questioner, "end")


def test_who_is_left_alone_waits_first_in_line_and_meets_another(browser: Browser, product: Product) -> None:
    workers = pair(browser, product.url, "again-new")
    stays, goes = workers.questioner, workers.answerer
    watch(goes)
    a_round(workers, 1)
    expect_move(stays, "ask")
    stays.locator("#text").fill("A draft for nobody")
    leave(goes, "I have no time left")
    expect(goes.locator("#end-heading")).to_have_text("You have left")
    expect(stays.get_by_role("heading", name="Your partner is gone")).to_be_visible()
    expect(stays.locator("#choice-why")).to_have_text("They left the dialog.")
    expect(stays.locator("#spoken")).to_have_text("Your partner is gone. They left the dialog.")
    expect(stays.locator("#choice-left")).to_have_text(re.compile(r"4:\d\d"))
    picture(stays, "choice")
    stays.reload()
    stays.get_by_role("button", name="Wait for another partner").click()
    expect(stays.get_by_role("heading", name="Looking for your partner")).to_be_visible()
    expect(stays.locator("#first-in-line")).to_be_visible()
    picture(stays, "waiting-first")

    newcomer = join(browser.new_context(viewport=size("wide")), product.url, "again-new-c")  # type: ignore[arg-type]
    workers = roles(stays, newcomer)
    expect(stays.locator(".line")).to_have_count(0)
    expect(stays.locator("#text")).to_have_value("")
    watch(workers.answerer)
    a_round(workers, 1)
    expect(workers.questioner.locator(".line")).to_have_count(2)
    expect_move(workers.questioner, "ask")


def test_who_is_left_alone_reads_whether_the_partner_was_lost_or_idle(browser: Browser, product: Product) -> None:
    workers = pair(browser, product.url, "why-lost")
    lost = participation(workers.answerer)
    goes_away(workers.answerer)
    expect(workers.questioner.locator("#lost")).to_be_visible(timeout=SOON)
    statement = "UPDATE chat_seat SET due_at = ? WHERE participation_id = ? AND state != 'closed'"
    change(product, statement, in_seconds(-1), lost)
    why = workers.questioner.locator("#choice-why")
    expect(why).to_have_text("They lost the connection and did not come back in time.", timeout=SOON)
    workers.questioner.get_by_role("button", name="End and be paid").click()
    expect(workers.questioner.locator("#end-heading")).to_have_text("Your partner did not come back")

    workers = pair(browser, product.url, "why-idle")
    move_dialog(product, workers.questioner, "turn_due_at", -1)
    expect(workers.answerer.locator("#choice-why")).to_have_text("They wrote nothing for too long.", timeout=SOON)
    workers.answerer.reload()
    expect(workers.answerer.locator("#choice-why")).to_have_text("They wrote nothing for too long.")


@pytest.mark.brings_about(r"ERR_FAILED.*/video")
def test_a_reported_video_ends_it_for_both(browser: Browser, own_product: Product) -> None:
    workers = pair(browser, own_product.url, "report")
    page = workers.answerer
    page.route(re.compile(r"/video$"), lambda route: route.abort())
    page.reload()
    page.get_by_role("button", name="Report the video").click()
    dialog = page.get_by_role("dialog", name="Report a problem")
    expect(dialog.get_by_label("does not play")).to_be_checked()
    dialog.get_by_role("button", name="Cancel").click()
    expect_move(page, "watch")

    page.get_by_role("button", name="Report a problem").click()
    dialog.get_by_role("button", name="Go on").click()
    expect(dialog.get_by_role("alert")).to_have_text("Choose what the problem is.")
    picture(page, "report")
    dialog.get_by_label("has no sound").check()
    dialog.get_by_role("button", name="Go on").click()
    expect(dialog.locator("#report-said")).to_have_text("The video: it has no sound.")
    picture(page, "report-sure")
    dialog.get_by_role("button", name="Report and end").click()
    for each in (page, workers.questioner):
        expect(each.locator("#end-heading")).to_have_text("This dialog was ended")
        expect(each.locator("#end-sentence")).to_contain_text("A problem with the video was reported")


def test_a_questioner_reports_a_partner_and_is_not_asked_about_sound(browser: Browser, own_product: Product) -> None:
    workers = pair(browser, own_product.url, "rude")
    page = workers.questioner
    page.get_by_role("button", name="Leave", exact=True).click()
    picture(page, "leave")
    page.locator("#leave-dialog").get_by_role("button", name="Report a problem").click()
    dialog = page.get_by_role("dialog", name="Report a problem")
    expect(dialog.get_by_text("has no sound")).to_be_hidden()
    picture(page, "report-questioner")
    dialog.get_by_label("are rude or hurtful").check()
    dialog.get_by_role("button", name="Go on").click()
    dialog.get_by_role("button", name="Report and end").click()
    expect(page.locator("#end-sentence")).to_contain_text("nobody is blamed")
    expect(workers.answerer.locator("#end-heading")).to_have_text("This dialog was ended")


def test_a_turn_counts_down_nudges_and_calls_at_last(browser: Browser, product: Product) -> None:
    workers = pair(browser, product.url, "nudge")
    page = workers.questioner
    expect(page.locator("#turn-time")).to_have_text(re.compile(r"4:5\d left"))
    expect(page.locator("#nudge")).to_be_hidden()
    move_dialog(product, page, "turn_due_at", 170)
    expect(page.locator("#nudge")).to_have_text("Please begin to write your first question.")
    expect(page).to_have_title(re.compile("^● Your partner waits"))
    expect(page.get_by_role("alert")).to_be_empty()
    picture(page, "nudge")
    page.locator("#text").press_sequentially("What")
    expect(page.locator("#nudge")).to_be_hidden()
    move_dialog(product, page, "turn_due_at", 50)
    expect(page.get_by_role("alert")).to_contain_text("Time left for your first question: less than a minute.")
    picture(page, "last-call")
    move_dialog(product, page, "turn_due_at", 250)
    expect(page.get_by_role("alert")).to_be_empty()
    move_dialog(product, page, "due_at", 590)
    expect(page.locator("#dialog-time")).to_contain_text("10 minutes are left for this dialog. Then the round")
    picture(page, "dialog-warning")


def test_the_invitation_names_the_times_and_what_is_kept(browser: Browser, product: Product) -> None:
    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    page.goto(f"{product.url}/join/demo/?participant=reader")
    expect(page.get_by_role("region", name="Times you can count on").get_by_role("listitem")).to_have_count(5)
    expect(page.get_by_text("What you do not send is never kept.")).to_be_visible()
    page.locator("#promises-heading").scroll_into_view_if_needed()
    picture(page, "join")
