"""A study on the local marketplace, on both sides: launched, previewed, worked on in its frame, reviewed, paid."""

from playwright.sync_api import Page, expect

from tests.e2e.test_marketplace import accept, market_url, sign_in, soon, submit
from tests.e2e.workers import log_in, roles, whole_dialog
from tests.gallery.camera import Camera
from tests.localmarket.market import AMBER, FERN

WORKER_PAGES = {"queue": "queue", "messages": "messages", "qualifications": "qualifications"}


def launched_worked_reviewed_paid(camera: Camera) -> None:
    """From the launch to the earnings, with both workers in the marketplace's frame."""
    product = camera.product
    with camera.pages() as [desk]:
        log_in(desk, product, "/admin/hits/recruitment/")
        desk.get_by_role("row", name="Demo").get_by_role("link", name="Open").click()
        soon(lambda: not desk.get_by_text("not asked yet").is_visible(), desk)
        camera.take(desk, "Desk, recruiting", "before the launch")
        desk.get_by_role("link", name="See what workers see").click()
        camera.take(desk, "Desk, preview", "of an offer")
        desk.go_back()
        desk.get_by_role("button", name="Launch the pilot").click()
        soon(lambda: desk.get_by_role("heading", name="Recruiting: pilot batch").is_visible(), desk)
        camera.take(desk, "Desk, recruiting", "pilot batch")
        _work(camera)
        _review(camera, desk)


def _work(camera: Camera) -> None:
    with camera.pages(2) as pages:
        camera.visit(pages[0], f"{market_url(camera.product)}/worker/sign-in", "Market", "sign in")
        # Pages that sign_in opens are their own; the first of them is listened to as all others are.
        amber, fern = (sign_in(camera.browser, camera.product, each) for each in (AMBER, FERN))
        camera.listen(amber)
        camera.take(amber, "Market", "offers")
        amber.get_by_role("link", name="Preview").click()
        expect(amber.frame_locator("iframe").get_by_text("This is a preview")).to_be_visible()
        camera.take(amber, "Market", "preview of a task")
        amber.go_back()
        whole_dialog(roles(accept(amber), accept(fern)))
        camera.take(amber, "Market", "after a dialog")
        for page in (amber, fern):
            submit(page)
        camera.take(amber, "Market", "submitted")
        for state, path in WORKER_PAGES.items():
            camera.visit(amber, f"{market_url(camera.product)}/worker/{path}", "Market", state)
        for page in (amber, fern):
            page.context.close()


def _review(camera: Camera, desk: Page) -> None:
    desk.get_by_role("link", name="Review").click()
    soon(lambda: desk.get_by_role("heading", name="2 submissions to review").is_visible(), desk)
    camera.take(desk, "Desk, review", "two submissions")
    item = desk.locator(".review-item").first
    item.press("r")
    desk.keyboard.type("This is only to see what it looks like; nobody is rejected.")
    item.get_by_role("button", name="Look at it once more").click()
    expect(desk.get_by_role("heading", name="What they wrote")).to_be_visible()
    camera.take(desk, "Desk, review", "a rejection, once more")
    desk.get_by_role("link", name="No, back to the review").click()
    expect(desk.get_by_role("heading", name="2 submissions to review")).to_be_visible()
    desk.wait_for_load_state()  # keys that come before its script are lost
    for key in "jxjxa":
        desk.keyboard.press(key)
    desk.keyboard.type("2")
    desk.get_by_role("button", name="Approve and pay 2").click()
    expect(desk.get_by_text("2 submissions will be approved and paid.")).to_be_visible()
    camera.take(desk, "Desk, review", "decided")
    desk.get_by_role("link", name="Launch and progress").click()
    soon(lambda: desk.get_by_text("$9.00").first.is_visible(), desk)
    camera.take(desk, "Desk, recruiting", "pilot paid")
    for link, state in (("Payments", "paid"), ("Workers", "find one")):
        desk.get_by_role("link", name=link, exact=True).click()
        camera.take(desk, f"Desk, {link.lower()}", state)
        desk.go_back()
    with camera.pages() as [page]:
        page.goto(f"{market_url(camera.product)}/worker/")
        page.locator(f"button[value={FERN}]").click()
        camera.visit(page, f"{market_url(camera.product)}/worker/earnings", "Market", "earnings")
        camera.visit(page, f"{market_url(camera.product)}/control/", "Market", "control")


SCENES = [launched_worked_reviewed_paid]
