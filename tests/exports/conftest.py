"""Dialogs to export, and where to."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.exports import running


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.json"


@pytest.fixture
def made_up_dialogs(settings: Any) -> None:
    """Two dialogs about one video and one about another, full of what is hard, with fixed ids."""
    settings.SECRET_KEY = "a fixed key, so that the names in the golden files stay the same"
    study = factories.study(collection=factories.collection(pk=900_001), slug="made-up")
    who = {"questioner": factories.worker(pk=900_005), "answerer": factories.worker(pk=900_006)}
    kitchen = factories.video("A person stirs  soup. They don't taste it; they leave.", image_id="ZX12Q", split="val")
    porch = factories.video('Somebody says "hello" (twice)\nand waves.', image_id="0AB3C")
    factories.finished_dialog(
        [
            ("What's in the pot????", "It's soup... I'd guess 😀 tomato."),
            ("Does she wear make-up?", 'No, she says "never" (or so).'),
        ],
        "She stirs the soup,\nand doesn't taste it.",
        study=study, video=kitchen, pk=900_003, **who,
    )  # fmt: skip
    factories.finished_dialog(
        [("Is it a kitchen/bath?", "A kitchen; 3.5 meters wide *maybe*."), ("AND THEN?", "She leaves..... for good!")],
        "A woman cooks.",
        study=study, video=kitchen, pk=900_002, started_at=factories.START + timedelta(hours=1), **who,
    )  # fmt: skip
    factories.finished_dialog(
        [
            ("彼女は何をしていますか？", "彼女は手を振っています。"),
            ("Is it loud : yes or no ?", "The boys' dog barks\nonce."),
        ],
        "彼女は手を振る。",
        study=study, video=porch, pk=900_004, **who,
    )  # fmt: skip


@pytest.fixture
def asked_twice() -> None:
    """Three dialogs about one video; the last question of the first is asked in each."""
    study, hall = factories.study(), factories.video("A man opens a door.", image_id="HALL0")
    for hours, (question, answer) in enumerate(
        [
            ("How many people are there?", "One man is there."),
            ("How many people are there ?", "There is only one."),
            ("how many people are there?", "one man is there ."),
        ]
    ):
        rounds = [("What does he open?", f"He opens door number {hours}."), (question, answer)]
        started = factories.START + timedelta(hours=hours)
        factories.finished_dialog(rounds, "A man.", study=study, video=hall, started_at=started)


@pytest.fixture
def many_dialogs(settings: Any) -> None:
    """Eleven dialogs of ten rounds with 110 distinct answers, six about train videos, five about test videos."""
    settings.SECRET_KEY = "a fixed key, so that the names in the golden files stay the same"
    running.make_dialogs({"train": 6, "test": 5})
