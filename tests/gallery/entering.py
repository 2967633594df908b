"""What workers meet before and after the task: invitations, the lesson, links that lead nowhere, and every end."""

import json
import re
from typing import Any

from playwright.sync_api import Page, expect

from collector.studies import outcomes
from tests.e2e.test_learning import MAKE, check, choose, played
from tests.e2e.workers import say, watch
from tests.gallery.camera import Camera
from tests.product import Product

STUDIES = """
from collector.lib import clock
from collector.studies.models import Collection, State, Study
common = dict(collection=Collection.objects.get(name="Demo"), created_at=clock.now())
for state in (State.DRAFT, State.PAUSED, State.CLOSED):
    Study.objects.create(name=state.label, slug=f"is-{state.value}", state=state, **common)
Study.objects.create(
    name="Unpaid", slug="unpaid", state=State.OPEN, pay_note="A cinema ticket, at the desk.",
    institution="An institute", content_warning="Some videos show people who quarrel.", **common,
    completion_url="https://panel.example/done",
)
"""
ENDS = """
import json
import re
from collector.studies import outcomes
from collector.studies.admission import Identity, admit
from collector.studies.models import Outcome, Study
from django.db import transaction
study, tokens = Study.objects.get(slug={slug!r}), []
for number, (outcome, why) in enumerate({ends!r}):
    name = f"end-{{study.slug}}-{{number}}"
    admitted = admit(study, Identity("link", "live", name, entry={{"participant": name}}))
    with transaction.atomic():
        outcomes.end(admitted.participation.pk, Outcome(outcome), why=why)
    tokens.append(admitted.token)
print("JSON" + json.dumps(tokens))
"""


def told(product: Product, code: str) -> Any:
    """Run code in the product's shell and return what it prints after JSON."""
    return json.loads(product.manage("shell", "-c", code).stdout.rpartition("JSON")[2])


def invitations(camera: Camera) -> None:
    """The invitation, as it is read first and when something is missing, and the studies that take nobody in."""
    camera.product.manage("shell", "-c", STUDIES)
    with camera.pages() as [page]:
        camera.visit(page, "/join/demo/?participant=reader", "Invitation", "a dialog that pays")
        page.locator("[name=consent]").evaluate("box => { box.required = false; }")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_role("alert")).to_be_visible()
        camera.excuse(page, "/join/")  # answered as a bad request
        camera.take(page, "Invitation", "not agreed to")
        camera.visit(page, "/join/demo/kept/", "Invitation", "what is kept, why and for how long")
        camera.visit(page, "/join/unpaid/", "Invitation", "unpaid, with a warning")
        for state in ("draft", "paused", "closed"):
            camera.visit(page, f"/join/is-{state}/", "No way in", f"the study is {state}", status=403)
        camera.visit(page, "/join/nowhere/", "No way in", "no such study", status=404)
        camera.visit(page, "/join/demo/?participant=a%20b", "No way in", "a bad id", status=403)
        camera.visit(page, "/w/12-ab/", "No way in", "a bad personal link", status=404)
        camera.visit(page, "/payment/1a7f6c1e-7a53-4d53-8b38-0f5be0a5c111/", "No way in", "no payment", status=404)


def lesson(camera: Camera) -> None:
    """The lesson: device, three steps, practice in both roles, quiz."""
    camera.product.manage("shell", "-c", MAKE)
    with camera.pages() as [page]:
        begin(page, camera.product, "learner")
        camera.take(page, "Lesson, device", "first")
        check(page, "00")
        expect(page.get_by_role("alert")).to_be_visible()
        camera.take(page, "Lesson, device", "wrong numbers")
        check(page, played(camera.product, "learner"))
        expect(page.get_by_role("heading", name="How it works")).to_be_visible()
        camera.take(page, "Lesson, steps", "all three")
        page.get_by_role("button", name="Try it").click()
        camera.take(page, "Lesson, ask", "first")
        say(page, "Is there a sofa?")
        expect(page.locator("#advice")).to_be_visible()
        camera.take(page, "Lesson, ask", "advice")
        say(page, "What happens first in the video?")
        expect(page.locator(".talk-line--answerer")).to_be_visible()
        camera.take(page, "Lesson, ask", "answered")
        page.get_by_role("button", name="Now try to answer").click()
        camera.take(page, "Lesson, answer", "first")
        watch(page)
        say(page, "Yes")
        expect(page.locator("#advice")).to_be_visible()
        camera.take(page, "Lesson, answer", "advice")
        say(page, "First of all a large shape slides to the left.")
        camera.take(page, "Lesson, answer", "done")
        page.get_by_role("button", name="Finish the practice").click()
        expect(page.get_by_role("heading", name="A short quiz")).to_be_visible()
        camera.take(page, "Lesson, quiz", "first")
        choose(page, "The script", "The Answerer")
        expect(page.get_by_role("alert")).to_be_visible()
        camera.take(page, "Lesson, quiz", "wrong answers")


def device_fails(camera: Camera) -> None:
    """A device that never fits: the last try, and the end."""
    with camera.pages() as [page]:
        begin(page, camera.product, "deaf")
        end = page.get_by_role("button", name=re.compile("^End, paid"))
        while not end.is_visible():
            tried = page.locator("[name=number]").input_value()
            check(page, "00")
            expect(page.locator(f"[name=number][value='{tried}']")).to_have_count(0)
        camera.take(page, "Lesson, device", "no try left")
        end.click()
        page.wait_for_url("**/finish/")
        camera.take(page, "End", "the device did not fit")


def begin(page: Page, product: Product, name: str) -> None:
    """Agree to the study that teaches."""
    page.goto(f"{product.url}/join/learning/?participant={name}")
    page.get_by_label("I am 18 or over").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Check your sound and screen")).to_be_visible()


def ends(camera: Camera) -> None:
    """What every end says: paid, unpaid with a way back, and withdrawn."""
    every = [(str(outcome), "") for outcome in outcomes._ENDS] + [(str(o), str(why)) for o, why in outcomes._ENDS_WHY]
    tokens = told(camera.product, ENDS.format(slug="demo", ends=every))
    with camera.pages() as [page]:
        for (outcome, why), token in zip(every, tokens, strict=True):
            state = f"{outcome}, {why}" if why else outcome
            camera.visit(page, f"/w/{token}/finish/", "End", state.replace("_", " "))
        camera.go(page, f"/w/{tokens[0]}/finish/")
        page.locator(".finish-withdraw summary").click()
        camera.take(page, "End", "complete, withdrawal opened")
        page.get_by_role("link", name="Your tasks and your pay").click()
        expect(page.get_by_role("heading", name="Your tasks and your pay")).to_be_visible()
        camera.take(page, "Your pay", "one task")
        [unpaid] = told(camera.product, ENDS.format(slug="unpaid", ends=every[:1]))
        camera.visit(page, f"/w/{unpaid}/finish/", "End", "complete, unpaid, with an address")


SCENES = [invitations, lesson, device_fails, ends]
