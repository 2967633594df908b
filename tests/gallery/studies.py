"""The researcher's pages about a study: how it goes, what came of it, what is to be looked at, what leaves."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.test_marketplace import soon
from tests.gallery.camera import Camera
from tests.gallery.filling import fill, open_all, signed_in


def monitor(camera: Camera) -> None:
    """The monitor before, while and after people work; and what its buttons say."""
    numbers = fill(camera)
    kitchen = f"/desk/monitor/{numbers['kitchen']}/"
    with signed_in(camera) as [page]:
        camera.visit(page, f"/desk/monitor/{numbers['empty']}/", "Desk, monitor", "a draft")
        camera.visit(page, f"/desk/monitor/{numbers['summaries']}/", "Desk, monitor", "of watchers")
        camera.visit(page, kitchen, "Desk, monitor", "people wait and talk")
        page.get_by_text("The last hours as a chart").click()
        chart = page.frame_locator(".monitor-chart").locator(".main-svg").first
        expect(chart).to_be_visible()
        camera.take(page, "Desk, monitor", "with its chart")
        page.route(re.compile("/now/$"), lambda route: route.abort())
        expect(page.locator("#stale")).to_be_visible()
        camera.excuse(page, "/now/")
        camera.take(page, "Desk, monitor", "cannot be refreshed")
        page.unroute(re.compile("/now/$"))
        camera.visit(page, f"/desk/dialogs/{numbers['live']}/watch/", "Desk, watch", "a dialog that goes on")
        camera.visit(page, f"/desk/dialogs/{numbers['dialog']}/watch/", "Desk, watch", "a dialog that has ended")
        camera.go(page, f"/desk/monitor/{numbers['no-items']}/")
        page.get_by_role("button", name="Pause").click()
        camera.take(page, "Desk, monitor", "paused just now")


def preflight(camera: Camera) -> None:
    """Before workers come: nothing asked yet, checked, rehearsed, and a study that lets nobody in."""
    numbers = fill(camera)
    with signed_in(camera) as [page]:
        camera.visit(page, f"/desk/preflight/{numbers['another']}/", "Desk, preflight", "of a closed study")
        camera.visit(page, f"/desk/preflight/{numbers['empty']}/", "Desk, preflight", "nothing asked yet")
        page.get_by_role("button", name="Check").click()
        made(camera, page, "Desk, preflight", "checked")
        page.get_by_role("button", name="Rehearse").click()
        made(camera, page, "Desk, preflight", "a rehearsal failed")  # the study has no video
        camera.go(page, f"/desk/preflight/{numbers['demo']}/")
        page.get_by_role("button", name="Rehearse").click()
        made(camera, page, "Desk, preflight", "rehearsed")


def statistics(camera: Camera) -> None:
    """Statistics: none yet, nothing to count, counted, the report itself, and word lists that are refused."""
    numbers = fill(camera)
    demo = f"/desk/statistics/{numbers['demo']}/"
    with signed_in(camera) as [page]:
        camera.visit(page, f"/desk/statistics/{numbers['empty']}/", "Desk, statistics", "of nothing")
        page.get_by_role("button", name="Count").click()
        camera.take(page, "Desk, statistics", "refused")
        camera.visit(page, demo, "Desk, statistics", "before")
        page.get_by_role("button", name="Count").click()
        made(camera, page, "Desk, statistics")
        camera.go(page, demo)
        page.get_by_text("Edit the lists").click()
        page.locator("textarea").first.fill("what? the-sound")
        page.get_by_role("button", name="Keep these lists").click()
        expect(page.get_by_role("alert").first).to_be_visible()
        camera.take(page, "Desk, statistics", "a list refused")
        camera.go(page, f"{demo}0/statistics.html")
        expect(page.locator(".main-svg").first).to_be_visible()
        camera.take(page, "Desk, statistics", "the report")
        # Below its table, which is long: the page as it stands when one has scrolled to what it draws.
        page.locator(".wide").evaluate("node => node.remove()")
        camera.take(page, "Desk, statistics", "charts")


def summaries(camera: Camera) -> None:
    """Table 2: before, with too few watchers, made."""
    numbers = fill(camera)
    with signed_in(camera) as [page]:
        camera.visit(page, f"/desk/summaries/{numbers['summaries']}/", "Desk, Table 2", "before")
        page.get_by_text("Watchers and seed").click()
        page.locator("[name=watchers]").fill("90")
        page.get_by_role("button", name="Compare").click()
        made(camera, page, "Desk, Table 2", "too few watchers")
        page.get_by_text("Watchers and seed").click()
        page.locator("[name=watchers]").fill("3")
        page.get_by_role("button", name="Compare").click()
        made(camera, page, "Desk, Table 2")


def relevance(camera: Camera) -> None:
    """Items without judgements, and judged ones."""
    numbers = fill(camera)
    with signed_in(camera) as [page]:
        camera.visit(page, f"/desk/relevance/{numbers['no-items']}/", "Desk, relevance", "no items")
        camera.visit(page, f"/desk/relevance/{numbers['relevance']}/", "Desk, relevance", "judged")


def learning_and_voices(camera: Camera) -> None:
    """What came before the task, and what workers say: nothing, and much."""
    numbers = fill(camera)
    with signed_in(camera) as [page]:
        for name, state in (("empty", "nothing yet"), ("kitchen", "much")):
            camera.visit(page, f"/desk/learning/{numbers[name]}/", "Desk, learning", state)
            camera.visit(page, f"/desk/voices/{numbers[name]}/", "Desk, voices", state)


def quality(camera: Camera) -> None:
    """Flags: none, some, tried, refused, written as files, of one dialog."""
    numbers = fill(camera)
    with signed_in(camera) as [page]:
        camera.visit(page, f"/desk/quality/{numbers['empty']}/", "Desk, quality", "no dialogs")
        camera.visit(page, f"/desk/quality/{numbers['kitchen']}/", "Desk, quality", "flags")
        open_all(page)
        camera.take(page, "Desk, quality", "all opened")
        threshold = page.locator(".desk-thresholds input").first
        threshold.fill("1")
        page.get_by_role("button", name="Try it").click()
        camera.take(page, "Desk, quality", "tried")
        threshold.fill("many")
        page.get_by_role("button", name="Try it").click()
        expect(page.get_by_role("alert").first).to_be_visible()
        camera.take(page, "Desk, quality", "a threshold refused")
        camera.go(page, f"/desk/quality/{numbers['kitchen']}/")
        page.locator("form[action$='/count/'] button").click()
        soon(page.get_by_role("link", name="flags.csv").is_visible, page)
        camera.take(page, "Desk, quality", "files written")
        one = f"/desk/quality/{numbers['kitchen']}/{numbers['poor']}/"
        camera.visit(page, one, "Desk, quality", "one dialog")
        open_all(page)
        camera.take(page, "Desk, quality", "one dialog, all opened")


def personal(camera: Camera) -> None:
    """What looks personal: nothing, to be decided, decided."""
    numbers = fill(camera)
    with signed_in(camera) as [page]:
        camera.visit(page, f"/desk/studies/{numbers['empty']}/personal/", "Desk, personal data", "nothing")
        camera.visit(page, f"/desk/studies/{numbers['kitchen']}/personal/", "Desk, personal data", "finds")
        page.get_by_label("Redact", exact=True).first.check()
        page.get_by_role("button", name="Leave all others, too").click()
        expect(page.get_by_role("heading", name="Decided")).to_be_visible()
        camera.take(page, "Desk, personal data", "decided")


def exports(camera: Camera) -> None:
    """Exports: none, refused at once, one made, one that could not be made."""
    fill(camera)
    with signed_in(camera) as [page]:
        camera.visit(page, "/desk/exports/", "Desk, exports", "nothing yet")
        page.get_by_text("Test files and answers to rank").click()
        camera.take(page, "Desk, exports", "all fields")
        page.locator("[name=seed]").fill("seven")
        page.get_by_role("button", name="Export").click()
        expect(page.get_by_role("alert").first).to_be_visible()
        camera.take(page, "Desk, exports", "refused")
        for form in ("dstc7", "visdial"):  # for the second there are too few answers to rank
            camera.go(page, "/desk/exports/?study=demo")
            page.locator("[name=format]").select_option(form)
            page.get_by_role("button", name="Export").click()
        made(camera, page, "Desk, exports")


def replay(camera: Camera) -> None:
    """A dialog, second by second, a viewing, and the way there from an exported line."""
    numbers = fill(camera)
    with signed_in(camera) as [page]:
        camera.visit(page, f"/desk/replay/viewing/{numbers['viewing']}/", "Desk, replay", "a viewing")
        camera.visit(page, f"/desk/replay/dialog/{numbers['live']}/", "Desk, replay", "a dialog that goes on")
        camera.visit(page, f"/desk/replay/dialog/{numbers['good']}/", "Desk, replay", "the beginning")
        page.locator("#replay-slider").fill("100")
        camera.take(page, "Desk, replay", "100 s later")
        page.get_by_text("How to read it").click()
        camera.take(page, "Desk, replay", "how to read it")
        camera.visit(page, "/desk/find/", "Desk, find a line", "nothing asked")
        camera.visit(page, "/desk/find/?key=nothing", "Desk, find a line", "nothing found")
        camera.visit(page, "/desk/find/?key=SCN01", "Desk, find a line", "of a video")


def made(camera: Camera, page: Page, name: str, state: str = "made") -> None:
    """Take a page down when the worker process has done what was asked for, and before if it shows."""
    under_way = page.locator("[data-jobs]:not([data-jobs=''])")
    if under_way.count():
        camera.take(page, name, f"under way, {state}")
    soon(lambda: not under_way.count(), page)
    camera.take(page, name, state)


SCENES = [
    monitor, preflight, statistics, summaries, relevance, learning_and_voices, quality, personal, exports, replay,
]  # fmt: skip
