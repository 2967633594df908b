"""Programs talk through the running product, and the export holds exactly what was said."""

import json
import sqlite3

import pytest

from tests.product import Product

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
