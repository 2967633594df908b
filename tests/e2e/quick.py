"""A study of two rounds and a short video, and two workers who are in a hurry."""

from typing import Any

from playwright.sync_api import Browser, Page

from tests.e2e.workers import Pair, join, roles, size
from tests.product import Product

ROUNDS = 2
MAKE = f"""
from collector.catalogue.models import Video
from collector.lib import clock
from collector.studies.models import Collection, State, Study, StudyVideo
if not Study.objects.filter(slug="room").exists():
    study = Study.objects.create(
        name="Room", slug="room", state=State.OPEN, created_at=clock.now(), rounds={ROUNDS}, frames_shown=1,
        reward="2.40", waiting_pay="0.15", collection=Collection.objects.create(name="Room", cap=99),
    )
    video = min(Video.objects.all(), key=lambda each: each.duration)
    StudyVideo.objects.create(study=study, video=video, wanted=None)
"""
HURRY = "document.addEventListener('play', (event) => { event.target.playbackRate = 4; }, true);"
"""What is played counts as watched at any speed."""


def make_study(product: Product) -> None:
    """Make the study, called ``room``, unless it is there."""
    product.manage("shell", "-c", MAKE)


def new_page(browser: Browser, **options: Any) -> Page:
    """Open a page in which videos play fast."""
    context = browser.new_context(viewport=size("wide"), **options)  # type: ignore[arg-type]
    context.add_init_script(HURRY)
    return context.new_page()


def two(browser: Browser, product: Product, name: str) -> Pair:
    """Bring two people together in it."""
    contexts = [new_page(browser).context for _ in "ab"]
    return roles(*(join(context, product.url, f"{name}-{n}", study="room") for n, context in enumerate(contexts)))
