"""What is decided about workers and their money, as researchers see it, and as the worker does."""

from base64 import b32decode
from time import sleep

from django_otp.oath import totp
from playwright.sync_api import expect

from tests.gallery.camera import Camera
from tests.gallery.filling import fill, open_all, signed_in

PAID = """
from hits.models import EntryState, LedgerEntry
LedgerEntry.objects.filter(worker={worker}).update(state=EntryState.PAID)
"""
OF_APP = """
from base64 import b32encode
from django_otp.plugins.otp_totp.models import TOTPDevice
print(b32encode(TOTPDevice.objects.get().bin_key).decode())
"""


def recruiting(camera: Camera) -> None:
    """Recruitments of real people and of the sandbox, their reviews and payments, without a marketplace."""
    numbers = fill(camera)
    with signed_in(camera) as [page]:
        for environment, name in (("live", "live recruitment"), ("sandbox", "done recruitment")):
            at = f"/desk/recruiting/{numbers[name]}/"
            camera.visit(page, at, "Desk, recruiting", f"{environment}")
            camera.visit(page, f"{at}payments/", "Desk, payments", f"{environment}")
            camera.visit(page, f"{at}review/", "Desk, review", f"{environment}")
            camera.visit(page, f"{at}second/", "Desk, second look", f"{environment}")
        open_all(page)
        camera.take(page, "Desk, second look", "all opened")
        while (reject := page.get_by_role("button", name="I would reject it")).is_visible():
            reject.click()
        expect(page.get_by_text("Nothing waits for you")).to_be_visible()
        camera.take(page, "Desk, second look", "all looked at")


def workers(camera: Camera) -> None:
    """Find a worker, and all that is known of one."""
    numbers = fill(camera)
    with signed_in(camera) as [page]:
        camera.visit(page, "/desk/log/", "Desk, log", "the newest lines")
        camera.visit(page, "/desk/workers/", "Desk, workers", "find one")
        page.locator("[name=worker_id]").fill("nobody")
        page.get_by_role("button", name="Find").click()
        camera.take(page, "Desk, workers", "nobody found")
        page.locator("[name=worker_id]").fill("A1EXAMPLEOFANID")
        page.get_by_role("button", name="Find").click()
        expect(page.get_by_role("heading", name=f"Worker {numbers['busy']}")).to_be_visible()
        camera.take(page, "Desk, workers", "one worker")
        open_all(page)
        camera.take(page, "Desk, workers", "one worker, all opened")
        page.locator("form[action$='/bonus/do/'] [name=amount]").fill("much")
        page.locator("form[action$='/bonus/do/'] [name=reason]").fill("For answers with many details.")
        page.get_by_role("button", name="Pay this bonus").click()
        expect(page.get_by_role("alert").first).to_be_visible()
        camera.take(page, "Desk, workers", "a bonus refused")
        for _ in range(30):  # until the worker process has worked their pay out
            camera.go(page, f"/desk/workers/{numbers['erasable']}/")
            if page.get_by_text("reward, planned").count():
                break
            sleep(1)
        page.get_by_text("Erase …").click()
        page.get_by_label("They have asked for it").check()
        page.get_by_role("button", name="Erase").click()
        expect(page.get_by_text("They are still owed something")).to_be_visible()
        camera.take(page, "Desk, workers", "an erasure refused")
        camera.product.manage("shell", "-c", PAID.format(worker=numbers["erasable"]))
        page.get_by_text("Erase …").click()
        page.get_by_label("They have asked for it").check()
        page.get_by_role("button", name="Erase").click()
        expect(page.get_by_text("nothing here leads to the person").first).to_be_visible()
        camera.take(page, "Desk, workers", "one who was erased")


