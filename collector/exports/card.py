"""What does the card of a Hugging Face folder say? A head that names the files, then what a reader must know."""

from collections.abc import Mapping, Sequence

from collector.catalogue.models import Split
from collector.exports.avsd import Tally

_ORDER = list(Split.values)
_COLUMNS = """\
| column | content |
|---|---|
| `image_id`, `split`, `duration`, `has_sound` | the video: its id, its part, its seconds, whether it has sound |
| `frames` | how many frames of it the Questioner saw: beginning, middle and end, or the middle alone; 0: not known |
| `script` | the text the video was acted from; the Answerer saw it, the Questioner did not |
| `study`, `language` | which study asked, and in which language |
| `dialog`, `questioner`, `answerer` | pseudonyms: the same pair or person has the same one in all rows |
| `round`, `rounds` | the number of this round, from 1, and how many were asked for |
| `question`, `answer` | as typed |
| `summary` | what the Questioner wrote at the end, the same in all rows of a dialog; empty when there is none |
| `asked_at`, `answered_at`, `started_at`, `ended_at` | UTC |
| `is_complete` | all rounds and the summary are there |
| `is_simulated` | programs talked, not people |
"""


def _frames(tally: Tally) -> str:
    """Return how many frames Questioners saw; where nothing says it, as many as in AVSD."""
    shown = tally.frames - {0}
    return "one or three frames" if len(shown) > 1 else "one frame" if shown == {1} else "three frames"


def text(rows: Mapping[str, int], tally: Tally, licences: Sequence[str]) -> str:
    """Return README.md: ``rows`` by split, ``licences`` as the studies name them."""
    splits = sorted(rows, key=_ORDER.index)
    files = "\n".join(f"      - split: {split}\n        path: data/{split}.parquet" for split in splits)
    counted = "\n".join(f"| {split} | {rows[split]:,} |" for split in splits)
    frames = _frames(tally)
    named = ", ".join(licences) or "none named"
    return f"""\
---
pretty_name: Dialogs about videos
configs:
  - config_name: rounds
    default: true
    data_files:
{files}
---

# Dialogs about videos

{tally.dialogs:,} dialogs about {tally.videos:,} videos, held by two people each: the Questioner saw {frames} of a
video and asked, the Answerer saw the video with sound and its script and answered; then the Questioner wrote a summary.
One row is one round. The videos are not part of this folder.

| split | rounds |
|---|---|
{counted}

{_COLUMNS}
Licence of the texts: {named}. Videos without a split are in `train`.
"""
