"""The rooms of a worker without a partner: watching and summing up, judging answers."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

from collector.studies import outcomes
from tests.e2e import test_relevance, test_summaries
from tests.e2e.workers import expect_move, watch
from tests.gallery.camera import Camera
from tests.gallery.entering import ENDS, told


def summaries(camera: Camera) -> None:
    """A watcher: invitation, example, video, summary, leaving, end."""
    with invited(camera, "summaries", test_summaries.MAKE) as page:
        expect(page.get_by_role("heading", name="First, an example")).to_be_visible()
        camera.take(page, "Summary", "example")
        test_summaries.open_video(page)
        camera.take(page, "Summary", "to watch")
        leaving(camera, page, "Summary")
        watch(page)
        expect_move(page, "summarise")
        camera.take(page, "Summary", "to write")
        page.locator("#text").fill("Too short")
        page.locator("#text").press("Enter")
        expect(page.locator(".refusal-sentence")).to_be_visible()
        camera.take(page, "Summary", "refused: too short")
        page.locator("#text").fill(test_summaries.SUMMARY)
        camera.take(page, "Summary", "written")
        page.get_by_role("button", name="Send summary").click()
        page.wait_for_url("**/finish/")
        camera.take(page, "End", "after a summary")


def relevance(camera: Camera) -> None:
    """A judge: invitation, task, video, marks, what is missing, end."""
    with invited(camera, "relevance", test_relevance.MAKE) as page:
        camera.take(page, "Relevance", "task")
        test_relevance.open_video(page)
        camera.take(page, "Relevance", "to watch")
        leaving(camera, page, "Relevance")
        watch(page)
        expect_move(page, "judge")
        camera.take(page, "Relevance", "to mark")
        page.get_by_role("button", name="Next page").click()
        expect(page.locator("#refusal")).to_be_visible()
        camera.take(page, "Relevance", "marks missing")
        test_relevance.mark_page(page)
        page.get_by_role("button", name="Back", exact=True).click()
        camera.take(page, "Relevance", "marked")
        page.get_by_role("button", name="Next page").click()
        for _ in range(9):
            test_relevance.mark_page(page)
        page.wait_for_url("**/finish/")
        camera.take(page, "End", "after a relevance task")


def ends(camera: Camera) -> None:
    """The ends whose words are others where there was no partner."""
    every = [(str(outcome), str(why)) for outcome, why in outcomes._ENDS_ALONE]
    tokens = told(camera.product, ENDS.format(slug="summaries", ends=every))
    with camera.pages() as [page]:
        for (outcome, why), token in zip(every, tokens, strict=True):
            camera.visit(page, f"/w/{token}/finish/", "End", f"alone: {outcome}, {why}".replace("_", " "))


@contextmanager
def invited(camera: Camera, slug: str, make: str) -> Iterator[Page]:
    """Make a study, look at its invitation, agree and start."""
    camera.product.manage("shell", "-c", make)
    with camera.pages() as [page]:
        camera.visit(page, f"/join/{slug}/?participant=alone", "Invitation", f"of kind {slug}")
        page.get_by_label("I am 18 or over").check()
        page.get_by_role("button", name="Start").click()
        yield page


def leaving(camera: Camera, page: Page, name: str) -> None:
    """Open what is asked before leaving, and before a report, and stay."""
    page.locator("#leave").click()
    camera.take(page, name, "leave?")
    page.locator("#leave-report").click()
    camera.take(page, name, "report?")
    page.get_by_role("button", name="Cancel").click()


SCENES = [summaries, relevance, ends]