def roles(camera: Camera) -> None:
    """What those see who may only look, or only review; seats on offer; and a log without such a line."""
    numbers = fill(camera)
    kitchen, review = numbers["kitchen"], f"/desk/recruiting/{numbers['done recruitment']}/review/"
    for role in ("viewer", "reviewer"):
        with signed_in(camera, role) as [page]:
            camera.visit(page, "/admin/", "Admin, index", f"of a {role}")
            camera.visit(page, f"/desk/monitor/{kitchen}/", "Desk, monitor", f"of a {role}")
            camera.visit(page, f"/desk/workers/{numbers['busy']}/", "Desk, workers", f"one worker, of a {role}")
            camera.visit(page, review, "Desk, review", f"of a {role}")
            camera.visit(page, "/desk/log/", "Desk, log", f"refused to a {role}", status=403)
    with signed_in(camera) as [page]:
        camera.visit(page, f"/desk/monitor/{kitchen}/", "Desk, monitor", "of an owner")
        page.locator("[name=seats]").first.fill("8")
        page.locator("form:has([name=seats]) button").first.click()
        expect(page.get_by_role("heading", name="seats at a time instead of")).to_be_visible()
        camera.take(page, "Desk, seats", "more?")
        camera.visit(page, "/desk/log/?deed=block", "Desk, log", "no such line")


def mine(camera: Camera) -> None:
    """The page of one worker: tasks, pay, a rejection and its appeal, letters."""
    numbers = fill(camera)
    with camera.pages() as [page]:
        camera.visit(page, f"/mine/{numbers['mine']}/", "Your pay", "much")
        page.get_by_text("Ask for another look").first.click()
        page.get_by_label("Why was the work good?").first.fill(" ")
        page.get_by_role("button", name="Send the appeal").first.click()
        expect(page.get_by_role("alert").first).to_be_visible()
        camera.excuse(page, "/mine/")  # answered as a bad request
        camera.take(page, "Your pay", "an empty appeal")
        page.get_by_label("Why was the work good?").first.fill("I described what is in the picture, frame by frame.")
        page.get_by_role("button", name="Send the appeal").first.click()
        page.get_by_label("Your message").fill("When is the rest paid?")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_text("When is the rest paid?")).to_be_visible()
        camera.take(page, "Your pay", "written to the researcher")
        camera.visit(page, "/mine/12-ab/", "Your pay", "a bad link", status=404)
        camera.visit(page, f"/w/{numbers['last page']}/finish/", "End", "of a marketplace, rejected")
        page.get_by_role("button", name="4 good").click()
        page.get_by_label("Anything that we should know?").fill("Quick and clear.")
        camera.take(page, "End", "how it was, one tap")
        page.get_by_label("Anything that we should know?").press("Enter")
        expect(page.get_by_label("Anything that we should know?")).to_have_count(0)
        camera.take(page, "End", "how it was, said")
        payment = f"/payment/{numbers['payment']}/"
        camera.visit(page, payment, "Payment", "before it is accepted")
        camera.visit(page, f"{payment}?assignmentId=A1&hitId=H1&workerId=A2", "Payment", "accepted")


def second_factor(camera: Camera) -> None:
    """A second factor set up, asked for and turned off again."""
    at = "/desk/two-factor/"

    def code(ahead: int = 0) -> str:
        key = b32decode(camera.product.manage("shell", "-c", OF_APP).stdout.splitlines()[-1])
        return f"{totp(key, t0=-30 * ahead):06}"  # of a later half minute, since each is taken once

    with signed_in(camera) as [page]:
        camera.visit(page, at, "Second factor", "none yet")
        page.get_by_role("button", name="Set it up").click()
        camera.take(page, "Second factor", "the key for an app")
        page.get_by_role("textbox").fill("000000")
        page.get_by_role("button", name="Set it up").click()
        expect(page.get_by_role("alert")).to_be_visible()
        camera.take(page, "Second factor", "a wrong code")
        sleep(1)  # after a wrong code none is taken for a second
        page.get_by_role("textbox").fill(code())
        page.get_by_role("button", name="Set it up").click()
        camera.take(page, "Second factor", "recovery codes")
        camera.visit(page, at, "Second factor", "set up")
    with camera.pages() as [page]:
        camera.go(page, "/admin/login/")
        page.locator("#id_username").fill("researcher")
        page.locator("#id_password").fill(camera.product.password)
        page.locator("[type=submit]").click()
        expect(page.get_by_role("heading", name="And your code")).to_be_visible()
        camera.take(page, "Second factor", "asked for")
        page.get_by_role("textbox").fill(code(1))
        page.get_by_role("button", name="Go on").click()
        camera.go(page, at)
        page.get_by_role("textbox").fill(code(2))
        page.get_by_role("button", name="Turn it off").click()
        camera.take(page, "Second factor", "turned off")


SCENES = [recruiting, workers, roles, mine, second_factor]
