"""Fill an installation for the researcher's pages: programs talk, watch and judge as people would; rows are staged."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from playwright.sync_api import Page

from tests.e2e import test_relevance, test_summaries
from tests.e2e.workers import log_in
from tests.gallery.camera import Camera
from tests.gallery.entering import told
from tests.gallery.staged import PASSWORD
from tests.product import Product

AS_PEOPLE = """
from chat.models import Dialog
from collector.studies.models import Participation, StudyVideo, Worker
from collector.summaries.models import Viewing
for model in (Dialog, Participation, Worker):
    model.objects.filter(is_simulated=True).update(is_simulated=False)
for each in StudyVideo.objects.filter(study__slug__in=["demo", "summaries", "relevance"]):
    dialogs = Dialog.objects.filter(study=each.study, video=each.video, is_complete=True)
    viewings = Viewing.objects.filter(participation__study=each.study, video=each.video)
    started = dialogs.update(is_counted=True) + viewings.update(is_counted=True)
    StudyVideo.objects.filter(pk=each.pk).update(started=started)
"""
NUMBERS = """
import json
from chat.models import Dialog
from collector.studies.models import Study, Worker
from collector.summaries.models import Viewing
from collector.catalogue.models import Video
from collector.releases.models import Release
found = {each.slug: each.pk for each in Study.objects.all()}
found["dialog"] = Dialog.objects.filter(study__slug="demo", is_complete=True, seats__isnull=False).order_by("pk")[0].pk
found["erasable"] = Worker.objects.filter(participations__study__slug="summaries").latest("pk").pk
found |= {each.__name__.lower(): each.objects.order_by("pk")[0].pk for each in (Viewing, Video, Release)}
print("JSON" + json.dumps(found))
"""
STAGE = """
from django.db import transaction
from tests.gallery.staged import stage
with transaction.atomic():
    stage()
"""
_filled: dict[str, dict[str, Any]] = {}
"""By the address of the product."""


def fill(camera: Camera) -> dict[str, Any]:
    """Fill the installation, once; return the numbers of rows and the tokens of workers' pages by name."""
    product = camera.product
    if product.url not in _filled:
        _filled[product.url] = {}  # once only: a second try would stumble over what the first has made
        _talk_and_watch(product)
        _filled[product.url] = told(product, STAGE) | told(product, NUMBERS)
    return _filled[product.url]


@contextmanager
def signed_in(camera: Camera, role: str = "") -> Iterator[list[Page]]:
    """Give a page of the researcher's, or of somebody with another role, of an installation that is filled."""
    fill(camera)
    product = replace(camera.product, password=PASSWORD) if role else camera.product
    with camera.pages() as [page]:
        log_in(page, product, "/admin/", role or "researcher")
        yield [page]


def open_all(page: Page) -> None:
    """Open all that is folded away."""
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")


def _talk_and_watch(product: Product) -> None:
    for slug, make in (("summaries", test_summaries.MAKE), ("relevance", test_relevance.MAKE)):
        product.manage("shell", "-c", f"if not Study.objects.filter(slug={slug!r}).exists(): exec({make!r})")
    at = ("--url", product.url)
    product.manage("simulate_dialogs", "--pairs", "6", "--seed", "3", *at)
    product.manage("simulate_summaries", "--study", "summaries", "--watchers", "6", *at)
    product.manage("simulate_relevance", "--study", "relevance", "--watchers", "4", "--seed", "2", *at)
    product.manage("shell", "-c", AS_PEOPLE)
    bundle = str(product.var_dir / "bundle")
    release = ("--study", "demo", "--author", "Doe, Jo", "--formats", "dstc7", "--without-media", "--who", "researcher")
    product.manage("release", *release, "--out", bundle)
