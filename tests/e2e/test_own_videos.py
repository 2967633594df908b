"""A researcher's own videos: imported by a manifest, made a study in the admin, and talked about."""

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from collector.catalogue.importing import SUFFIXES
from tests.catalogue import clips
from tests.e2e.workers import Pair, expect_whole, exported, log_in, pair, whole_dialog
from tests.product import Product

pytestmark = pytest.mark.long_drill  # importing, and dialogs about sample scenes, are tested in every run

FOLDER = os.environ.get("COLLECTOR_TEST_CLIPS", "")
SECONDS = 12


def make_clip(folder: Path) -> Path:
    """Draw a clip with sound and one key frame, at its start: its later frames take decoding all that is before."""
    pictures = clips.bars(SECONDS * clips.RATE, (640, 360))
    return clips.write(folder / "one key frame.mp4", pictures, keys=len(pictures) + 1, sound=clips.tone)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of clips that the environment names, or one with a clip drawn here."""
    if FOLDER:
        return Path(FOLDER)
    (tmp_path / "clips").mkdir()
    return make_clip(tmp_path / "clips").parent


@pytest.fixture
def rows(folder: Path) -> list[dict[str, str]]:
    """A manifest's rows, one for each clip."""
    files = sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)
    assert files, f"COLLECTOR_TEST_CLIPS: there is no video in {folder}"
    return [
        {"id": f"CLIP{number}", "file": file.name, "script": f"What is to be seen in {file.stem}.", "split": "val"}
        for number, file in enumerate(files)
    ]


def make_study(page: Page, product: Product) -> None:
    """Add an open study of the imported videos, as a researcher does."""
    log_in(page, product, "/admin/studies/study/add/")
    page.locator("#id_name").press_sequentially("Own videos")
    expect(page.locator("#id_slug")).to_have_value("own-videos")
    page.locator("#id_collection").select_option("Demo")
    page.locator("#id_state").select_option("open")
    page.locator("#id_split").select_option("val")
    page.locator("#id_device_check").uncheck()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messagelist .success")).to_be_visible()


def expect_media(workers: Pair, script: str) -> None:
    """Expect that the Questioner sees three pictures, and the Answerer the video and its script."""
    frames = workers.questioner.locator("#frames img")
    expect(frames).to_have_count(3)
    for index in range(3):
        expect(frames.nth(index)).to_have_js_property("complete", True)
        assert frames.nth(index).evaluate("image => image.naturalWidth") > 100
    expect(workers.answerer.locator("#script-text")).to_have_text(script)
    expect(workers.answerer.locator("video")).to_have_js_property("readyState", 4)
    assert workers.answerer.locator("video").evaluate("video => video.videoWidth") > 100


@pytest.mark.timeout(900)  # each clip is played in full
def test_imported_videos_are_talked_about_and_exported(
    browser: Browser, own_product: Product, folder: Path, rows: list[dict[str, str]], tmp_path: Path
) -> None:
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    own_product.manage("import_videos", str(manifest), "--videos", str(folder))
    make_study(browser.new_context().new_page(), own_product)
    for row in rows:  # each dialog is about the next video: one about each is wanted
        workers = pair(browser, own_product.url, f"about-{row['id']}", study="own-videos")
        expect_media(workers, row["script"])
        whole_dialog(workers, f"All in all, what was told of the video number {row['id']} fits its frames.")

    videos = exported(own_product, "own-videos", tmp_path / "raw.json")
    assert list(videos) == [row["id"] for row in rows]
    for name, video in videos.items():
        expect_whole(video, f"All in all, what was told of the video number {name} fits its frames.")
