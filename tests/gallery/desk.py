"""The researcher's pages, of an installation in which programs have talked, watched and judged in people's place."""

from playwright.sync_api import Page

from tests.e2e import test_relevance, test_summaries
from tests.e2e.test_marketplace import soon
from tests.e2e.workers import log_in
from tests.gallery.camera import Camera
from tests.gallery.entering import told

AS_PEOPLE = """
from chat.models import Dialog
from collector.studies.models import Participation, Worker
for model in (Dialog, Participation, Worker):
    model.objects.filter(is_simulated=True).update(is_simulated=False)
"""
NUMBERS = """
import json
from chat.models import Dialog
from collector.studies.models import Participation, Study, StudyVideo, Worker
from collector.summaries.models import Viewing
from collector.catalogue.models import Video
from hits.models import LedgerEntry
found = {each.slug: each.pk for each in Study.objects.all()}
first = {"dialog": Dialog, "worker": Worker, "viewing": Viewing, "video": Video}
print("JSON" + json.dumps(found | {name: model.objects.order_by("pk").first().pk for name, model in first.items()}))
"""
LISTS = (
    "studies/study", "studies/collection", "studies/worker", "studies/participation", "catalogue/video", "chat/dialog",
    "chat/seat", "chat/report", "hits/recruitment", "hits/hit", "hits/assignment", "hits/ledgerentry",
    "learning/lesson", "summaries/viewing", "summaries/videoreport", "relevance/item", "relevance/judging",
    "releases/release",
)  # fmt: skip


def fill(camera: Camera) -> None:
    """Programs talk, watch and judge, and a release is made."""
    product = camera.product
    studies = {"summaries": test_summaries.MAKE, "relevance": test_relevance.MAKE}
    there = told(product, NUMBERS_OF_STUDIES)
    for slug, code in studies.items():
        if slug not in there:
            product.manage("shell", "-c", code)
    at = ("--url", product.url)
    product.manage("simulate_dialogs", "--pairs", "6", "--seed", "3", *at)
    product.manage("simulate_summaries", "--study", "summaries", "--watchers", "6", *at)
    product.manage("simulate_relevance", "--study", "relevance", "--watchers", "4", "--seed", "2", *at)
    product.manage("shell", "-c", AS_PEOPLE)
    bundle = str(product.var_dir / "bundle")
    release = ("--study", "demo", "--author", "Doe, Jo", "--formats", "dstc7", "--without-media", "--who", "researcher")
    product.manage("release", *release, "--out", bundle)


NUMBERS_OF_STUDIES = """
import json
from collector.studies.models import Study
print("JSON" + json.dumps(list(Study.objects.values_list("slug", flat=True))))
"""


def admin(camera: Camera) -> None:
    """The admin: sign in, index, every list, the forms of what researchers write."""
    numbers = told(camera.product, NUMBERS)
    with camera.pages() as [page]:
        camera.visit(page, "/admin/login/", "Admin", "sign in")
        log_in(page, camera.product, "/admin/")
        camera.take(page, "Admin", "index")
        for path in LISTS:
            camera.visit(page, f"/admin/{path}/", "Admin, list", path.partition("/")[2])
        camera.visit(page, "/admin/studies/study/add/", "Admin, form", "new study")
        camera.visit(page, f"/admin/studies/study/{numbers['demo']}/change/", "Admin, form", "study")
        camera.visit(page, "/admin/hits/recruitment/add/", "Admin, form", "new recruitment")
        camera.visit(page, f"/admin/chat/dialog/{numbers['dialog']}/change/", "Admin, form", "dialog")
        camera.visit(page, f"/admin/catalogue/video/{numbers['video']}/change/", "Admin, form", "video")


def pages(camera: Camera) -> None:
    """The desk's own pages about studies, dialogs and people."""
    numbers = told(camera.product, NUMBERS)
    demo = numbers["demo"]
    with camera.pages() as [page]:
        log_in(page, camera.product, "/admin/")
        counted(camera, page, f"/desk/statistics/{demo}/", "Count", "Desk, statistics")
        counted(camera, page, f"/desk/summaries/{numbers['summaries']}/", "Compare", "Desk, summaries")
        camera.visit(page, f"/desk/relevance/{numbers['relevance']}/", "Desk, relevance", "judged")
        camera.visit(page, f"/desk/learning/{demo}/", "Desk, learning", "nothing to learn")
        camera.visit(page, f"/desk/monitor/{demo}/", "Desk, monitor", "nobody inside")
        camera.visit(page, f"/desk/voices/{demo}/", "Desk, voices", "of workers")
        camera.visit(page, f"/desk/replay/dialog/{numbers['dialog']}/", "Desk, replay", "a dialog")
        camera.visit(page, f"/desk/replay/viewing/{numbers['viewing']}/", "Desk, replay", "a viewing")
        camera.visit(page, "/desk/find/", "Desk, find", "nothing asked")
        camera.visit(page, f"/desk/quality/{demo}/", "Desk, quality", "flags")
        camera.visit(page, f"/desk/quality/{demo}/{numbers['dialog']}/", "Desk, quality", "one dialog")
        camera.visit(page, f"/desk/replay/dialog/{numbers['dialog']}/", "Desk, replay", "the beginning")
        page.locator("#replay-slider").fill("40")
        camera.take(page, "Desk, replay", "40 s later")
        camera.visit(page, "/desk/find/?key=nothing", "Desk, find a line", "nothing found")
        camera.visit(page, f"/desk/studies/{demo}/personal/", "Desk, personal data", "finds")
        counted(camera, page, "/desk/exports/", "Export", "Desk, exports")
        camera.visit(page, "/desk/workers/", "Desk, workers", "find one")
        camera.visit(page, f"/desk/workers/{numbers['worker']}/", "Desk, workers", "one worker")
        for summary in page.locator("details > summary").all():
            summary.click()
        camera.take(page, "Desk, workers", "one worker, all opened")


def counted(camera: Camera, page: Page, address: str, button: str, name: str) -> None:
    """Take a page down before and after what it has made in the background."""
    camera.visit(page, address, name, "before")
    page.get_by_role("button", name=button, exact=True).click()
    made = page.locator("a[href$='/file'], a[href$='.html'], a[href$='.csv']").first
    soon(made.is_visible, page)
    camera.take(page, name, "made")


SCENES = [fill, admin, pages]
