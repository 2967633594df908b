"""The pictures of README and docs, cut from a gallery: ``make pictures`` after ``make gallery``."""

import os
import sys
from pathlib import Path

from PIL import Image

from tests.e2e.workers import RESULTS, SIZES
from tests.product import BASE_DIR

DOCS = BASE_DIR / "docs" / "pictures"
SHOWN = {
    "waiting": "waiting--alone",
    "questioner": "questioner--round-6",
    "answerer": "answerer--round-6",
    "monitor": "desk-monitor--people-wait-and-talk",
    "review": "desk-review--two-submissions",
    "replay": "desk-replay--100-s-later",
    "statistics": "desk-statistics--charts",
}
"""Each by the page and state it is of; all are about sample scenes, and of the first window of a page."""
MOST_BYTES = 120_000


def main() -> int:
    """Write them; return the exit code."""
    folder = Path(os.environ.get("GALLERY") or RESULTS / "gallery")
    DOCS.mkdir(exist_ok=True)
    for name, state in SHOWN.items():
        source = folder / f"{state}--wide-light.png"
        if not source.is_file():
            print(f"There is no {source}. Take the gallery first: make gallery", file=sys.stderr)
            return 1
        target = DOCS / f"{name}.webp"
        with Image.open(source) as picture:
            picture.convert("RGB").crop((0, 0, *SIZES["wide"])).save(target, quality=82, method=6)
        if (size := target.stat().st_size) > MOST_BYTES:
            print(f"{target} has {size:,} bytes, and may have {MOST_BYTES:,}.", file=sys.stderr)
            return 1
        print(target.relative_to(BASE_DIR))
    return 0


if __name__ == "__main__":
    sys.exit(main())
