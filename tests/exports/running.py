"""How do tests make dialogs by the dozen, and run the export?"""

import json
import random
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from tests import factories, talk

GOLDEN = Path(__file__).parent / "golden"


def export(out: Path, *options: str) -> tuple[Any, str, str]:
    """Run the command; return the content of a JSON file, what was said, and the warnings."""
    said, warned = StringIO(), StringIO()
    call_command("export_avsd", "--out", str(out), *options, stdout=said, stderr=warned, no_color=True)
    is_json = out.is_file() and "parquet" not in options and "jsonl" not in options
    content = json.loads(out.read_text()) if is_json else None
    return content, said.getvalue(), warned.getvalue()


def make_dialogs(splits: Mapping[str, int], seed: int = 1) -> None:
    """Store complete dialogs of ten made-up rounds: so many about videos of each split."""
    rng, study = random.Random(seed), factories.study()
    videos = talk.videos(sum(splits.values()))
    for split, number in splits.items():
        for _ in range(number):
            video = factories.video("A made-up script.", image_id=next(videos), split=split)
            factories.finished_dialog(talk.rounds(rng), study=study, video=video, seated=False)


def word_vectors(path: Path) -> Path:
    """Write a file in GloVe's format: three whole numbers for each made-up word, so that distances are exact."""
    words = sorted({word for text in (*talk.OPENINGS, *talk.COMMON) for word in text.rstrip("?").split()})
    lines = (f"{word} {n * 31 % 17} {n * 7 % 13} {n % 5}\n" for n, word in enumerate(words + talk.WORDS))
    path.write_text("".join(lines))
    return path
