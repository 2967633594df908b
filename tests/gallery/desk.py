"""The admin, of an installation that programs and staged rows have filled."""

from playwright.sync_api import Page, expect

from tests.e2e.workers import log_in
from tests.gallery.camera import Camera
from tests.gallery.filling import fill, signed_in

LISTS = (
    "studies/study", "studies/collection", "studies/worker", "studies/participation", "catalogue/video", "chat/dialog",
    "chat/seat", "chat/report", "hits/recruitment", "hits/hit", "hits/assignment", "hits/ledgerentry", "hits/letter",
    "learning/lesson", "summaries/viewing", "summaries/videoreport", "relevance/item", "relevance/judging",
    "releases/release", "auth/user",
)  # fmt: skip


def lists(camera: Camera) -> None:
    """The index, and every list."""
    with signed_in(camera) as [page]:
        camera.visit(page, "/admin/", "Admin", "index")
        for path in LISTS:
            camera.visit(page, f"/admin/{path}/", "Admin, list", path.partition("/")[2])
        camera.visit(page, "/admin/studies/participation/?outcome__exact=withdrawn", "Admin, list", "nothing found")


def forms(camera: Camera) -> None:
    """What researchers write: new, filled, refused; and what asks before it deletes."""
    numbers = fill(camera)
    with signed_in(camera) as [page]:
        camera.visit(page, "/admin/studies/study/add/", "Admin, form", "new study")
        refused(camera, page, "new study, refused")
        camera.visit(page, f"/admin/studies/study/{numbers['demo']}/change/", "Admin, form", "study")
        shown = page.frame_locator(".draft-panel iframe")
        page.locator(".draft-views").get_by_role("button", name="Answerer").click()
        expect(shown.get_by_role("heading", level=1)).to_be_visible()
        camera.take(page, "Admin, form", "study, as Answerers would see it")
        page.get_by_label("Quiz:", exact=True).fill("What is heard?\n- Rain\n- A knock")
        expect(page.locator(".draft-errors")).to_contain_text("Mark one")
        camera.take(page, "Admin, form", "study, a quiz that does not go")
        camera.visit(page, "/admin/hits/recruitment/add/", "Admin, form", "new recruitment")
        refused(camera, page, "new recruitment, refused")
        live = numbers["live recruitment"]
        camera.visit(page, f"/admin/hits/recruitment/{live}/change/", "Admin, form", "recruitment")
        camera.visit(page, f"/admin/chat/dialog/{numbers['dialog']}/change/", "Admin, form", "dialog")
        camera.visit(page, f"/admin/catalogue/video/{numbers['video']}/change/", "Admin, form", "video")
        camera.visit(page, f"/admin/releases/release/{numbers['release']}/change/", "Admin, form", "release")
        empty = f"/admin/studies/study/{numbers['empty']}"
        camera.visit(page, f"{empty}/history/", "Admin", "history of a study")
        camera.visit(page, f"{empty}/delete/", "Admin", "delete a study?")


def refused(camera: Camera, page: Page, state: str) -> None:
    """Save a form that lacks something."""
    page.locator("[name=_save]").evaluate("button => { button.form.noValidate = true; button.click(); }")
    expect(page.locator(".errornote")).to_be_visible()
    camera.take(page, "Admin, form", state)


def doors(camera: Camera) -> None:
    """Signing in and out, and addresses that lead nowhere."""
    with camera.pages() as [page]:
        camera.visit(page, "/admin/login/", "Admin", "sign in")
        page.locator("#id_username").fill("somebody")
        page.locator("#id_password").fill("a wrong password")
        page.locator("[type=submit]").click()
        expect(page.locator(".errornote")).to_be_visible()
        camera.take(page, "Admin", "signing in refused")
        camera.visit(page, "/there/is/nothing/", "Admin", "no such page", status=404)
        log_in(page, camera.product, "/admin/")
        camera.visit(page, "/admin/password_change/", "Admin", "change the password")
        camera.visit(page, "/desk/monitor/999999/", "Admin", "no such study", status=404)
        camera.go(page, "/admin/")
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_text("Thanks for spending")).to_be_visible()
        camera.take(page, "Admin", "signed out")


SCENES = [lists, forms, doors]
