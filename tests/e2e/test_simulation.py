"""Programs talk through the running product, and the export holds exactly what was said."""

import json
import sqlite3

import pytest

from tests.product import Product

DRAFT = """
from django.core.files.base import ContentFile
from collector.catalogue.models import Script, Video
from collector.lib import clock
from collector.studies.models import Collection, Study, StudyVideo
study = Study.objects.create(
    name="Draft", slug="draft", collection=Collection.objects.create(name="Draft"), created_at=clock.now(), rounds=3,
    least_answer_words=30, longest_text=200, least_summary_words=40,
)
# The pictures of a sample in another file, so that nobody knows it; other tests take the shortest and the longest.
own = Video.objects.order_by("duration")[3]
own.pk, own.image_id, own.split = None, "ZZZ01", ""
own.file.save("a-door-and-a-chair.mp4", ContentFile(own.file.read() + bytes([0, 0, 0, 8]) + b"free"))
Script.objects.create(video=own, text="Somebody opens a door. They sit down.")
StudyVideo.objects.create(study=study, video=own, wanted=1)
"""

pytestmark = pytest.mark.timeout(300)


def stored(product: Product) -> list[str]:
    """Return all questions and answers in the product's database, with line ends as exports write them."""
    database = sqlite3.connect(product.var_dir / "collector.sqlite3")
    rows = database.execute(
        "SELECT u.text FROM chat_utterance u JOIN chat_dialog d ON d.id = u.dialog_id"
        " WHERE d.is_complete AND d.is_simulated AND u.position < 2 * d.rounds"
    ).fetchall()
    database.close()
    return sorted(" ".join(text.split("\n")) for (text,) in rows)


def exported(product: Product, name: str) -> list[str]:
    out = product.var_dir / name
    done = product.manage("export_avsd", "--out", str(out), "--format", "raw", "--simulated")
    assert done.returncode == 0, done.stderr
    videos = json.loads(out.read_text())
    turns = [turn for video in videos.values() for pair in video["data"].values() for turn in pair]
    return sorted(text for turn in turns for text in (turn["question"], turn["answer"]))


def test_twenty_pairs_are_all_complete_and_exported_as_they_were_said(product: Product) -> None:
    done = product.manage("simulate_dialogs", "--pairs", "20", "--seed", "7", "--url", product.url)
    assert done.returncode == 0, done.stdout + done.stderr
    texts = stored(product)
    assert len(texts) >= 20 * 20
    assert exported(product, "simulated.json") == texts


def test_a_draft_is_rehearsed_through_its_own_address_and_nothing_is_used_up(product: Product) -> None:
    """The only video may be given once; four programs come for it."""
    product.manage("shell", "-c", DRAFT)
    said = product.preflight("draft")
    assert said.count("  good  Websocket") == said.count("  good  Media in parts") == 1, said
    assert "7 texts were shown as stored" in said
    assert said.count("the last page says so") == 2
    assert "The video is no sample scene" in said
    assert "All went well." in said
    database = sqlite3.connect(product.var_dir / "collector.sqlite3")
    of = "FROM {} JOIN studies_study s ON s.id = study_id WHERE s.slug = 'draft'"
    assert database.execute("SELECT started " + of.format("studies_studyvideo")).fetchall() == [(0,)]
    came = database.execute("SELECT is_simulated, outcome " + of.format("studies_participation")).fetchall()
    assert [simulated for simulated, _ in came] == [1] * 4
    assert [outcome for _, outcome in came].count("complete") == 2
    assert database.execute("SELECT 1 " + of.format("hits_ledgerentry")).fetchall() == []
    database.close()
    out = ["export_avsd", "--study", "draft", "--out", str(product.var_dir / "draft.json")]
    assert "there was no dialog to write" in product.manage(*out).stderr


def test_a_rehearsal_says_what_failed_and_where(product: Product) -> None:
    """Limits that no text can keep to: a question of 30 words in 20 characters."""
    product.manage(
        "shell",
        "-c",
        "from collector.studies.models import Study\n"
        "Study.objects.filter(slug='draft').update(least_question_words=30, longest_text=20)",
    )
    said = product.preflight("draft")
    assert "The Questioner has a partner." in said
    assert "It failed: Program" in said
    assert "Too short: write at least 30 words." in said
