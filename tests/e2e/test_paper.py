"""From dialogs to a paper, in one run: all that is published beside a collection, made from what programs said.

The commands are those of docs/paper.md, in its order. Pictures of the desk's pages are kept.
"""

import csv
import json
import random
import subprocess
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from collector.exports.submissions import OPTIONS
from tests.e2e.workers import log_in, picture, size
from tests.product import Product

pytestmark = [pytest.mark.timeout(900), pytest.mark.long_drill]

DIALOGS, WATCHERS, JUDGES = 24, 4, 4
STUDIES = f"""
from collector.catalogue.models import Video
from collector.lib import clock
from collector.studies.models import Collection, Kind, State, Study, StudyVideo
demo = Study.objects.get(slug="demo")
common = dict(state=State.OPEN, collection=demo.collection, researcher="whoever gave you this link", reward="1.50")
videos = [each.video for each in demo.study_videos.order_by("video__image_id")]
example = videos.pop()
made = Study.objects.create(
    kind=Kind.SUMMARY, name="Summaries", slug="summaries", example=example, created_at=clock.now(), **common
)
for video in videos:
    StudyVideo.objects.create(study=made, video=video, wanted={WATCHERS})
Study.objects.create(
    kind=Kind.RELEVANCE, name="Relevance", slug="relevance", example=example, created_at=clock.now(),
    dialogs_per_video={JUDGES}, **common
)
"""
PAGES = {
    "quality": "/desk/quality/1/", "relevance": "/desk/relevance/3/", "personal": "/desk/studies/1/personal/",
    "releases": "/admin/releases/release/", "studies": "/admin/studies/study/",
}  # fmt: skip
HOW_MANY = "print(S.objects.filter(study__slug='summaries').count())"


def made_up_ranking(against: Path, out: Path) -> None:
    """Rank each round's answers by chance, as the Visual Dialog Challenge takes it."""
    rng = random.Random(7)
    dialogs = json.loads(against.read_text())["data"]["dialogs"]
    entries = [
        {"image_id": each["image_id"], "round_id": number, "ranks": rng.sample(range(1, OPTIONS + 1), OPTIONS)}
        for each in dialogs
        for number in range(1, len(each["dialog"]) + 1)
    ]
    out.write_text(json.dumps(entries))


def press(page: Page, button: str, until: str) -> None:
    """Have the worker process do something, what simulated workers did included, and load again until it is done."""
    page.get_by_label("simulated workers").check()
    page.get_by_role("button", name=button, exact=True).click()
    for _ in range(120):
        page.wait_for_timeout(1000)
        page.reload()
        if page.get_by_text(until).count():
            return
    raise AssertionError(f"{button}: {until} never came. {page.locator('main').inner_text()}")


def test_from_dialogs_to_a_paper(browser: Browser, whole_product: Product, tmp_path: Path) -> None:
    product = whole_product

    def run(*args: str) -> str:
        started = time.monotonic()
        said = product.manage(*args, timeout=600).stdout
        print(f"{args[0]}: {time.monotonic() - started:.1f} s")
        return said

    # Dialogs, each about another video, and what they look like.
    run("load_samples", "--number", str(DIALOGS))
    run("load_demo")
    run("simulate_dialogs", "--pairs", str(DIALOGS), "--seed", "11", "--url", product.url)
    statistics = tmp_path / "statistics"
    run("dialog_statistics", "--study", "demo", "--simulated", "--out", str(statistics))
    figures = {row["figure"]: row for row in csv.DictReader((statistics / "figures.csv").open())}
    assert figures, "no figure"
    assert (statistics / "statistics.html").stat().st_size > 100_000

    # Watchers sum up the same videos: Table 2.
    product.manage("shell", "-c", STUDIES)
    number = int(run("shell", "-c", "from collector.studies.models import StudyVideo as S; " + HOW_MANY).split()[-1])
    run("simulate_summaries", "--study", "summaries", "--watchers", str(WATCHERS * number), "--url", product.url)
    table = tmp_path / "table2.csv"
    said = run("summary_study", "--study", "summaries", "--dialogs", "demo", "--simulated", "--out", str(table))
    rows = list(csv.DictReader(table.open()))
    assert rows, said

    # A ranking task, a ranking, and what people find correct.
    visdial = tmp_path / "visdial"
    run("export_avsd", "--format", "visdial", "--study", "demo", "--simulated", "--out", str(visdial))
    (against,) = visdial.glob("visdial_*.json")
    made_up_ranking(against, tmp_path / "ranking.json")
    run("make_relevance_items", "--study", "relevance", "--of", "demo", "--simulated", "--sample", "2")
    run("simulate_relevance", "--study", "relevance", "--watchers", str(2 * JUDGES), "--url", product.url)
    dense = tmp_path / "dense.json"
    run("export_relevances", "--study", "relevance", "--simulated", "--out", str(dense))
    assert len(json.loads(dense.read_text())) == 2
    scores = tmp_path / "scores.json"
    ranking = str(tmp_path / "ranking.json")
    run("score_rankings", ranking, "--against", str(against), "--dense", str(dense), "--out", str(scores))
    assert "ndcg" in scores.read_text().lower()

    # What should be looked at, and the bundle.
    run("quality_flags", "--study", "demo", "--simulated", "--out", str(tmp_path / "flags.csv"))
    bundle = tmp_path / "bundle"
    release = ["--study", "demo", "--study", "summaries", "--study", "relevance", "--author", "Doe, Jo", "--simulated"]
    run("release", *release, "--formats", "dstc7,raw,jsonl,visdial,huggingface", "--out", str(bundle))
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=bundle, check=True)
    assert "Programs, not people, wrote" in (bundle / "DATASHEET.md").read_text()

    page = browser.new_context(viewport=size("wide")).new_page()  # type: ignore[arg-type]
    log_in(page, product, "/desk/statistics/1/")
    press(page, "Count", "Figures and charts")
    picture(page, "paper-statistics")
    page.goto(f"{product.url}/desk/summaries/2/")
    press(page, "Compare", "Computed")
    picture(page, "paper-summaries")
    page.goto(f"{product.url}/desk/exports/?study=demo")
    press(page, "Export", "SHA-256")
    picture(page, "paper-exports")
    for name, address in PAGES.items():
        page.goto(product.url + address)
        expect(page.locator("h1").first).to_be_visible()
        picture(page, f"paper-{name}")
